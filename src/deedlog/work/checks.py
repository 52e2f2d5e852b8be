"""Running the definition of done in a work tree."""

from __future__ import annotations

from deedlog.core.check import checks_of
from deedlog.core.errors import Conflict, Denied, Part
from deedlog.core.trust import MERGE_NEEDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from deedlog.core.agent import Agent
    from deedlog.core.task import Task
    from deedlog.core.trust import Brought
    from deedlog.ports import CheckRun, Context

    Json = dict[str, Any]

MOST_OUTPUT = 2_000  # characters of a check's output that are recorded, from its end


def required_of(ctx: Context, task: Task, agent: Agent | None) -> list[Json]:
    """What must be checked before the work on a task is merged."""
    refuse_unapproved(ctx)
    return _declared(ctx, task, agent)


def are_required(ctx: Context, task: Task, agent: Agent | None) -> bool:
    """Whether something must be checked, approved or not."""
    return bool(_unapproved(ctx) or ctx.trust.faults() or _declared(ctx, task, agent))


def _declared(ctx: Context, task: Task, agent: Agent | None) -> list[Json]:
    return checks_of(ctx.settings["checks"], agent.checks if agent else [], task.checks)


def refuse_unapproved(ctx: Context) -> None:
    """Refuse to merge while checks of the repository have no effect: a merge would skip them."""
    if waiting := _unapproved(ctx):
        names, ids = " and ".join(one.name for one in waiting), " ".join(one.id for one in waiting)
        raise Denied(
            f"the repository's {names} are not approved yet: deedlog trust",
            hint=f"a person looks at them and approves them: deedlog trust approve {ids}",
            part=Part.CONFIGURATION,
            data={"waiting": ids.split()},
        )
    if faults := ctx.trust.faults():
        raise Denied(
            "the repository's settings have a mistake, so its checks may be missing",
            hint="a person corrects .deedlog/config.toml",
            part=Part.CONFIGURATION,
            data={"said": "\n".join(faults)},  # text of the repository, so no part of the message
        )


def _unapproved(ctx: Context) -> list[Brought]:
    return [one for one in ctx.trust.brought() if one.waits and one.name in MERGE_NEEDS]


def run(ctx: Context, checks: Sequence[Json], folder: str) -> list[Json]:
    """What came of each check, in their order."""
    rows = []
    for place, check in enumerate(checks):
        ctx.peer.progress(place, len(checks), f"check {check['label']}")
        found = ctx.workers.check(check["command"], folder, float(check["timeout"]), ctx.peer.cancelled)
        if ctx.peer.cancelled():
            raise Conflict("the call was cancelled while it checked the work", hint="call worker_done again")
        rows.append(_row(check, found))
    return rows


def _row(check: Json, found: CheckRun) -> Json:
    row: Json = {
        "label": check["label"],
        "passed": found.exit_code == 0,
        "required": check["required"],
        "exitCode": found.exit_code,
        "seconds": round(found.seconds, 3),
        "output": found.output[-MOST_OUTPUT:],
    }
    return row | ({"problem": found.problem} if found.problem else {})
