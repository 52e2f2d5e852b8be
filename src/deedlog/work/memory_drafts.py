"""Memory of agents: they write drafts, and a person activates them. Workers read only what is active."""

from __future__ import annotations

from deedlog.core.entry import digest
from deedlog.core.errors import Conflict
from deedlog.core.memory import ACTIVE, DRAFT, Memory
from deedlog.core.remark import APPROVED, CLOSED, NOTED, OPEN, Review
from deedlog.work.consent import visible, written
from deedlog.work.lookup import every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.value import Entity
    from deedlog.ports import Context

REASON = "memory"
ACTIVATE = "status"  # the input that needs a person
MOST_ASKED = 6_000
LINE = "\n"
TOO_LONG = (
    "It stays a draft, and it is too long to be shown in a review: a person reads it with `deedlog memory get {0}` "
    "and activates it with `deedlog memory edit {0} --status active`."
)
STAYS_A_DRAFT = "It stays a draft until a person activates it: review {} asks for that."


def refuse_of_person(ctx: Context, entry: Memory) -> None:
    """Refuse an agent that changes what a person wrote or activated."""
    if entry.status != DRAFT or "/" not in entry.author:
        ctx.need_person("others", f"memory {entry.id!r} is not an agent's draft: changing it needs a person")


def drafted(ctx: Context, entry: Memory) -> tuple[Memory, list[Entity], list[str]]:
    """The entry as the caller may store it, the reviews that change with it, and what to tell.

    A draft that changes is asked about once more: a person activates what they have read.
    """
    if ctx.may(ACTIVATE):
        return entry, [], []
    asked = list(every(ctx.ledger, Review, {"reason": REASON, "status": OPEN}))
    before = [one for one in asked if one.about == entry.uri]
    if entry.status != ACTIVE and not before:
        return entry, [], []
    draft = entry.replace(status=DRAFT) if entry.status == ACTIVE else entry
    closed = [
        one.replace(status=CLOSED, verdict=NOTED, note="the draft changed", reviewed_at=ctx.now) for one in before
    ]
    if draft.status != DRAFT:
        return draft, [*closed], []
    if not (asked_for := _question(ctx, draft)):
        return draft, [*closed], [TOO_LONG.format(entry.id)]
    review = Review(
        id=ctx.new_id("rev"),
        task_id="",
        actor=ctx.actor,
        created_at=ctx.now,
        about=entry.uri,
        reason=REASON,
        question=asked_for,
        call=_digest(draft),
    )
    return draft, [*closed, review], [STAYS_A_DRAFT.format(review.id)]


def _question(ctx: Context, entry: Memory) -> str:
    """All that a person would activate; empty where that is more than a question shows."""
    told = {"id": entry.id, "category": entry.category, "title": entry.title, "summary": entry.summary}
    text = f"{written(told)}\n{visible(entry.content, keep=LINE)}".rstrip()
    if len(text) > MOST_ASKED:
        return ""
    return f"Activate the memory {entry.id!r} of {ctx.actor}, so that every worker reads it?\n{text}"


def activated(ctx: Context, review: Review, verdict: str) -> list[Entity]:
    """The memory that an approved review activates; refused where it changed since it was asked about."""
    if review.reason != REASON or verdict != APPROVED:
        return []
    entry = ctx.ledger.get(Memory, review.about.removeprefix(f"{Memory.kind}://"))
    if _digest(entry) != review.call:
        raise Conflict(
            f"memory {entry.id!r} changed since {review.id} asked about it",
            hint="memory_get shows it; memory_edit with status active activates it",
            data={"memory_id": entry.id},
        )
    return [entry.replace(status=ACTIVE, updated_at=ctx.now)]


def _digest(entry: Memory) -> str:
    return digest([entry.id, entry.category, entry.title, entry.summary, entry.content, entry.status])
