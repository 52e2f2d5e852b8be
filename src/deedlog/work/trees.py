"""Which work trees there are, and whose they are."""

from __future__ import annotations

import re

from deedlog.core.errors import DeedlogError
from deedlog.core.task import Session, Task
from deedlog.work.lookup import every
from deedlog.work.preparing import TREES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from deedlog.ports import Context

NAME = re.compile(r"task-([0-9]{1,16})(?:-s([0-9]{1,16}))?")


def sessions_of_trees(ctx: Context, names: Iterable[str] | None = None) -> list[Session]:
    """The sessions whose work trees are there, oldest first."""
    found = (session_of_tree(ctx, name) for name in (ctx.worktrees.names() if names is None else names))
    return sorted((session for session in found if session), key=lambda session: session.number)


def session_of_tree(ctx: Context, name: str) -> Session | None:
    meant = NAME.fullmatch(name)
    if meant is None:
        return None
    worktree = f"{TREES}/{name}"
    if meant[2]:
        session = ctx.ledger.find_one(Session, meant[2])
        return session if session and session.worktree == worktree else None
    task = ctx.ledger.find_one(Task, meant[1])
    sessions = every(ctx.ledger, Session, {"task_id": task.id}) if task else ()
    return next((session for session in sessions if session.worktree == worktree), None)


def merged_elsewhere(ctx: Context, session: Session) -> str:
    """How the work of a session came into its target by somebody else's hand; empty where it did not."""
    if not session.branch or not session.target:
        return ""
    try:
        return ctx.worktrees.merged(session.branch, session.base, session.target, session.tip)
    except DeedlogError:
        return ""  # git cannot tell
