"""Direct changes of the user's repository while a worker ran that no sandbox held."""

from __future__ import annotations

import json

from deedlog.core.errors import NotFound
from deedlog.core.task import Session
from deedlog.work.lookup import every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.ports import Context

UNHELD = ("", "none")  # a command that a person runs, and a machine without a sandbox
HEADS, LOGS, SETTING = "refs/heads/", "logs/", "config branch."
MOST_NAMED = 5


def fingerprint(ctx: Context) -> str:
    """The digest under which the state of the repository is kept, for a session that starts."""
    return ctx.ledger.keep(json.dumps(ctx.worktrees.fingerprint(), sort_keys=True).encode())


def repository_changes(ctx: Context, session: Session) -> list[dict[str, str]]:
    """What differs since the session started and was not done by Deedlog."""
    if not session.fingerprint or session.enforcement not in UNHELD:
        return []
    try:
        before: dict[str, str] = json.loads(ctx.ledger.kept(session.fingerprint))
    except NotFound as error:
        return [{"what": "the fingerprint", "before": "", "after": error.message}]
    sessions = list(every(ctx.ledger, Session, {}))
    rows = ctx.worktrees.changed_since(before, session.started_at, _merged(sessions))
    branches = {HEADS + one.branch: one for one in sessions if one.worktree and one.branch}
    return [row for row in rows if not _is_work(row, branches.get(_ref(row["what"])), session)]


def _ref(what: str) -> str:
    """The ref that is meant; for a branch's settings and its reflog, that branch."""
    if what.startswith(SETTING):
        return HEADS + what.removeprefix(SETTING).rpartition(".")[0]
    return what.removeprefix(LOGS)


def _merged(sessions: list[Session]) -> set[tuple[str, str]]:
    """Where Deedlog moved branches, by the ledger."""
    merges = [session.merge for session in sessions if session.merge.get("commit")]
    return {(HEADS + merge["target"], merge["commit"]) for merge in merges}


def _is_work(row: dict[str, str], of: Session | None, session: Session) -> bool:
    """Whether a branch of a session moved as sessions do: by its own worker, while that was at it, or removed."""
    if of is None or row["after"].startswith(("ref: ", "link: ")):
        return False
    if of.id == session.id or of.ended_at is None or of.ended_at >= session.started_at:
        return True
    is_gone = not row["after"] and bool(of.commit)
    return is_gone or not row["what"].startswith(HEADS) or row["after"] == of.tip


def warning(changes: list[dict[str, str]]) -> str:
    named = ", ".join(row["what"] for row in changes[:MOST_NAMED])
    more = f" and {len(changes) - MOST_NAMED} more" if len(changes) > MOST_NAMED else ""
    return f"the repository was changed directly while the worker ran, and no sandbox held it: {named}{more}"
