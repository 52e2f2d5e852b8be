"""What ADRs of other tools say that was chosen: evidence like a memory, because they have no fields to fold."""

from __future__ import annotations

import re

from deedlog.core.clarify.values import Remembered
from deedlog.core.memory import ACTIVE
from deedlog.core.standing import OWN_FORMS, known_as, standings
from deedlog.core.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from deedlog.core.records.values import Adr

MOST, LONGEST = 200, 300
SENTENCE = re.compile(r"(?<=[.!?])\s|[\n。]")
NOT_CHOSEN = re.compile(
    r"\b(?:instead of|rather than|over|not|no longer|don't|never|without|because|from"
    r"|plutôt que|au lieu de|ne|pas|sans)\b",
    re.IGNORECASE,
)
LEFT = re.compile(r"\bfrom\s(?:\S+\s){1,4}?(?=to\b)|\bde\s(?:\S+\s){1,4}?(?=vers\b)", re.IGNORECASE)
GIVEN_UP = re.compile(
    r"\W*(?:(?:we|on|nous)\s+(?:will\s+)?)?(?:do not|don't|not|no|never|stop|drop|remove|avoid|deprecate|reject|retire"
    r"|ne|supprimer|abandonner|retirer|éviter)\b|.*(?:ではなく|しない|廃止|やめ)",
    re.IGNORECASE,
)


def of_history(adrs: Sequence[Adr]) -> list[Remembered]:
    """The title of each that holds, and the first sentence of its decision, as far as they say what was chosen.

    The newest first: it counts where two chose differently.
    """
    history = [adr for adr in adrs if adr.form not in OWN_FORMS]
    if not history:
        return []
    standing = standings(history)
    holding = [adr for adr in reversed(history) if standing[adr.path].status == ACTIVE][:MOST]
    return [
        Remembered(id=known_as(adr), title=_chosen(adr.title), text=_chosen(SENTENCE.split(adr.decision.strip())[0]))
        for adr in holding
        if not GIVEN_UP.match(adr.title)
    ]


def _chosen(text: str) -> str:
    line = LEFT.sub("", one_line(text, LONGEST))
    return "" if GIVEN_UP.match(line) else NOT_CHOSEN.split(line, maxsplit=1)[0]
