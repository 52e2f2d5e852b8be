"""What stood in the way of the last attempt at a task, for the next one: it shall not end the same way."""

from __future__ import annotations

from deedlog.core.attention import CHECKS, CONFLICT
from deedlog.core.check import failed
from deedlog.core.remark import APPROVED, OUT_OF_SCOPE, Review
from deedlog.core.task import FAILED, MERGED, Session, Task
from deedlog.core.terminal import plain
from deedlog.work.last_words import OUTPUT
from deedlog.work.lookup import every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.ports import Context

    Json = dict[str, Any]

MOST_CHECKS = 5
MOST_PATHS = 30
LONGEST_PRINTED = 1_500  # characters of the end of what a check printed
WORDS = {
    CHECKS: "The check {label} of session {number} did not pass. It printed last:",
    CONFLICT: "The work of session {number} conflicted with what the project is now, in these files:",
    OUT_OF_SCOPE: "Session {number} changed files outside of what this task may change:",
    FAILED: "Session {number} failed:",
}


def setbacks(ctx: Context, task: Task) -> list[Json]:
    """Each with its reason and what there is to know; nothing that a person approved, nor of work that was merged."""
    session = _last(ctx, task)
    if session is None or session.dod_result == MERGED:
        return []
    asked = [one for one in every(ctx.ledger, Review, {"task_id": task.id}) if one.about == session.uri]
    right = {one.reason for one in asked if one.verdict == APPROVED}
    found = [*_checks(session), *_paths(session, asked), *_failure(session)]
    return [{"session_id": session.ref, **row} for row in found if row["reason"] not in right]


def _last(ctx: Context, task: Task) -> Session | None:
    """The attempt whose work is gone on from, else the last that ended."""
    if task.carries and (carried := ctx.ledger.find_one(Session, task.carries)):
        return carried
    return next((one for one in every(ctx.ledger, Session, {"task_id": task.id}) if one.ended_at is not None), None)


def _checks(session: Session) -> list[Json]:
    labels = failed(session.checks)[:MOST_CHECKS]
    rows = [row for row in session.checks if row["label"] in labels and not row["passed"]]
    return [{"reason": CHECKS, "check": row["label"], "output": _printed(row)} for row in rows]


def _printed(row: Json) -> str:
    """The end of what a check printed, whole lines of it where they are short enough, as it looked."""
    text = "\n".join(plain(line) for line in str(row.get("output", "")).splitlines()).strip()
    if len(text) > LONGEST_PRINTED:
        end = text[-LONGEST_PRINTED:]
        text = f"…\n{end[end.find(chr(10)) + 1 :]}"
    return "\n".join(filter(None, [text, row.get("problem", "")]))


def _paths(session: Session, asked: list[Review]) -> list[Json]:
    in_conflict = next((one.paths for one in asked if one.reason == CONFLICT), [])
    strayed = [one["path"] for one in session.violations]
    outside = [*dict.fromkeys([*strayed, *session.verification.get("unexpected_files", [])])]
    found = {CONFLICT: in_conflict, OUT_OF_SCOPE: outside}
    return [
        {"reason": reason, "paths": paths[:MOST_PATHS], **_more(len(paths))} for reason, paths in found.items() if paths
    ]


def _more(count: int) -> Json:
    return {"left_out": count - MOST_PATHS} if count > MOST_PATHS else {}


def _failure(session: Session) -> list[Json]:
    if session.status != FAILED:
        return []
    said = [session.error.get("message", ""), session.error.get(OUTPUT, "")]
    return [{"reason": FAILED, "output": "\n".join(filter(None, said))[-LONGEST_PRINTED:]}]


def lines_of(row: Json) -> tuple[str, str]:
    """A row for a prompt: what it is, and what is to be quoted."""
    words = WORDS[row["reason"]].format(label=row.get("check", ""), number=row["session_id"].rpartition("-")[2])
    more = [f"and {row['left_out']} more"] if "left_out" in row else []
    return words, row["output"] if "output" in row else "\n".join([*row["paths"], *more])
