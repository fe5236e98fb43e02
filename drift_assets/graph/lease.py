"""The lease of the index: one run at a time writes it, and a run that died keeps nobody out.

It stands on `__Index__` as `lease_run`, `lease_until` and `lease_worker`, and lasts a while from each renewal, by the
server's clock; whoever holds it takes the properties away at the end.
"""

from __future__ import annotations

from dataclasses import dataclass

from drift_assets.graph.connection import Graph, Transaction


@dataclass(frozen=True, slots=True)
class Lease:
    """Who holds the index: a run, the process that carries it out ("" when none does at the moment), and until when.

    `until` is in milliseconds of the server's clock; `left` are the milliseconds that it had to go when it was read.
    """

    run: str
    worker: str
    until: int
    left: int


async def take(graph: Graph, *, run: str, worker: str, seconds: float, dead: Lease | None = None) -> Lease | None:
    """The index is held by `run` for so many seconds from now, and None is returned; or else who holds it.

    It is taken when nobody holds it, when `run` does already, when the lease has run out, and from `dead`, a lease that
    is known to be of a process that is gone, unless it was renewed since.
    """

    async def work(transaction: Transaction) -> Lease | None:
        # The lock is taken by a write of its own, so that what is read next is what the last holder left.
        await transaction.run("MATCH (i:__Index__ {id: 'drift'}) SET i.lease_asked = true REMOVE i.lease_asked")
        held = _lease(
            await transaction.run(
                "MATCH (i:__Index__ {id: 'drift'}) WHERE i.lease_run IS NOT NULL "
                "RETURN i.lease_run AS run, i.lease_worker AS worker, i.lease_until AS until, "
                "i.lease_until - timestamp() AS left"
            )
        )
        given_up = held and dead and (held.run, held.worker, held.until) == (dead.run, dead.worker, dead.until)
        if held and held.run != run and held.left > 0 and not given_up:
            return held
        await transaction.run(
            "MATCH (i:__Index__ {id: 'drift'}) SET i.lease_run = $run, i.lease_worker = $worker, "
            "i.lease_until = timestamp() + $milliseconds",
            run=run,
            worker=worker,
            milliseconds=round(seconds * 1000),
        )
        return None

    return await graph.write_together(work)


async def renew(graph: Graph, *, run: str, worker: str, seconds: float) -> bool:
    """The lease lasts for so many seconds from now; False when `run` holds it no more, and then nothing changes."""
    rows = await graph.write(
        "MATCH (i:__Index__ {id: 'drift', lease_run: $run}) SET i.lease_worker = $worker, "
        "i.lease_until = timestamp() + $milliseconds RETURN i.id AS id",
        run=run,
        worker=worker,
        milliseconds=round(seconds * 1000),
    )
    return bool(rows)


async def release(graph: Graph, *, run: str) -> None:
    """Nobody holds the index, unless somebody other than `run` does."""
    await graph.write(
        "MATCH (i:__Index__ {id: 'drift', lease_run: $run}) REMOVE i.lease_run, i.lease_worker, i.lease_until", run=run
    )


async def current_lease(graph: Graph) -> Lease | None:
    """Who holds the index now, or None."""
    return _lease(
        await graph.read(
            "MATCH (i:__Index__ {id: 'drift'}) WHERE i.lease_until > timestamp() "
            "RETURN i.lease_run AS run, i.lease_worker AS worker, i.lease_until AS until, "
            "i.lease_until - timestamp() AS left"
        )
    )


def _lease(rows: list[dict[str, object]]) -> Lease | None:
    return Lease(**rows[0]) if rows else None  # type: ignore[arg-type]
