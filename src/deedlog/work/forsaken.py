"""What nobody is at any more: sessions whose supervisors are gone, and runs whose drivers are.

Mostly traces on the machine tell of them. Where those are gone too, as after a restored backup or with another
container, only the store tells.
"""

from __future__ import annotations

from deedlog.core.run import CANCELLED, RUNNING, Run
from deedlog.core.task import QUEUED, Session
from deedlog.work.lookup import every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Protocol

    from deedlog.ports import Context, Ledger, Workers

    class Place(Protocol):
        """A call, or an app."""

        @property
        def ledger(self) -> Ledger: ...
        @property
        def workers(self) -> Workers: ...


DRIVEN = (RUNNING, CANCELLED)  # states in which a run that is not over has a driver


def without_supervisor(place: Place) -> list[Session]:
    """The sessions that run on this machine by the store, but whose supervisors are dead."""
    running = every(place.ledger, Session, {"host": place.workers.host, "status": RUNNING}, oldest=True)
    return [session for session in running if place.workers.is_lost(session.host, session.process)]


def is_lost(ctx: Context, run: Run, *, force: bool = False) -> bool:
    """Whether its driver is dead."""
    return ctx.workers.is_lost(run.host, run.process, force=force)


def is_forsaken(place: Place, run: Run) -> bool:
    """Whether nobody drives it, and nothing on this machine has the next who comes by do so."""
    if run.finished_at is not None or run.state not in DRIVEN:
        return False
    if not place.workers.is_lost(run.host, run.process) or run.id in place.workers.undriven():
        return False
    now = place.ledger.get(Run, run.id)  # its driver may have ended it, or another one come, before we looked
    return now.finished_at is None and now.process == run.process


def at_work(ctx: Context, run: Run) -> Iterator[Session]:
    """The sessions of a run that are not over."""
    for status in (QUEUED, RUNNING):
        found = every(ctx.ledger, Session, {"status": status}, oldest=True)
        yield from (session for session in found if session.run_id == run.id)


def given_up_with_their_machine(ctx: Context, run: Run) -> list[Session]:
    """The sessions of a run that nobody here can tell of: somebody said that where they run is gone."""
    return [one for one in at_work(ctx, run) if ctx.workers.is_lost(one.host, one.process, force=True)]


def unfinished(place: Place) -> list[Run]:
    """The runs that are not over and should have a driver."""
    found = (run for state in DRIVEN for run in every(place.ledger, Run, {"state": state}))
    return [run for run in found if run.finished_at is None]


def elsewhere(place: Place) -> list[Session]:
    """The sessions that run on other machines by the store."""
    running = every(place.ledger, Session, {"status": RUNNING}, oldest=True)
    return [session for session in running if session.process and session.host != place.workers.host]
