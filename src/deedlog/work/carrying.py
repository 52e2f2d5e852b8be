"""The work that a person sent back, for the next worker: it goes on from there, in a tree of its own."""

from __future__ import annotations

from deedlog.core.account import own_paths
from deedlog.core.errors import DeedlogError
from deedlog.core.task import MERGED, Session, Task
from deedlog.core.violation import Judge, meant
from deedlog.work.commenting import feedback, feedback_text
from deedlog.work.reading import changes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deedlog.ports import Context

DISCARD = "discard"
SAID = "People looked at earlier work on this task. What they said is quoted; do what they ask for:"
HERE = "The work of session {number} is in this work tree already, not committed: go on from there."
ELSEWHERE = (
    "The work of session {number} is on the branch `{branch}`. It does not fit onto what the project is now: "
    "take from it what is right."
)


def carried(ctx: Context, task: Task) -> Session | None:
    """The attempt whose work the next one begins with, as long as it is nowhere else."""
    session = ctx.ledger.find_one(Session, task.carries) if task.carries else None
    if session is None or not session.patch or session.dod_result == MERGED:
        return None
    return None if session.merge.get("how") == DISCARD else session


def bring(ctx: Context, session: Session, scope: Mapping[str, Sequence[str]], path: str) -> bool:
    """Put the work of a session into another tree, but what is outside of the scope there; False where it cannot be.

    After the tree's snapshot was taken, so that all of it is told as the work of the next attempt.
    """
    judge = Judge(scope)
    paths = [meant(name) for name in own_paths(changes_of(ctx, session))]
    try:
        outside = [name for name in paths if judge.of_work(name)]
        return ctx.worktrees.apply(path, ctx.ledger.kept(session.patch), outside)
    except DeedlogError:
        return False


def told(ctx: Context, task: Task, session: Session | None = None, *, is_here: bool = False) -> str:
    """What a worker is told of what people said, and where the earlier work is."""
    rows = feedback(ctx, task)
    said = [f"{SAID}\n{feedback_text(rows)}"] if rows else []
    if session:
        said.append((HERE if is_here else ELSEWHERE).format(number=session.number, branch=session.branch))
    return "\n\n".join(said)
