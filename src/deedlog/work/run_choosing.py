"""Which run is meant where none is named."""

from __future__ import annotations

from deedlog.core.errors import Invalid, NotFound
from deedlog.core.run import PAUSED, RUNNING, Run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.ports import Context

MOST_NAMED = 5
NONE_YET = "there is no run yet"


def told_of(ctx: Context, run_id: str | None) -> Run:
    """The run to tell of: the one that is named, else the newest that is not over, else the newest."""
    if run_id:
        return ctx.ledger.get(Run, run_id)
    return next(iter(_unfinished(ctx)), None) or newest(ctx)


def newest(ctx: Context) -> Run:
    found = ctx.ledger.find(Run, limit=1)
    if not found:
        raise NotFound(NONE_YET, hint="plan_run starts one")
    return found[0]


def changed(ctx: Context, run_id: str | None) -> str:
    """The id of the run to change: the one that is named, else the only one that is not over."""
    if run_id:
        return run_id
    found = _unfinished(ctx)
    if len(found) == 1:
        return found[0].id
    if not found:
        raise NotFound("there is no run that is not over", hint="plan_run starts one")
    named = ", ".join(run.id for run in found[:MOST_NAMED])
    raise Invalid("run_id: several runs are not over", hint=f"name one of them: {named}", data={"field": "run_id"})


def _unfinished(ctx: Context) -> list[Run]:
    """The newest first."""
    found = [run for state in (RUNNING, PAUSED) for run in ctx.ledger.find(Run, {"state": state}, limit=MOST_NAMED)]
    return sorted(found, key=lambda run: run.created_at, reverse=True)
