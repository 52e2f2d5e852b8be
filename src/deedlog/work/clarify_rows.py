"""How a clarification is told, in the document's shapes."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

from deedlog.core.clarification import OPEN, Clarification
from deedlog.core.clarify.asking import pending, questions_of
from deedlog.core.clarify.task import before, still_open, supposed
from deedlog.core.clarify.values import MULTI, Decided, Question, Reason, Verdict
from deedlog.core.moment import SECOND, iso
from deedlog.core.words import one_line
from deedlog.ports import Context

MOST_REASONS = 12
SHORT_INTENTION = 200
EXPIRED = "expired"


class DocumentQuestion(TypedDict):
    id: str
    type: str
    question: str
    options: NotRequired[list[str]]
    min_selections: NotRequired[int]
    optional: NotRequired[bool]


class Asked(DocumentQuestion):
    recommended: NotRequired[str]
    why: NotRequired[str]
    tells: NotRequired[dict[str, str]]
    language: NotRequired[str]


class Progress(TypedDict):
    asked_so_far: int
    answered: int
    skipped: NotRequired[int]


class Artifact(TypedDict):
    path: str
    type: str
    uid: NotRequired[str]


class Assumed(TypedDict):
    field: str
    value: str
    source: str
    detail: NotRequired[str]


class Why(TypedDict):
    rule: str
    about: str
    text: NotRequired[str]


class Clarified(TypedDict):
    """The document's answers. What it does not have is named only: every agent pays for schemas."""

    status: Literal["needs_clarification", "completed"]
    session_id: str
    questions: NotRequired[list[DocumentQuestion]]
    progress: NotRequired[Progress]
    artifacts_created: NotRequired[list[Artifact]]
    summary: NotRequired[str]
    warning: NotRequired[Any]
    message: NotRequired[Any]
    expires_at: NotRequired[Any]
    adr_uid: NotRequired[Any]
    task_uid: NotRequired[Any]
    decided: NotRequired[Any]
    rejected: NotRequired[Any]
    removed: NotRequired[Any]
    assumptions: NotRequired[Any]
    why: NotRequired[Any]
    notes: NotRequired[Any]
    elicitation: NotRequired[Any]
    language: NotRequired[Any]


class ClarificationRow(TypedDict):
    session_id: str
    status: str
    user_intention: str
    questions_open: int
    created_at: str
    tree: str
    expires_at: NotRequired[str]
    adr_uid: NotRequired[str]


class ClarificationDetails(ClarificationRow):
    optional_context: NotRequired[str]
    force_adr: NotRequired[bool]
    waive_adr: NotRequired[bool]
    asked: list[Asked]
    questions: list[Asked]
    progress: Progress
    answers: dict[str, Any]
    skipped: list[str]
    result: NotRequired[dict[str, Any]]


def asked_row(question: Question) -> Asked:
    row: Asked = {"id": question.id, "type": question.type, "question": question.question}
    if question.options:
        row["options"] = question.options
    if question.type == MULTI:
        row["min_selections"] = question.min_selections
    if question.optional:
        row["optional"] = True
    if question.recommended:
        row["recommended"] = question.recommended
    if question.why:
        row["why"] = question.why
    if question.tells:
        row["tells"] = question.tells
    if question.language not in ("", "en"):
        row["language"] = question.language
    return row


def progress_of(session: Clarification) -> Progress:
    open_ids = {question.follows or question.id for question in pending(session)}
    done = [name for name in session.answers if name not in open_ids]
    found: Progress = {"asked_so_far": len(session.questions), "answered": len(done)}
    if session.skipped:
        found["skipped"] = len(session.skipped)
    return found


def assumed_row(one: Decided) -> Assumed:
    row: Assumed = {"field": one.key.strip(".") or one.detail, "value": one.value, "source": one.source}
    if one.detail:
        row["detail"] = one.detail
    return row


def why_row(reason: Reason) -> Why:
    row: Why = {"rule": reason.rule, "about": reason.about}
    if reason.text:
        row["text"] = one_line(reason.text)
    return row


def explained(answer: Clarified, verdict: Verdict, notes: list[str]) -> Clarified:
    """An answer with what was understood, and what that is based on."""
    if decided := [*verdict.decided, *before(verdict)]:
        answer["decided"] = [assumed_row(one) for one in decided]
    if verdict.removed:
        answer["removed"] = [f"{one.key}: {one.detail}" for one in verdict.removed]
    if verdict.rejected:
        answer["rejected"] = verdict.rejected
    if assumed := [*supposed(verdict), *still_open(verdict)]:
        answer["assumptions"] = [assumed_row(one) for one in assumed]
    if verdict.reasons:
        answer["why"] = [why_row(reason) for reason in verdict.reasons[:MOST_REASONS]]
    if notes:
        answer["notes"] = notes
    if verdict.language != "en":
        answer["language"] = verdict.language
    return answer


def asked_answer(ctx: Context, session: Clarification) -> Clarified:
    return {
        "status": "needs_clarification",
        "session_id": session.id,
        "questions": [asked_row(question) for question in pending(session)],
        "progress": progress_of(session),
        "expires_at": iso(session.used_at + idle_moments(ctx)),
    }


def idle_moments(ctx: Context) -> int:
    """How long a clarification waits for somebody, in microseconds."""
    return int(ctx.settings["clarify_idle"]) * 60 * SECOND


def status_of(ctx: Context, session: Clarification) -> str:
    over = session.status == OPEN and ctx.now - session.used_at > idle_moments(ctx)
    return EXPIRED if over else session.status


def clarification_row(ctx: Context, session: Clarification) -> ClarificationRow:
    status = status_of(ctx, session)
    row: ClarificationRow = {
        "session_id": session.id,
        "status": status,
        "user_intention": one_line(session.intention, SHORT_INTENTION),
        "questions_open": len(pending(session)) if session.status == OPEN else 0,
        "created_at": iso(session.created_at),
        "tree": session.tree,
    }
    if status == OPEN:
        row["expires_at"] = iso(session.used_at + idle_moments(ctx))
    if session.adr:
        row["adr_uid"] = session.adr
    return row


def clarification_details(ctx: Context, session: Clarification) -> ClarificationDetails:
    row = clarification_row(ctx, session)
    still = pending(session) if session.status == OPEN else []
    details: ClarificationDetails = {
        "session_id": row["session_id"],
        "status": row["status"],
        "user_intention": session.intention,
        "questions_open": row["questions_open"],
        "created_at": row["created_at"],
        "tree": session.tree,
        "asked": [asked_row(question) for question in questions_of(session)],
        "questions": [asked_row(question) for question in still],
        "progress": progress_of(session),
        "answers": session.answers,
        "skipped": session.skipped,
    }
    more = {
        "expires_at": row.get("expires_at"),
        "adr_uid": session.adr,
        "optional_context": session.context,
        "force_adr": session.force_adr,
        "waive_adr": session.waive_adr,
        "result": session.result,
    }
    details.update({name: value for name, value in more.items() if value})  # type: ignore[typeddict-item]
    return details
