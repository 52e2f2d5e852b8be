from __future__ import annotations

from typing import Annotated, Any, TypedDict

from deedlog.core.clarification import Clarification
from deedlog.core.clarify.adding import refuse_contrary, said_beside
from deedlog.core.clarify.proposing import proposed, stored
from deedlog.core.errors import Invalid
from deedlog.core.page import size
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.clarify_rows import Clarified
from deedlog.work.conversing import continued, started

LONGEST = 8_000
LONGEST_ANSWERS = 16_000


class Preferences(TypedDict, total=False):
    force_adr: Annotated[bool, Field("Write an ADR whatever the request is")]
    waive_adr: Annotated[bool, Field("The user wants no ADR; that is recorded")]


@operation(
    Effect.WRITE,
    capability="clarify",
    words="clarification require",
    at="repo_path",
    waits=True,
    only_changes=True,
    examples=("deedlog clarification require 'Add authentication'",),
)
def require_clarification(
    ctx: Context,
    *,
    user_intention: Annotated[str, Field("The request, in the user's words", max_length=LONGEST)],
    optional_context: Annotated[str | None, Field("What else is known about it", max_length=LONGEST)] = None,
    session_id: Annotated[str | None, Field("To go on: as it was returned", max_length=80)] = None,
    answers: Annotated[
        dict[str, Any] | None, Field('By question id: an option, a text of your own, or "skip"; several as a list')
    ] = None,
    preferences: Annotated[Preferences | None, Field("The user's wishes")] = None,
    repo_path: Annotated[str | None, Field("A folder in the repository it is about")] = None,  # noqa: ARG001  # see `at`
    proposal: Annotated[
        dict[str, Any] | None,
        Field(
            "What you know already, as evidence that fills the ADR: kind, categories, choices "
            '{"Database.Type": "PostgreSQL"}, context, rationale, alternatives, consequences, new_dependencies, '
            "estimated_files, acceptance_criteria"
        ),
    ] = None,
) -> Clarified:
    """Clarify a request before the work: ask what is open, then record it as ADR and current task.

    Call it first for requests that are vague or touch the architecture. Put the questions to the user, then call
    again with session_id and answers until the status is completed.
    """
    if size(answers) > LONGEST_ANSWERS:
        raise Invalid(
            f"answers: have {size(answers)} characters, at most {LONGEST_ANSWERS} are allowed",
            hint="shorten them, or put details into a file and name it",
            data={"field": "answers"},
        )
    wishes = preferences or {}
    refuse_contrary(wishes)
    if session_id:
        return continued(ctx, session_id, answers, said_beside(optional_context, wishes, proposal))
    if not user_intention.strip():
        raise Invalid(
            "user_intention: must not be empty", hint="say what shall be done", data={"field": "user_intention"}
        )
    session = Clarification(
        id=ctx.new_id("sess"),
        intention=user_intention.strip(),
        context=(optional_context or "").strip(),
        actor=ctx.actor,
        created_at=ctx.now,
        used_at=ctx.now,
        force_adr=wishes.get("force_adr", False),
        waive_adr=wishes.get("waive_adr", False),
        proposal=stored(proposed(proposal)) if proposal else {},
    )
    return started(ctx, session, answers)
