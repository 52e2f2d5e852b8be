from __future__ import annotations

from typing import Annotated, Any, TypedDict

from deedlog.core import permission
from deedlog.core.caller import INTERNAL
from deedlog.core.gate.redaction import redacted
from deedlog.core.permission import REASON, call_digest
from deedlog.core.remark import APPROVED, CLOSED, NOTED, OPEN, Review
from deedlog.core.words import one_line
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.consent import MOST_SHOWN, decision, visible, written
from deedlog.work.lookup import repeated

Json = dict[str, Any]
ONCE, REFUSE = "once", "refuse"
WAYS = {ONCE: "Allow this one call", REFUSE: "Do not allow it"}
MOST_NOTE = 300
FORM = "the client's form"
MOST_FOUND = 50


class Said(TypedDict):
    approved: str
    message: str
    hint: str
    data: dict[str, Any]


@operation(Effect.DESTROY, capability="supervision", callers=INTERNAL, waits=True, only_changes=True)
def permission_ask(
    ctx: Context,
    *,
    operation: Annotated[str, Field("The operation that was called", max_length=200)],
    what: Annotated[str, Field("The part of it that needs a person", max_length=200)],
    why: Annotated[str, Field("The refusal in a sentence", max_length=500)],
    by: Annotated[str, Field("The actor that called", max_length=200)],
    arguments: Annotated[dict[str, Any], Field("The arguments of the call")],
    meaning: Annotated[dict[str, Any] | None, Field("What they name now")] = None,
) -> Said:
    """Find a person's approval of an agent's call, or put the call before a person.

    An approval is good for this one call. A client that has forms shows one; else the request becomes a review.
    """
    call = call_digest(by, operation, arguments, meaning or {})
    closed = ctx.ledger.find(Review, {"reason": REASON, "status": CLOSED}, limit=MOST_FOUND, holding=[call])
    if permission.usable(closed, ctx.now):
        return repeated(lambda: _used(ctx, call, why))
    if refusal := permission.refused(closed):
        reason = f": {one_line(refusal.note, MOST_NOTE)}" if refusal.note else ""
        told = f"a person refused this call in {refusal.id}{reason}"
        return _denied(why, told, _always(what), {"review_id": refusal.id})
    text = written({"operation": operation, "arguments": arguments, **({"now": meaning} if meaning else {})})
    if hidden := _hidden(text):
        return _denied(why, hidden, f"A person does it at a terminal. {_always(what)}", {})
    review = Review(
        id=ctx.new_id("rev"),
        task_id="",
        actor=by,
        created_at=ctx.now,
        about="",
        reason=REASON,
        question=f"{one_line(visible(by))} asks to do what needs a person ({what}):\n{text}",
        call=call,
    )
    said = decision(ctx.peer, f"permission:{call[:16]}", review.question, WAYS)
    if said is not None:
        return _decided(ctx, review, why, what, yes=said == ONCE)
    return repeated(lambda: _requested(ctx, review, why, what))


def _hidden(text: str) -> str:
    """Why a person could not be shown all that they would approve; empty where they can."""
    if len(text) > MOST_SHOWN:
        return "the call is too long to be shown to a person"
    return "it has something like a secret, which no request shows" if redacted(text) != text else ""


def _used(ctx: Context, call: str, why: str) -> Said:
    closed = ctx.ledger.find(Review, {"reason": REASON, "status": CLOSED}, limit=MOST_FOUND, holding=[call])
    found = permission.usable(closed, ctx.now)
    if found is None:
        return _denied(why, "another call used the approval", "ask a person to approve it once more", {})
    return ctx.commit(found.replace(used_at=ctx.now), answer=_allowed(found))


def _decided(ctx: Context, review: Review, why: str, what: str, *, yes: bool) -> Said:
    """The person answered the form."""
    closed = review.replace(
        status=CLOSED,
        verdict=APPROVED if yes else NOTED,
        reviewed_by=FORM,
        reviewed_at=ctx.now,
        used_at=ctx.now if yes else None,
    )
    refusal = _denied(why, "the user did not allow it", _always(what), {"review_id": review.id})
    return ctx.commit(closed, answer=_allowed(closed) if yes else refusal)


def _requested(ctx: Context, review: Review, why: str, what: str) -> Said:
    waiting = ctx.ledger.find(Review, {"reason": REASON, "status": OPEN}, limit=permission.MOST_OPEN_OF_ALL)
    before = next((one for one in waiting if one.call == review.call), None)
    if before is None and not permission.has_room(waiting, review.actor):
        return _denied(why, "too many requests wait for a person already", "review_list shows them", {})
    asked = before or review
    answer = _denied(
        why,
        f"{asked.id} asks a person",
        f"a person allows it once with `deedlog review close {asked.id} approved`, or on the page's Review; "
        f"then repeat the same call. {_always(what)}",
        {"review_id": asked.id},
    )
    return answer if before else ctx.commit(review, answer=answer)


def _always(what: str) -> str:
    return f'A person allows it always with `agents_may = ["{what}"]` in ~/.config/deedlog/config.toml'


def _allowed(review: Review) -> Said:
    return {"approved": review.id, "message": "", "hint": "", "data": {}}


def _denied(why: str, how: str, hint: str, data: Json) -> Said:
    return {"approved": "", "message": f"{why}: {how}", "hint": hint, "data": data}
