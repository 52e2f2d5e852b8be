"""Whether a text wishes for something it names: as a word of its own, and not turned down."""

from __future__ import annotations

import re

from deedlog.core.clarify.folding import folded

NEAR = 40
END = re.compile(r"[.;!?\n。]|(?<!anything )(?<!everything )\bbut\b|\bmais\b")
AGAINST = re.compile(
    r"(?:\b(?:not|never|don't|doesn't|without|except|avoid|(?:any\w*|everything) but|ne|pas|sans|sauf|eviter)\b|n't\b)"
    r"(?:\s+[\w'-]+){0,3}\s*$"
    r"|\b(?:no|drop|dropping|remove|replace|replacing|leave|leaving|instead of|rather than|supprim\w*|remplac\w*"
    r"|au lieu d[eu]|plutot que?)(?:\s+(?:our|the|le|la|notre))?\s+$"
)
AGAINST_AFTER = re.compile(
    r"\s*(?:以外|ではなく|じゃなく|なしで|(?:を|は)(?:使わ|使いたくな|使用し?な|やめ|避け|廃止)|から)"
)


def is_wished(value: str, text: str) -> bool:
    """Letters beside it make another word: MongoDB names no Go."""
    name, inside = folded(value), folded(text)
    if not name:
        return False
    found = re.finditer(rf"(?<![a-z0-9_]){re.escape(name)}(?![a-z0-9_])", inside)
    return any(not _is_turned_down(inside, place.start(), place.end()) for place in found)


def _is_turned_down(text: str, start: int, end: int) -> bool:
    before = END.split(text[max(0, start - NEAR) : start])[-1]
    return bool(AGAINST.search(before) or AGAINST_AFTER.match(text, end))
