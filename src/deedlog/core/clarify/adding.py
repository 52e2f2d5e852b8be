"""What a later call of a clarification adds: more context, other wishes, what the agent knows by now."""

from __future__ import annotations

from deedlog.core.clarify.proposing import merged, proposed, stored, usable
from deedlog.core.errors import Invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from deedlog.core.clarification import Clarification

LONGEST_CONTEXT = 16_000


def refuse_contrary(wishes: Mapping[str, Any]) -> None:
    """Nobody can want an ADR and none."""
    if wishes.get("force_adr") and wishes.get("waive_adr"):
        raise Invalid(
            "preferences: force_adr and waive_adr exclude each other",
            hint="give one of them",
            data={"field": "preferences"},
        )


def said_beside(
    context: str | None, wishes: Mapping[str, Any] | None, proposal: Mapping[str, Any] | None
) -> dict[str, Any]:
    """What a call says beside its answers, without what is left out."""
    found = {"context": (context or "").strip(), "wishes": dict(wishes or {}), "proposal": dict(proposal or {})}
    return {name: value for name, value in found.items() if value}


def added(session: Clarification, beside: Mapping[str, Any]) -> Clarification:
    """The session with what was said beside the answers: the later wish counts, and the later proposal comes first."""
    session = session.replace(context=_joined(session.context, beside.get("context", "")))
    if wishes := beside.get("wishes"):
        force, waive = bool(wishes.get("force_adr")), bool(wishes.get("waive_adr"))
        session = session.replace(
            force_adr=force or (session.force_adr and "force_adr" not in wishes and not waive),
            waive_adr=waive or (session.waive_adr and "waive_adr" not in wishes and not force),
        )
    if given := beside.get("proposal"):
        session = session.replace(proposal=stored(merged(proposed(given), usable(session.proposal))))
    return session


def _joined(before: str, more: str) -> str:
    if not more or more in before:
        return before
    found = f"{before}\n\n{more}" if before else more
    if len(found) > LONGEST_CONTEXT:
        raise Invalid(
            f"optional_context: all calls together give {len(found)} characters, at most {LONGEST_CONTEXT} are allowed",
            hint="say only what is new, or put details into a file and name it",
            data={"field": "optional_context"},
        )
    return found
