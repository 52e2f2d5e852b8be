from __future__ import annotations

from typing import Annotated, Any

from deedlog.core.caller import ANYONE
from deedlog.core.clarification import Clarification
from deedlog.core.clarify.adding import refuse_contrary, said_beside
from deedlog.core.clarify.proposing import proposed, stored
from deedlog.core.errors import Invalid
from deedlog.core.page import size
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.clarify_inputs import Preferences, Proposed
from deedlog.work.clarify_rows import Clarified
from deedlog.work.conversing import continued, started

LONGEST = 8_000
LONGEST_ANSWERS = 16_000


@operation(
    Effect.WRITE,
    capability="clarify",
    callers=ANYONE,
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
    optional_context: Annotated[str | None, Field("What else is known", max_length=LONGEST, nullable=True)] = None,
    session_id: Annotated[str | None, Field("To go on", max_length=80, nullable=True)] = None,
    answers: Annotated[
        dict[str, Any] | None, Field('By question id: option, own text, list or "skip"', nullable=True)
    ] = None,
    preferences: Annotated[
        Preferences | None, Field("The user wants an ADR anyway, or none", nullable=True, rare=True)
    ] = None,
    repo_path: Annotated[str | None, Field("A folder in the repository", nullable=True, rare=True)] = None,  # noqa: ARG001  # see `at`
    proposal: Annotated[Proposed | None, Field("Evidence, not answers", rare=True)] = None,
) -> Clarified:
    """Clarify a request with its user, then write ADR and current task.

    Call it first when a request is vague or touches the architecture; a clear one completes at once. Put the
    questions to the user, never answer for them; call again with session_id and answers until completed.
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
