"""The work that a person sent back, for the next worker: it goes on from there, in a tree of its own."""

from __future__ import annotations

from deedlog.core.account import own_paths
from deedlog.core.errors import DeedlogError
from deedlog.core.task import COMPLETED, MERGED, Session, Task
from deedlog.core.violation import Judge, meant
from deedlog.work.commenting import feedback, feedback_text, quoted
from deedlog.work.lookup import every
from deedlog.work.reading import changes_of
from deedlog.work.setbacks import lines_of, setbacks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from deedlog.ports import Context

    Json = dict[str, Any]

DISCARD = "discard"
SAID = "People looked at earlier work on this task. What they said is quoted; do what they ask for:"
IN_THE_WAY = "What stood in the way of the last attempt. What is quoted was printed, or names files:"
HERE = "The work of session {number} is in this work tree already, not committed: go on from there."
ELSEWHERE = (
    "The work of session {number} is on the branch `{branch}`. It does not fit onto what the project is now: "
    "take from it what is right."
)


def carried(ctx: Context, task: Task) -> Session | None:
    """The attempt whose work the next one begins with, as long as it is nowhere else."""
    session = ctx.ledger.find_one(Session, task.carries) if task.carries else None
    if session is None or not is_only_in_its_tree(session):
        return None
    return None if any(_took_up(one, session) for one in every(ctx.ledger, Session, {"task_id": task.id})) else session


def _took_up(one: Session, earlier: Session) -> bool:
    """Whether it went on from an earlier attempt and ended well: its own work holds that of the other."""
    return one.goes_on == earlier.id and one.status == COMPLETED and not one.sent_back


def is_only_in_its_tree(session: Session) -> bool:
    """Whether its work is nowhere else, and was not given up."""
    is_kept = bool(session.worktree) and bool(session.patch)
    return is_kept and session.dod_result != MERGED and session.merge.get("how") != DISCARD


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
    """What a worker is told of what people said, what stood in the way before, and where the earlier work is."""
    rows = feedback(ctx, task)
    said = [f"{SAID}\n{feedback_text(rows)}"] if rows else []
    if found := setbacks(ctx, task):
        said.append("\n".join([IN_THE_WAY, *map(_setback, found)]))
    if session:
        said.append((HERE if is_here else ELSEWHERE).format(number=session.number, branch=session.branch))
    return "\n\n".join(said)


def _setback(row: Json) -> str:
    words, text = lines_of(row)
    return f"- {words}\n{quoted(text)}"
