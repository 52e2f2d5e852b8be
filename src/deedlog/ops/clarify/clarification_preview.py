from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.clarification import Clarification
from deedlog.core.clarify.adding import added, refuse_contrary, said_beside
from deedlog.core.clarify.proposing import proposed, stored
from deedlog.core.clarify.task import before, is_recorded, still_open, supposed
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.clarify_inputs import Preferences, Proposed
from deedlog.work.clarify_rows import Asked, Assumed, asked_row, assumed_row
from deedlog.work.conversing import found
from deedlog.work.previewing import difference, previewed

LONGEST_REQUEST = 8_000


class Because(TypedDict):
    rule: str
    about: str
    text: str
    start: int
    end: int


class Difference(TypedDict):
    path: str
    new: bool
    diff: str


class Previewed(TypedDict):
    status: Literal["needs_clarification", "clear"]
    kind: str
    language: str
    adr: bool
    rule: str
    why: list[Because]
    decided: list[Assumed]
    rejected: list[str]
    removed: list[str]
    assumptions: list[Assumed]
    questions: list[Asked]
    answers: dict[str, Any]
    files: list[Difference]
    summary: NotRequired[str]
    notes: NotRequired[list[str]]


@operation(
    Effect.READ,
    capability="clarify",
    callers=ANYONE,
    people=True,
    at="repo_path",
    examples=("deedlog clarification preview 'Move from PostgreSQL to MySQL'",),
)
def clarification_preview(
    ctx: Context,
    *,
    user_intention: Annotated[str, Field("The request", min_length=1, max_length=LONGEST_REQUEST)],
    optional_context: Annotated[str | None, Field("What else matters", max_length=LONGEST_REQUEST)] = None,
    session_id: Annotated[str | None, Field("An open clarification: what would come of it", max_length=80)] = None,
    answers: Annotated[dict[str, Any] | None, Field("Answers by question id; skip leaves one out")] = None,
    preferences: Annotated[Preferences | None, Field("force_adr, or waive_adr")] = None,
    proposal: Annotated[Proposed | None, Field("As require_clarification takes it")] = None,
    repo_path: Annotated[str | None, Field("The repository, instead of this one")] = None,  # noqa: ARG001
) -> Previewed:
    """Show what would come of a request, and why; nothing is written or recorded.

    Tells the kind of change, whether an ADR is due and by which rule, what is decided, and the open questions; where
    none is open, the files as unified diffs. UIDs are given only when something is written. No language model is asked.
    """
    wishes = preferences or {}
    refuse_contrary(wishes)
    session = Clarification(
        id="preview",
        intention=user_intention.strip(),
        context=(optional_context or "").strip(),
        tree=ctx.records.tree,
        created_at=ctx.now,
        used_at=ctx.now,
        force_adr=wishes.get("force_adr", False),
        waive_adr=wishes.get("waive_adr", False),
        proposal=stored(proposed(proposal)) if proposal else {},
    )
    if session_id:
        session = added(found(ctx, session_id), said_beside(optional_context, wishes, proposal))
    preview = previewed(ctx, session, answers or {})
    verdict, planned = preview.verdict, preview.planned
    files = planned.files if planned else []
    answer: Previewed = {
        "status": "needs_clarification" if preview.open else "clear",
        "kind": verdict.kind,
        "language": verdict.language,
        "adr": is_recorded(preview.session, verdict),
        "rule": verdict.rule,
        "why": [{**reason.fields()} for reason in verdict.reasons],  # type: ignore[typeddict-item]
        "decided": [assumed_row(one) for one in (*verdict.decided, *before(verdict))],
        "rejected": verdict.rejected,
        "removed": [f"{one.key}: {one.detail}" for one in verdict.removed],
        "assumptions": [assumed_row(one) for one in (*supposed(verdict), *still_open(verdict))],
        "questions": [asked_row(question) for question in preview.open],
        "answers": preview.answers,
        "files": [
            {"path": file.path, "new": file.new, "diff": difference(ctx, file.path, file.text)} for file in files
        ],
    }
    if planned:
        answer["summary"] = planned.summary
    if preview.notes:
        answer["notes"] = preview.notes
    return answer
