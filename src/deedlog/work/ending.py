"""What ending a session means, whoever ends it: its caller, its supervisor, or somebody who finds it dead.

    evidence = looked_at(ctx, task, session)
    ending = ended(ctx, task, session, told, evidence)
    ctx.commit(*values(ctx, task, ending), answer=…)
    let_go(ctx, evidence)

`conclude` does all that, again where others get ahead.
"""

from __future__ import annotations

from deedlog.core import account, page, question
from deedlog.core.ending import BUDGET, STOPPED, Told, detailed, dod_after, error_of, signal_of, status_after
from deedlog.core.errors import DeedlogError
from deedlog.core.remark import COMMENTED, OPEN, OUT_OF_SCOPE, OVER_BUDGET, REPOSITORY, WORKER_FAILED, Comment
from deedlog.core.task import COMPLETED, FAILED, MERGED, RUNNING, Session, Task, findable
from deedlog.core.value import Value
from deedlog.core.violation import fingerprint, meant, violations
from deedlog.work.board import resting_on, with_sessions
from deedlog.work.evidence import Evidence, gathered, kept, let_go
from deedlog.work.last_words import HINT, OUTPUT, with_last_words
from deedlog.work.lookup import every, repeated, review
from deedlog.work.preparing import path_of
from deedlog.work.repository_changes import repository_changes, warning
from deedlog.work.session_rows import recorded_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from deedlog.core.remark import Review
    from deedlog.core.value import Entity
    from deedlog.ports import Answer, Context

    Json = dict[str, Any]

STORED_CHARACTERS = 5_000  # of a verification, and of violations: the whole is kept with the changes
MOST_PROBLEM = 500
OUTSIDE_OF_SESSION = "changed outside the session's scope"


class Ending(Value):
    """A session as it is once it ended, and what that asks of people.

    `rows` are what it changed, see `core.account`. `violations` are all of them; the session has as many as fit.
    """

    session: Session
    rows: list[Json] = []  # noqa: RUF012  # values are never changed in place
    violations: list[dict[str, str]] = []  # noqa: RUF012
    verified: Json = {}  # noqa: RUF012
    reviews: list[Review] = []  # noqa: RUF012
    warnings: list[str] = []  # noqa: RUF012
    again: bool = False  # it had ended before


def looked_at(ctx: Context, task: Task, session: Session) -> Evidence:
    """What a session did to its tree. That nobody can tell is no reason to let it run for ever."""
    if session.snapshot_id:
        said = taken_back(ctx, session)
        changed = repository_changes(ctx, session)
        said += [warning(changed)] if changed else []
        found = gathered(ctx, task, session, or_nothing=True)
        return found.replace(warnings=[*said, *found.warnings], repository=changed)
    unknown = f"the changes of {session.ref} are not known: nobody took a snapshot when it started"
    return Evidence(session=session, warnings=[unknown], unknown=unknown)


def taken_back(ctx: Context, session: Session) -> list[str]:
    """Bring what a worker committed into the user's repository; what a person should know of that."""
    if not session.worktree or not session.process:
        return []
    try:
        return ctx.worktrees.take_back(path_of(ctx, session))
    except DeedlogError as error:
        return [f"the commits of {session.ref} could not be taken back: {error.message}"]


def ended(ctx: Context, task: Task, session: Session, told: Told, evidence: Evidence) -> Ending:
    """The session ended as it was told, with what it did."""
    if told.reason == STOPPED and not told.message and session.stop:
        told = told.replace(message=session.stop.get("reason", ""))
    outside = violations(evidence.rows, session.scope)
    verified = verification(task, evidence, outside)
    closed = session.replace(
        **found_out(ctx, evidence, verified, outside),
        status=status_after(told),
        exit_code=told.exit_code,
        signal=signal_of(told),
        error=with_last_words(ctx, session, error_of(told)) if status_after(told) == FAILED else error_of(told),
        dod_result=dod_after(session.dod_result, told.dod_result),
        artifacts=list(dict.fromkeys([*session.artifacts, *told.artifacts])),
        usage={**session.usage, **told.usage},
        lines=recorded_lines(ctx.ledger, session),
        tip=_tip(ctx, session),
        repository_changes=page.fitting(evidence.repository, room=STORED_CHARACTERS),
        files=findable(account.own_paths(evidence.rows), session.outcome, session.metadata, told.artifacts),
    )
    return Ending(
        session=closed,
        rows=evidence.rows,
        violations=outside,
        verified=verified,
        reviews=[
            *of_its_changes(ctx, task, session, verified, evidence, outside),
            *_of_repository(ctx, task, session, evidence),
            *_of_its_end(ctx, task, closed, told),
        ],
        warnings=[*verified["warnings"], *_not_merged(ctx, closed, told), *_not_seen(told, evidence)],
    )


def _tip(ctx: Context, session: Session) -> str:
    """Where the branch of a worker is, so that its work is known again when the branch is gone."""
    if not session.worktree or not session.branch:
        return ""
    try:
        return ctx.worktrees.tip(session.branch)
    except DeedlogError:
        return ""


def verification(task: Task, evidence: Evidence, outside: list[dict[str, str]]) -> Json:
    """Whether it stayed in the task's areas and in its own scope."""
    found = account.verification(evidence.rows, task.areas, evidence.warnings)
    if evidence.unknown:
        found["scope_match"] = False
    if outside:
        paths = dict.fromkeys([*(one["path"] for one in outside), *found["unexpected_files"]])
        said = f"{account.WARNED} {len(outside)} file(s) {OUTSIDE_OF_SESSION}"
        found |= {"scope_match": False, "unexpected_files": [*paths], "warnings": [said, *found["warnings"]]}
    return found


def found_out(ctx: Context, evidence: Evidence, verified: Json, outside: list[dict[str, str]]) -> Json:
    """The fields of a session that say what it did and when it ended; `files` is for the caller to say."""
    counts = {} if evidence.unknown else account.counts(evidence.rows)
    return {
        **kept(ctx, evidence),
        "ended_at": ctx.now,
        "changes_unknown": bool(evidence.unknown),
        "counts": counts | ({"violations": len(outside)} if outside else {}),
        "verification": page.condensed(verified, STORED_CHARACTERS),
        "violations": page.fitting(outside, room=STORED_CHARACTERS),
    }


def of_its_changes(
    ctx: Context,
    task: Task,
    session: Session,
    verified: Json,
    evidence: Evidence,
    outside: Sequence[Mapping[str, str]] = (),
) -> list[Review]:
    """The questions for a person about what a session changed. `outside` are its violations."""
    if evidence.unknown:
        asked = question.unknown(task, evidence.unknown.partition(": ")[2])
        return [review(ctx, task, about=session.uri, reason="changes_unknown", question=asked)]
    if verified["scope_match"]:
        return []
    asked = scope_question(task, verified)
    judged = fingerprint([meant(one["path"]) for one in outside], evidence.contents)
    return [review(ctx, task, about=session.uri, reason=OUT_OF_SCOPE, question=asked, judged=judged)]


def _of_repository(ctx: Context, task: Task, session: Session, evidence: Evidence) -> list[Review]:
    """A worker without a sandbox may have changed the repository; a person who runs a command knows what they did."""
    if not evidence.repository or session.enforcement != "none":
        return []
    names = [row["what"] for row in evidence.repository]
    asked = question.repository(task, names)
    return [review(ctx, task, about=session.uri, reason=REPOSITORY, question=asked)]


def scope_question(task: Task, verified: Json) -> str:
    areas = [] if verified["warnings"][0].endswith(OUTSIDE_OF_SESSION) else task.areas
    return question.outside(task, verified["unexpected_files"], areas)


def of_comments(ctx: Context, task: Task, session: Session) -> list[Review]:
    """Work that people commented on and that was done again: they see whether it is as they meant."""
    found = [one.created_at for one in every(ctx.ledger, Comment, {"task_id": task.id, "status": OPEN})]
    if not found:
        return []
    asked = question.commented(task, len(found), unseen=sum(made > session.started_at for made in found))
    return [review(ctx, task, about=session.uri, reason=COMMENTED, question=asked)]


def _of_its_end(ctx: Context, task: Task, session: Session, told: Told) -> list[Review]:
    """A worker that failed leaves its work tree behind, and nobody was there to see it."""
    if session.status == COMPLETED:
        return of_comments(ctx, task, session)
    if session.status != FAILED or not session.worktree:
        return []
    reason = OVER_BUDGET if told.reason == BUDGET else WORKER_FAILED
    problem = session.error.get("message", "")[:MOST_PROBLEM]
    said = [f"It said last: {session.error[OUTPUT]}"] if OUTPUT in session.error else []
    said += [f"Note: {session.error[HINT]}"] if HINT in session.error else []
    asked = question.failed(task, session, problem, said)
    return [review(ctx, task, about=session.uri, reason=reason, question=asked)]


def _not_merged(ctx: Context, session: Session, told: Told) -> list[str]:
    """What git says against it, where a session is told to be merged."""
    if told.dod_result != MERGED or not session.branch:
        return []
    try:
        target = session.target or ctx.worktrees.target(ctx.settings["base_branch"])
        if target == session.branch or ctx.worktrees.merged(session.branch, session.base, target):
            return []
    except DeedlogError:
        return []  # the branch is gone, or there is no git: nobody can tell
    return [f"git does not find the commits of {session.branch} in {target}: `merged` is recorded as it was told"]


def _not_seen(told: Told, evidence: Evidence) -> list[str]:
    seen = {row["path"] for row in evidence.rows}
    missing = [path for path in told.artifacts if path.removeprefix("./") not in seen]
    if not missing or evidence.unknown:
        return []
    return [f"{len(missing)} artifact(s) are not among the changes that were found: {', '.join(missing)}"]


def values(ctx: Context, task: Task, *endings: Ending) -> list[Entity]:
    """All that is to be committed together: the sessions, their reviews, the task and what follows from it."""
    sessions = [ending.session for ending in endings]
    return [
        *sessions,
        *with_sessions(ctx, task, *sessions),
        *(found for ending in endings for found in ending.reviews),
    ]


def conclude(
    ctx: Context,
    session_id: str,
    told: Told,
    *,
    answer: Callable[[Task, Ending], Answer],
    check: Callable[[Task, Session], None] | None = None,
) -> Answer:
    """End a session and commit that; one that ended before only gets the details it lacks.

    `answer` is told the task as it will be. `check` may refuse, each time the session was read.
    """
    found: dict[str, Evidence] = {}

    def attempt() -> Answer:
        seen = ctx.ledger.head()
        session = ctx.ledger.get(Session, session_id)
        task = ctx.ledger.get(Task, session.task_id)
        if check:
            check(task, session)
        if session.status != RUNNING:
            ending = _with_details(ctx, session, told)
        else:
            if session.id not in found:
                found[session.id] = looked_at(ctx, task, session)
            ending = ended(ctx, task, session, told, found[session.id])
        changed = values(ctx, task, ending) if ending.session != session else []
        after = next((value for value in changed if isinstance(value, Task) and value.id == task.id), task)
        return ctx.commit(*changed, answer=answer(after, ending), seen=resting_on(task, seen))

    try:
        return repeated(attempt)
    finally:
        for evidence in found.values():
            let_go(ctx, evidence)


def _with_details(ctx: Context, session: Session, told: Told) -> Ending:
    from deedlog.work.reading import changes_of

    new, warnings = detailed(session, told)
    return Ending(
        session=new,
        rows=changes_of(ctx, session),
        violations=session.violations,
        verified=session.verification,
        warnings=[*warnings, *_not_merged(ctx, new, told)],
        again=True,
    )
