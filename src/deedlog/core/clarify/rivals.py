"""Which technologies are alternatives, and which are used beside each other in one field of the architecture."""

from __future__ import annotations

import re

from deedlog.core.clarify.decided import technologies_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from deedlog.core.clarify.lexicon import Lexicon, Technology
    from deedlog.core.clarify.values import Decided

AND = " + "  # between technologies that share a field
PARTS = re.compile(r", | \+ ")  # also as an answer with several choices has them


def are_rivals(one: Technology, other: Technology, key: str, lexicon: Lexicon) -> bool:
    """Whether choosing one for the field `key` is choosing against the other.

    In a field whose alternatives are listed they stand in one list; in another one they are of one ecosystem. One
    that is chosen for a field it is not at home in has that field for itself.
    """
    if one.name == other.name:
        return False
    if key not in (one.key, other.key) or one.key != other.key:
        return True
    lists = lexicon.rivals.get(key)
    if lists is not None:
        return any(one.name in names and other.name in names for names in lists)
    return not one.ecosystems or not other.ecosystems or bool({*one.ecosystems} & {*other.ecosystems})


def beside(
    decided: Sequence[Decided],
    architecture: Mapping[str, Mapping[str, str]],
    lexicon: Lexicon,
    gone: Collection[str] = (),
    *,
    replaces: bool = False,
) -> list[Decided]:
    """What is decided, each with what stays in its field: what was decided before and is no alternative to it."""
    held = {
        f"{area}.{name}".casefold(): value for area, fields in architecture.items() for name, value in fields.items()
    }
    found = []
    for one in decided:
        was = held.get(one.key.casefold(), "")
        full = whole(one.key, one.value, was, gone, lexicon, replaces=replaces) if was else one.value
        found.append(one if full == one.value else one.replace(whole=full))
    return found


def whole(key: str, value: str, held: str, gone: Collection[str], lexicon: Lexicon, *, replaces: bool = False) -> str:
    """What a field that held something holds once `value` is chosen for it: also what that is no alternative to.

    `gone` are names of technologies that shall go. Who `replaces` something and leaves nothing that is named means
    all there is. What no list knows is taken for an alternative.
    """
    chosen = technologies_in(value, lexicon)
    parts = [part for part in PARTS.split(held) if part]
    staying = [part for part in parts if _stays(part, chosen, gone, key, lexicon)] if chosen else []
    if replaces and len(staying) == len(parts):
        staying = []
    return AND.join(dict.fromkeys([*staying, *PARTS.split(value)])) if staying else value


def _stays(part: str, chosen: Sequence[Technology], gone: Collection[str], key: str, lexicon: Lexicon) -> bool:
    named = {one.name for one in technologies_in(part, lexicon)}
    if named & {*gone, *(one.name for one in chosen)}:
        return False
    return not any(is_alternative(part, one, key, lexicon) for one in chosen)


def is_alternative(held: str, chosen: Technology, key: str, lexicon: Lexicon) -> bool:
    """Whether what the field `key` holds goes when a technology is chosen for it. What no list knows does."""
    named = technologies_in(held, lexicon)
    return not named or any(are_rivals(one, chosen, key, lexicon) for one in named)


def given_up(was: str, now: str) -> str:
    """What a field held and holds no more."""
    stays = {part.casefold() for part in PARTS.split(now)}
    return AND.join(part for part in PARTS.split(was) if part.casefold() not in stays)
