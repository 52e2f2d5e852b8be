"""How sessions read in answers of the tools that speak camelCase."""

from __future__ import annotations

from deedlog.core import account, page
from deedlog.core.moment import iso
from deedlog.core.output import Output
from deedlog.core.task import RUNNING, Session, Task
from deedlog.work.reading import usage_row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from deedlog.ports import Context, Ledger

    Json = dict[str, Any]

MILLISECOND = 1_000
FILES_CHARACTERS = 12_000  # of the files in an answer; `task_changes` has all


def session_row(ctx: Context, session: Session, task: Task | None = None) -> Json:
    """A session as lists have it; `task` saves asking for it."""
    known = task or ctx.ledger.get(Task, session.task_id)
    row: Json = {
        "id": session.number,
        "taskId": known.number,
        "agent": session.agent or None,
        "status": session.status,
        "startedAt": iso(session.started_at),
        "endedAt": iso(session.ended_at) if session.ended_at is not None else None,
        "durationMs": duration_ms(ctx, session),
        "exitCode": session.exit_code,
        "dodResult": session.dod_result,
        "sessionGroupId": session.group or None,
    }
    more = told(branch=session.branch, worktree=session.worktree, result=session.result, sentBack=session.sent_back)
    return row | more


def session_details(ctx: Context, session: Session, task: Task | None = None) -> Json:
    """All that is known of one session, but for what it printed."""
    known = task or ctx.ledger.get(Task, session.task_id)
    row = session_row(ctx, session, known) | {
        "taskTitle": known.name,
        "actor": session.actor,
        "selected": known.selected_session_id == session.id,
        "artifacts": artifacts(session),
        "violations": session.violations,
        "files": file_counts(session),
        "outputLines": session.lines or recorded_lines(ctx.ledger, session),
    }
    return row | told(
        signal=session.signal,
        error=session.error,
        changesUnknown=session.changes_unknown,
        verification=camel_verification(session.verification),
        checks=session.checks,
        usage=usage_row(session.usage),
        budget=session.budget,
        scope=session.scope,
        enforcement=session.enforcement,
        repositoryChanges=session.repository_changes,
        client=session.client,
        model=session.model,
        target=session.target,
        base=session.base,
        commit=session.commit,
        merge=session.merge,
        judged=session.judged,
        command=session.command,
        host=session.host,
        timeoutSeconds=session.timeout_seconds,
        epoch=session.epoch,
        outcome=session.outcome,
        listens=session.status == RUNNING and session.interactive and not session.input_closed,
    )


def ended_row(ctx: Context, task: Task, session: Session, rows: Sequence[Json], warnings: Sequence[str]) -> Json:
    """What whoever ended a session is told; `task` is as it is then."""
    changed = {
        "files": account.files_changed(rows),
        "artifacts": artifacts(session),
        "violations": session.violations,
        "warnings": list(dict.fromkeys(warnings)),
    }
    cut = page.shortened(changed, FILES_CHARACTERS)
    return {
        "sessionId": session.number,
        "taskId": task.number,
        "status": session.status,
        "taskStatus": task.status,
        "exitCode": session.exit_code,
        "dodResult": session.dod_result,
        "endedAt": iso(session.ended_at if session.ended_at is not None else ctx.now),
        "durationMs": duration_ms(ctx, session),
        **cut,
        "fileCounts": file_counts(session),
        **told(signal=session.signal, error=session.error, changesUnknown=session.changes_unknown),
        **told(truncated=cut != changed),
    }


def told(**values: Any) -> Json:
    """Only what there is."""
    return {name: value for name, value in values.items() if value not in (None, "", [], {}, 0, False)}


def artifacts(session: Session) -> list[str]:
    """What it made or changed: what Deedlog found first, then what else was told."""
    return list(dict.fromkeys([*session.files, *session.artifacts]))


def file_counts(session: Session) -> Json:
    return {
        "added": session.counts.get("added", 0),
        "modified": session.counts.get("modified", 0),
        "deleted": session.counts.get("deleted", 0),
        "linesAdded": session.counts.get("lines_added", 0),
        "linesDeleted": session.counts.get("lines_deleted", 0),
        **{name: session.counts[name] for name in ("renamed",) if name in session.counts},
    }


def camel_verification(verification: Json) -> Json:
    names = {"scope_match": "scopeMatch", "unexpected_files": "unexpectedFiles"}
    return {names.get(name, name): value for name, value in verification.items()}


def duration_ms(ctx: Context, session: Session) -> int:
    end = session.ended_at if session.ended_at is not None else ctx.now
    return max(0, end - session.started_at) // MILLISECOND


def recorded_lines(ledger: Ledger, session: Session) -> int:
    """How many lines of a session's output were recorded."""
    found = ledger.find(Output, {"session_id": session.id}, limit=1)
    return found[0].first + len(found[0].lines) - 1 if found else 0
