"""How calls are made: one limit on calls in flight and one retry loop, for language and embedding calls together."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

from drift_assets.errors import CallError, CallUnavailable, RunStopped
from drift_assets.language.usage import Meter, Usage

T = TypeVar("T")

# So many calls in a row, or all slots if these are more, must use up their tries before the service counts as down.
LEAST_IN_A_ROW = 8


class Limiter:
    """At most `slots` calls in flight, and a pause that holds back every further call to one service.

    Made once per run and handed to all who call; it belongs to one event loop.
    """

    def __init__(
        self,
        slots: int,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._slots = asyncio.Semaphore(slots)
        self._resume: dict[str, float] = {}
        self._given_up: dict[str, int] = {}
        self._patience_ends = max(slots, LEAST_IN_A_ROW)
        self._clock = clock
        self._sleep = sleep

    def pause(self, service: str, seconds: float) -> None:
        """Start no call to `service` for `seconds`; of two pauses the later end counts. Calls in flight go on."""
        self._resume[service] = max(self._resume.get(service, 0.0), self._clock() + seconds)

    def answered(self, service: str) -> None:
        """The service lives: what was given up before counts no more."""
        self._given_up.pop(service, None)

    def gave_up(self, service: str) -> bool:
        """Note a call that used up its tries; True when so many did in a row that the service must be down."""
        self._given_up[service] = self._given_up.get(service, 0) + 1
        return self._given_up[service] >= self._patience_ends

    @asynccontextmanager
    async def slot(self, service: str) -> AsyncIterator[None]:
        """Hold one of the slots; nobody waits out a pause while holding one."""
        await self._admit(service)
        try:
            yield
        finally:
            self._slots.release()

    async def _admit(self, service: str) -> None:
        while True:
            while (left := self._resume.get(service, 0.0) - self._clock()) > 0:
                await self._sleep(left)
            await self._slots.acquire()
            if self._resume.get(service, 0.0) <= self._clock():
                return
            # A pause began while this call waited for its slot.
            self._slots.release()


@dataclass(frozen=True, slots=True)
class Patience:
    """How long and how often a call is tried; times in seconds.

    The wait before try n+1 is drawn from the upper half of [0, min(first × 2ⁿ⁻¹, longest)], so that calls which
    failed together do not come back together. A server's Retry-After is obeyed up to `longest_asked`.
    """

    attempts: int = 6
    timeout: float = 120.0
    first: float = 1.0
    longest: float = 30.0
    longest_asked: float = 120.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random

    def backoff(self, attempt: int) -> float:
        """Seconds to wait after the failed try number `attempt`, counted from 1."""
        ceiling = min(self.first * 2.0 ** (attempt - 1), self.longest)
        return ceiling * (1 + self.chance()) / 2


async def call(
    request: Callable[[], Awaitable[T]],
    *,
    service: str,
    count: Usage,
    limiter: Limiter,
    meter: Meter,
    patience: Patience,
) -> T:
    """The result of `request`, tried again while it raises CallUnavailable or takes too long.

    `service` names what a Retry-After pauses; `count` is added to the meter for each try, as it starts, so that a
    limit on calls holds exactly. Waits happen outside the slot. Raises LimitReached before a try that the limits do
    not allow, CallUnavailable after the last try (RunStopped when this befell many calls in a row, so that a service
    that is down does not cost an hour), and whatever else `request` raises at once.
    """
    attempt = 1
    while True:
        async with limiter.slot(service):
            meter.begin(count)
            started = time.monotonic()
            try:
                async with asyncio.timeout(patience.timeout):
                    result = await request()
                limiter.answered(service)
                return result
            except TimeoutError:
                failure = CallUnavailable(f"{service} gave no answer within {patience.timeout:g} s")
            except CallUnavailable as error:
                failure = error
            except CallError:
                limiter.answered(service)
                raise
            finally:
                meter.add(Usage(call_seconds=time.monotonic() - started))
        if attempt >= patience.attempts:
            if limiter.gave_up(service):
                raise RunStopped(f"{failure}; no call gets through any more: see whether the service is up, run again")
            raise CallUnavailable(
                f"{failure}; gave up after {attempt} tries: run again later, or lower DRIFT_CONCURRENCY",
                failure.retry_after,
            )
        if failure.retry_after:
            limiter.pause(service, min(failure.retry_after, patience.longest_asked))
        else:
            await patience.sleep(patience.backoff(attempt))
        attempt += 1
