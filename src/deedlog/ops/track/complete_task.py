from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from deedlog.core import account, page
from deedlog.core.caller import ANYONE
from deedlog.core.errors import Conflict, DeedlogError
from deedlog.core.moment import seconds_between
from deedlog.core.queue import check_epoch, check_holder, is_held
from deedlog.core.remark import Review
from deedlog.core.task import (
    FAILED,
    IN_PROGRESS,
    MOST_OUTCOME,
    RUNNING,
    Session,
    Task,
    ended,
    findable,
    fitting,
    not_in_progress,
)
from deedlog.core.violation import violations
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context, EventQuery
from deedlog.work import ending
from deedlog.work.board import resting_on, with_sessions
from deedlog.work.deciding import at_completion
from deedlog.work.evidence import Evidence, gathered, let_go
from deedlog.work.lookup import every, last_session, refuse_open, repeated, review, unfinished_tasks
from deedlog.work.task_inputs import Epoch

WARNING_CHARACTERS = 4_000
CALLED = {"result": "status"}  # what the caller calls a field of the session


class Outcome(TypedDict):
    summary: Annotated[str, Field("Summary of what was accomplished (2-4 sentences)", min_length=1, max_length=10_000)]
    achievements: NotRequired[Annotated[list[str], Field("Concrete achievements (empty array if none)")]]
    limitations: NotRequired[Annotated[list[str], Field("Limitations/compromises (empty array if none)")]]
    manual_review_needed: NotRequired[
        Annotated[bool, Field("Does a human need to review before continuing?", rare=True)]
    ]
    manual_review_reason: NotRequired[Annotated[str, Field("Why manual review is needed", rare=True)]]
    next_steps: NotRequired[Annotated[list[str], Field("Suggested next steps (optional)")]]


class Metadata(TypedDict, total=False):
    packages_added: list[str]
    packages_removed: list[str]
    commands_executed: list[str]
    tests_status: Literal["passed", "failed", "not_run"]


class FilesChanged(TypedDict):
    added: list[str]
    modified: list[str]
    deleted: list[str]


class Verification(TypedDict):
    scope_match: bool
    unexpected_files: list[str]
    warnings: list[str]
    reasons: NotRequired[list[str]]


class Completed(TypedDict):
    task_id: str
    duration_seconds: int
    changes_unknown: NotRequired[bool]
    files_changed: FilesChanged
    verification: Verification
    renamed: NotRequired[list[dict[str, str]]]
    arrived: NotRequired[list[str]]
    shared: NotRequired[list[dict[str, Any]]]
    in_subtasks: NotRequired[list[dict[str, str]]]
    deedlog_files: NotRequired[list[str]]
    lines: NotRequired[dict[str, int]]
    truncated: NotRequired[bool]


@operation(
    Effect.WRITE,
    capability="tracking",
    callers=ANYONE,
    words="task complete",
    everyday=6,
    waits=True,
    examples=(
        "deedlog task complete task-5 success 'The middleware verifies tokens' --metadata.tests-status passed",
        "deedlog task complete task-5 failed 'Nothing worked' --outcome.next-steps 'Ask upstream'",
    ),
)
def complete_task(
    ctx: Context,
    *,
    task_id: Annotated[str, Field("Task ID", min_length=1, max_length=80)],
    status: Annotated[Literal["success", "partial_success", "failed"], Field("How it ended")],
    outcome: Annotated[Outcome, Field("What came of it (in at most 20,000 characters)")],
    metadata: Annotated[Metadata | None, Field("What was done beside editing files", rare=True)] = None,
    changes_unknown: Annotated[
        bool, Field("Complete it even if its changes cannot be determined; a person will be asked", rare=True)
    ] = False,
    epoch: Epoch = None,
) -> Completed:
    """Complete a task and compute file changes via Git diff.

    The files are computed, never claimed: committed or not, against the state at start_task. Repeating the
    call with the same arguments returns the same answer; open subtasks must be completed first.
    """
    said = {
        "result": status,
        "outcome": fitting("outcome", dict(outcome), MOST_OUTCOME),
        "metadata": fitting("metadata", dict(metadata or {})),
    }
    found: dict[str, Evidence] = {}

    def attempt() -> Completed:
        seen = ctx.ledger.head()
        task = ctx.ledger.get(Task, task_id)
        if task.status != IN_PROGRESS:
            return _again(ctx, task, said)
        _refuse_open_subtasks(ctx, task)
        session = _running(ctx, task)
        check_epoch(task, epoch)
        if session.actor != ctx.actor and is_held(task, ctx.now):
            check_holder(task, epoch, ctx.actor)
        if session.id not in found:
            try:
                found[session.id] = gathered(ctx, task, session, or_nothing=changes_unknown)
            except DeedlogError:
                if ctx.ledger.get(Task, task.id) == task:
                    raise
                return attempt()  # somebody else completed it meanwhile, and let its start go
        return _end(ctx, task, session, said, found[session.id], seen)

    try:
        return repeated(attempt)
    finally:
        for evidence in found.values():
            let_go(ctx, evidence)


def _again(ctx: Context, task: Task, said: dict[str, Any]) -> Completed:
    """What the first call answered, if this one says the same."""
    session = last_session(ctx.ledger, task)
    if session is None:
        raise not_in_progress(task)
    if session.sent_back:
        raise Conflict(
            f"{task.ref} was sent back by a person: what was done counts no more",
            hint="task_get has what they said; call session_start before any change: only what follows is counted",
            data={"task_id": task.ref, "status": task.status},
        )
    query = EventQuery(subject=session.uri, operation="complete_task", last=True, limit=1)
    op_id = next((event.op_id for event in ctx.ledger.events(query)), "")
    differing = [CALLED.get(name, name) for name, value in said.items() if session.fields()[name] != value]
    if differing or not op_id:
        raise not_in_progress(task, session, differing, op_id)
    answer: Completed = ctx.ledger.op(op_id).answer
    return answer


def _running(ctx: Context, task: Task) -> Session:
    """The session to end: the caller's own if there are several. What a supervisor runs it also ends."""
    found = list(every(ctx.ledger, Session, {"task_id": task.id, "status": RUNNING}))
    candidates = [session for session in found if not session.process]
    if not candidates:
        raise _ends_by_itself(task, found[0]) if found else not_in_progress(task, last_session(ctx.ledger, task))
    return next((session for session in candidates if session.actor == ctx.actor), candidates[0])


def _ends_by_itself(task: Task, session: Session) -> Conflict:
    return Conflict(
        f"{task.ref} is worked on by the worker of {session.ref}: what it did is recorded when it exits",
        hint="just end your work; worker_done then checks and merges it",
        data={"task_id": task.ref, "session_id": session.number},
    )


def _refuse_open_subtasks(ctx: Context, task: Task) -> None:
    refuse_open(unfinished_tasks(ctx.ledger, {"parent_id": task.id}), f"{task.ref} has open subtasks")


def _end(ctx: Context, task: Task, session: Session, said: dict[str, Any], evidence: Evidence, seen: int) -> Completed:
    outside = violations(evidence.rows, session.scope)
    found: Any = ending.verification(task, evidence, outside)
    found["warnings"] = [*found["warnings"], *at_completion(ctx, task, session, said["metadata"], evidence)]
    verified: Verification = found
    closed = ended(session, said["result"]).replace(
        **said,
        **ending.found_out(ctx, evidence, found, outside),
        files=findable(account.own_paths(evidence.rows), said["outcome"], said["metadata"]),
    )
    return ctx.commit(
        closed,
        *with_sessions(ctx, task, closed),
        *_manual_review(ctx, task, session, said["outcome"]),
        *ending.of_its_changes(ctx, task, session, found, evidence),
        *(ending.of_comments(ctx, task, session) if said["result"] != FAILED else []),
        answer=_answer(task, closed, verified, evidence),
        seen=resting_on(task, seen, task.uri),
    )


def _manual_review(ctx: Context, task: Task, session: Session, outcome: Outcome) -> list[Review]:
    if not outcome.get("manual_review_needed"):
        return []
    question = outcome.get("manual_review_reason") or outcome["summary"]
    return [review(ctx, task, about=session.uri, reason="manual_review", question=question)]


def _answer(task: Task, session: Session, verified: Verification, evidence: Evidence) -> Completed:
    """All of it, or the beginning of every list where an answer cannot hold all."""
    whole = {
        "task_id": task.ref,
        "duration_seconds": seconds_between(session.started_at, session.ended_at or session.started_at),
        **({"changes_unknown": True} if evidence.unknown else {}),
        "files_changed": account.files_changed(evidence.rows),
        "verification": verified | {"warnings": []},
        **account.apart(evidence.rows),
    }
    answer: Any = page.shortened(whole, page.MOST_CHARACTERS - WARNING_CHARACTERS)
    warnings = verified["warnings"]
    if answer != whole:
        answer["truncated"] = True
        warnings = [*warnings[:1], f"the lists are cut: `deedlog task changes {task.ref} --all` has all", *warnings[1:]]
    answer["verification"]["warnings"] = page.condensed(warnings, WARNING_CHARACTERS)
    completed: Completed = answer
    return completed
