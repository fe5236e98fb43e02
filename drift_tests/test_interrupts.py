import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from contextvars import ContextVar

import pytest

from drift_assets import interrupts


def test_the_result_and_the_errors_of_the_work_come_through() -> None:
    async def work(value: int) -> int:
        await asyncio.sleep(0)
        return 6 // value

    assert interrupts.run(work(2)) == 3
    with pytest.raises(ZeroDivisionError):
        interrupts.run(work(0))


def test_work_is_run_outside_the_main_thread_too() -> None:
    results = []
    thread = threading.Thread(target=lambda: results.append(interrupts.run(asyncio.sleep(0, "done"))))
    thread.start()
    thread.join()
    assert results == ["done"]


@pytest.mark.parametrize("number", interrupts.STOP_SIGNALS)
def test_a_signal_ends_the_work_after_its_clean_up(number: signal.Signals) -> None:
    steps = []

    async def work() -> None:
        try:
            asyncio.get_running_loop().call_later(0.01, os.kill, os.getpid(), number)
            await asyncio.sleep(60)
        finally:
            await asyncio.sleep(0.01)
            steps.append("written")

    with pytest.raises(KeyboardInterrupt):
        interrupts.run(work())
    assert steps == ["written"]


async def this_loop() -> asyncio.AbstractEventLoop:
    return asyncio.get_running_loop()


def test_work_in_one_loop_shares_it_and_a_signal_ends_only_what_runs() -> None:
    async def stopped() -> None:
        signal.raise_signal(signal.SIGINT)
        await asyncio.sleep(60)

    async def seen() -> str:
        return said.get()

    said = ContextVar("said", default="")
    with interrupts.one_loop():
        first = interrupts.run(this_loop())
        said.set("since then")
        assert interrupts.run(seen()) == "since then"
        with pytest.raises(KeyboardInterrupt):
            interrupts.run(stopped())
        assert interrupts.run(this_loop()) is first
    assert first.is_closed()
    assert interrupts.run(this_loop()) is not first


def test_a_signal_during_the_code_of_another_task_is_not_lost() -> None:
    async def busy() -> None:
        signal.raise_signal(signal.SIGINT)

    async def work() -> None:
        other = asyncio.create_task(busy())
        await asyncio.sleep(60)
        await other

    with pytest.raises(KeyboardInterrupt):
        interrupts.run(work())


def test_work_that_swallows_the_cancellation_still_counts_as_interrupted() -> None:
    async def work() -> str:
        signal.raise_signal(signal.SIGTERM)
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            return "went on"
        return "not interrupted"

    with pytest.raises(KeyboardInterrupt):
        interrupts.run(work())


def test_signals_close_together_are_one_and_a_later_one_cuts_the_clean_up_short(monkeypatch) -> None:
    monkeypatch.setattr(interrupts, "ONE_WISH_SECONDS", 0.2)
    steps = []

    async def work() -> None:
        try:
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            await asyncio.sleep(60)
        finally:
            signal.raise_signal(signal.SIGTERM)
            await asyncio.sleep(0.01)
            steps.append("first write")
            asyncio.get_running_loop().call_later(0.3, signal.raise_signal, signal.SIGINT)
            await asyncio.sleep(60)
            steps.append("never")

    with pytest.raises(KeyboardInterrupt):
        interrupts.run(work())
    assert steps == ["first write"]


def test_a_short_write_is_done_whatever_signal_comes_but_not_waited_for_without_end() -> None:
    async def write() -> str:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGTERM)
        await asyncio.sleep(0.01)
        return "written"

    assert interrupts.run_to_end(write(), seconds=5) == "written"
    with pytest.raises(TimeoutError):
        interrupts.run_to_end(asyncio.sleep(60), seconds=0.01)


def test_handlers_are_as_before_afterwards() -> None:
    before = [signal.getsignal(number) for number in interrupts.STOP_SIGNALS]
    interrupts.run(asyncio.sleep(0))
    assert [signal.getsignal(number) for number in interrupts.STOP_SIGNALS] == before


@pytest.mark.parametrize("number", interrupts.STOP_SIGNALS)
def test_a_process_started_with_interrupts_ignored_can_be_interrupted(number: signal.Signals) -> None:
    code = (
        "import time; from drift_assets.interrupts import raise_on_signals\n"
        "raise_on_signals()\n"
        "try: print('ready', flush=True); time.sleep(60)\n"
        "except KeyboardInterrupt: print('interrupted')"
    )
    # A shell without job control starts its background jobs so.
    command = ["sh", "-c", '"$0" -c "$1" & echo $!; wait', sys.executable, code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as shell:
        assert shell.stdout is not None
        process_id = int(shell.stdout.readline())
        assert shell.stdout.readline() == "ready\n"
        time.sleep(0.1)
        os.kill(process_id, number)
        assert shell.stdout.read() == "interrupted\n"
