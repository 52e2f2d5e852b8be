"""What a writer of records that died had put into files, and perhaps not into the ledger."""

from __future__ import annotations

from deedlog.core.clarification import COMPLETED, Clarification, WrittenAdr
from deedlog.core.remark import Decision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.value import Entity
    from deedlog.ports import Context, Json


def unfinished_values(ctx: Context, note: Json | None) -> list[Entity]:
    """What the ledger does not have yet of a note, and of those it carries on, to be committed with the next write.

    A note has `adr` and `clarification` (their fields, with the id), `decision_id`, and `earlier`: the note that
    its writer had found itself.
    """
    if not note:
        return []
    values = unfinished_values(ctx, note.get("earlier"))
    if adr := note.get("adr"):
        values += [] if ctx.ledger.find_one(WrittenAdr, adr["id"]) else [WrittenAdr(**adr)]
        decision = ctx.ledger.find_one(Decision, note.get("decision_id") or "")
        values += [decision.replace(adr=adr["id"])] if decision and not decision.adr else []
    if asked := note.get("clarification"):
        body = {name: value for name, value in asked.items() if name != "id"}
        current = ctx.ledger.find_one(Clarification, asked["id"])
        if current is None or current.status != COMPLETED:
            values.append(Clarification.load(asked["id"], current.version if current else 0, body))
    return list({value.uri: value for value in values}.values())
