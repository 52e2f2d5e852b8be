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
ANYWHERE = ""
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
    rows = ctx.worktrees.changed_since(before, session.started_at)
    merged = _merged(ctx) if rows else set()
    return [row for row in rows if not {(_ref(row["what"]), at) for at in (row["after"], ANYWHERE)} & merged]


def _ref(what: str) -> str:
    """The ref that is meant; for a branch's settings and its reflog, that branch."""
    if what.startswith(SETTING):
        return HEADS + what.removeprefix(SETTING).rpartition(".")[0]
    return what.removeprefix(LOGS)


def _merged(ctx: Context) -> set[tuple[str, str]]:
    """Where Deedlog moved branches, by the ledger; a session's own branch may be anywhere, or gone."""
    found = set()
    for session in every(ctx.ledger, Session, {}):
        if session.worktree and session.branch:
            found.add((HEADS + session.branch, ANYWHERE))
        if session.merge.get("target") and session.merge.get("commit"):
            found.add((HEADS + session.merge["target"], session.merge["commit"]))
    return found


def warning(changes: list[dict[str, str]]) -> str:
    named = ", ".join(row["what"] for row in changes[:MOST_NAMED])
    more = f" and {len(changes) - MOST_NAMED} more" if len(changes) > MOST_NAMED else ""
    return f"the repository was changed directly while the worker ran, and no sandbox held it: {named}{more}"
