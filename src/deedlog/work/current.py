"""What docs/CURRENT_TASK.md lets a task touch, where nothing else says so.

It counts until it is replaced, or until a workflow whose tasks followed it has ended: work in another
workflow is then about something else. One that somebody else committed counts while it is young: whether it is done
is told only in the store it was written through.
"""

from __future__ import annotations

from deedlog.core.area import is_pattern
from deedlog.core.clarification import COMPLETED, Clarification, WrittenAdr
from deedlog.core.errors import DeedlogError
from deedlog.core.moment import DAY, SECOND, moment_of
from deedlog.core.page import size
from deedlog.core.records.values import TASK_FILE
from deedlog.core.task import MOST_CHARACTERS, Task
from deedlog.core.value import Value
from deedlog.core.words import one_line
from deedlog.core.workflow import Workflow
from deedlog.work.lookup import PAGE
from deedlog.work.records import current_task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from deedlog.core.records.values import CurrentTask
    from deedlog.ports import Context

NOT_PATHS = (".git", ".deedlog")  # never a task's work, and no scope may take them away
MOST_NAMED = 6
YOUNG = 14 * DAY * SECOND


class Limits(Value):
    """The paths a current task allows, and those it forbids, as patterns."""

    uid: str
    title: str
    allowed: list[str]
    forbidden: list[str]

    @property
    def patterns(self) -> list[str]:
        """Both, in the way of areas and of a write scope: what is forbidden is taken out."""
        return [*self.allowed, *(f"!{pattern}" for pattern in self.forbidden)]

    def told(self, what: str, instead: str) -> str:
        shown = [*self.allowed[:MOST_NAMED], *(["…"] if len(self.allowed) > MOST_NAMED else [])]
        return f"{what} from {TASK_FILE} ({one_line(self.title)}): {', '.join(shown)}; {instead}"


def limits(ctx: Context, workflow_id: str) -> Limits | None:
    """Those of the current task in the tree the caller stands in; None where they do not count."""
    try:
        task = current_task(ctx.records)
    except DeedlogError:
        return None  # it is told where the records are asked for
    if task is None or not task.allowlist:
        return None
    found = Limits(
        uid=task.uid, title=task.title, allowed=_patterns(task.allowlist), forbidden=_patterns(task.forbidden)
    )
    if not found.allowed or size(found.patterns) > MOST_CHARACTERS or _is_foreign(ctx, task):
        return None
    if _is_over(ctx, task.uid, workflow_id):
        return None
    return found


def _patterns(paths: Iterable[str]) -> list[str]:
    """Paths as patterns: a name alone is the file or folder at the root, not a word of any path."""
    found = (path.strip().removeprefix("!").strip() for path in paths)
    kept = (path for path in found if path and path.strip("/").partition("/")[0] not in NOT_PATHS)
    return [path if is_pattern(path) else f"/{path}" for path in kept]


def _is_foreign(ctx: Context, task: CurrentTask) -> bool:
    """Whether it is old, and was not written through this store: a clone brings such files along."""
    if ctx.now - (moment_of(task.uid) or 0) <= YOUNG:
        return False
    if task.adr and ctx.ledger.find_one(WrittenAdr, task.adr):
        return False
    here = {"status": COMPLETED, "tree": ctx.records.tree}
    return not any(_wrote(one, task.uid) for one in ctx.ledger.find(Clarification, here, limit=PAGE))


def _wrote(one: Clarification, uid: str) -> bool:
    return any(artifact.get("uid") == uid for artifact in one.result.get("artifacts_created", ()))


def _is_over(ctx: Context, uid: str, workflow_id: str) -> bool:
    """Whether another workflow that followed it has ended. The last tasks tell: older ones are of older days."""
    since = moment_of(uid) or 0
    followed = {
        task.workflow_id
        for task in ctx.ledger.find(Task, {}, limit=PAGE)
        if task.created_at >= since and task.clarified == uid
    }
    found = (ctx.ledger.find_one(Workflow, other) for other in followed - {workflow_id, ""})
    return any(workflow and workflow.ended_at is not None for workflow in found)
