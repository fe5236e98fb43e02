"""One limit and one retry loop for all calls."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from drift_assets.errors import CallTooLong, CallUnavailable, ItemFailed, LimitReached, RunStopped
from drift_assets.language.calls import Limiter, Patience, call
from drift_assets.language.usage import Limits, Meter, Usage

ONE = Usage(language_calls=1)


class Clock:
    """A time that passes only by sleeping."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


class Service:
    """Raises what it is given, in turn, then answers."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.tries = 0

    async def __call__(self) -> str:
        self.tries += 1
        if self.failures:
            raise self.failures.pop(0)
        return "answer"


def attempt(
    request: Callable[[], Awaitable[str]],
    *,
    clock: Clock | None = None,
    limiter: Limiter | None = None,
    meter: Meter | None = None,
    attempts: int = 6,
    timeout: float = 5.0,
) -> Awaitable[str]:
    clock = clock or Clock()
    return call(
        request,
        service="m",
        count=ONE,
        limiter=limiter or Limiter(8, clock=clock, sleep=clock.sleep),
        meter=meter or Meter(),
        patience=Patience(attempts=attempts, timeout=timeout, sleep=clock.sleep, chance=lambda: 1.0),
    )


def test_a_call_that_is_unavailable_is_tried_again_with_growing_waits() -> None:
    clock, service, meter = Clock(), Service(*[CallUnavailable("busy")] * 5), Meter()
    assert asyncio.run(attempt(service, clock=clock, meter=meter)) == "answer"
    assert clock.slept == [1, 2, 4, 8, 16]
    assert meter.usage.language_calls == 6


def test_the_wait_is_bounded_and_spread_over_its_upper_half() -> None:
    patience = Patience(first=1, longest=30, chance=lambda: 0.0)
    assert [patience.backoff(n) for n in (1, 2, 6, 7, 60)] == [0.5, 1, 15, 15, 15]
    assert Patience(chance=lambda: 0.5).backoff(1) == 0.75


def test_after_the_last_try_the_error_says_how_often_and_what_to_do() -> None:
    service = Service(*[CallUnavailable("the service is busy (429)", 7)] * 3)
    with pytest.raises(CallUnavailable, match=r"busy \(429\); gave up after 3 tries: .*DRIFT_CONCURRENCY") as caught:
        asyncio.run(attempt(service, attempts=3))
    assert caught.value.retry_after == 7
    assert service.tries == 3


@pytest.mark.parametrize("failure", [CallTooLong("long"), ItemFailed("refused"), RunStopped("key"), KeyError("bug")])
def test_whatever_else_is_raised_at_once(failure: Exception) -> None:
    service = Service(failure)
    with pytest.raises(type(failure)):
        asyncio.run(attempt(service))
    assert service.tries == 1


def test_a_call_without_answer_in_time_is_tried_again() -> None:
    tries = 0

    async def slow_once() -> str:
        nonlocal tries
        tries += 1
        if tries == 1:
            await asyncio.sleep(60)
        return "answer"

    assert asyncio.run(attempt(slow_once, timeout=0.02)) == "answer"
    tries = 0
    with pytest.raises(CallUnavailable, match=r"m gave no answer within 0\.02 s"):
        asyncio.run(attempt(slow_once, timeout=0.02, attempts=1))


def test_a_deadline_from_outside_is_not_taken_for_a_slow_service() -> None:
    async def main() -> None:
        async with asyncio.timeout(0.02):
            await attempt(lambda: asyncio.sleep(60, "late"), timeout=30)

    with pytest.raises(TimeoutError):
        asyncio.run(main())


def test_retry_after_pauses_every_call_to_that_service_and_no_other() -> None:
    clock = Clock()
    limiter = Limiter(8, clock=clock, sleep=clock.sleep)
    started: dict[str, float] = {}

    async def hold(name: str, service: str) -> None:
        async with limiter.slot(service):
            started[name] = clock()

    async def main() -> None:
        await attempt(Service(CallUnavailable("busy", 30)), clock=clock, limiter=limiter)
        assert clock() == 30
        limiter.pause("m", 10)
        limiter.pause("m", 5)
        await hold("other service", "e")
        await hold("same service", "m")

    asyncio.run(main())
    assert started == {"other service": 30, "same service": 40}


def test_the_wait_that_a_server_asks_for_is_bounded() -> None:
    clock = Clock()
    asyncio.run(attempt(Service(CallUnavailable("busy", 86_400)), clock=clock))
    assert clock.slept == [120]


def test_a_pause_that_begins_while_a_call_waits_for_its_slot_holds_it_back_too() -> None:
    clock = Clock()
    limiter = Limiter(1, clock=clock, sleep=clock.sleep)
    started: list[float] = []

    async def second() -> None:
        async with limiter.slot("m"):
            started.append(clock())

    async def main() -> None:
        async with limiter.slot("m"):
            waiting = asyncio.create_task(second())
            await asyncio.sleep(0)
            limiter.pause("m", 9)
        await waiting

    asyncio.run(main())
    assert started == [9]


def test_no_more_calls_than_slots_are_in_flight() -> None:
    now = most = 0

    async def busy() -> str:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.001)
        now -= 1
        return "answer"

    async def main() -> None:
        limiter = Limiter(3)
        await asyncio.gather(*(attempt(busy, limiter=limiter) for _ in range(20)))

    asyncio.run(main())
    assert most == 3


def test_no_slot_is_held_while_waiting_for_the_next_try() -> None:
    async def main() -> list[str]:
        limiter = Limiter(1)
        patience = Patience(first=0.05, chance=lambda: 1.0)
        order: list[str] = []

        async def run(name: str, service: Service) -> None:
            await call(service, service="m", count=ONE, limiter=limiter, meter=Meter(), patience=patience)
            order.append(name)

        await asyncio.gather(run("failing", Service(CallUnavailable("busy"))), run("well", Service()))
        return order

    assert asyncio.run(main()) == ["well", "failing"]


def test_a_cancelled_call_gives_its_slot_back() -> None:
    async def main() -> str:
        limiter = Limiter(1)
        stuck = asyncio.create_task(attempt(lambda: asyncio.sleep(60, "late"), limiter=limiter, timeout=60))
        await asyncio.sleep(0.01)
        stuck.cancel()
        with pytest.raises(asyncio.CancelledError):
            await stuck
        return await attempt(Service(), limiter=limiter)

    assert asyncio.run(main()) == "answer"


@pytest.mark.parametrize("allowed", [1, 3, 8])
def test_a_limit_on_calls_holds_exactly_even_with_many_in_flight(allowed: int) -> None:
    service, meter = Service(), Meter(Limits(calls=allowed))

    async def main() -> list[object]:
        limiter = Limiter(8)
        calls = (attempt(service, limiter=limiter, meter=meter) for _ in range(12))
        return list(await asyncio.gather(*calls, return_exceptions=True))

    results = asyncio.run(main())
    assert service.tries == meter.usage.calls == allowed
    assert sum(isinstance(result, LimitReached) for result in results) == 12 - allowed


def test_the_limit_is_looked_at_before_each_try() -> None:
    service = Service(*[CallUnavailable("busy")] * 5)
    with pytest.raises(LimitReached):
        asyncio.run(attempt(service, meter=Meter(Limits(calls=2))))
    assert service.tries == 2


def test_a_service_that_answers_no_call_at_all_stops_the_run() -> None:
    clock = Clock()
    limiter = Limiter(2, clock=clock, sleep=clock.sleep)

    async def down() -> str:
        raise CallUnavailable("no connection")

    async def outcomes(count: int) -> list[str]:
        return [
            type(await _error(attempt(down, clock=clock, limiter=limiter, attempts=2))).__name__ for _ in range(count)
        ]

    async def main() -> None:
        assert await outcomes(7) == ["CallUnavailable"] * 7
        await attempt(Service(), clock=clock, limiter=limiter)
        assert await outcomes(7) == ["CallUnavailable"] * 7
        assert await outcomes(1) == ["RunStopped"]

    asyncio.run(main())


async def _error(call: Awaitable[str]) -> Exception:
    with pytest.raises(Exception) as caught:  # noqa: PT011 the caller looks at the kind
        await call
    return caught.value


def test_an_answer_that_fails_its_item_shows_that_the_service_lives() -> None:
    clock = Clock()
    limiter = Limiter(2, clock=clock, sleep=clock.sleep)

    async def main() -> list[str]:
        kinds = []
        for _ in range(12):
            failed = attempt(Service(*[CallUnavailable("busy")] * 2), clock=clock, limiter=limiter, attempts=2)
            kinds.append(type(await _error(failed)).__name__)
            await _error(attempt(Service(ItemFailed("refused")), clock=clock, limiter=limiter))
        return kinds

    assert asyncio.run(main()) == ["CallUnavailable"] * 12


def test_seconds_in_calls_are_counted_also_for_failed_tries() -> None:
    meter = Meter()

    async def slow_failure() -> str:
        await asyncio.sleep(0.02)
        raise ItemFailed("refused")

    with pytest.raises(ItemFailed):
        asyncio.run(attempt(slow_failure, meter=meter))
    assert 0.015 < meter.usage.call_seconds < 1
