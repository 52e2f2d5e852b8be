"""`--quiet`: only the ids of what an answer tells of, one on each line, for the next command."""

from __future__ import annotations

from deedlog.faces.cli.output import write
from deedlog.faces.cli.terminal import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Json = dict[str, Any]

ID_ENDINGS = ("_id", "Id")
CALLED_BY = {"worker": "session", "clarification": "session", "plan": "run"}  # none of them has another id
OTHERS = ("name", "uri")  # by which things without an id are called


def show_ids(noun: str, pages: Iterable[Json]) -> None:
    for page in pages:
        for found in ids_in(noun, page):
            write(clean(found))


def ids_in(noun: str, answer: Json) -> list[str]:
    """The id of the thing an answer is about, else those of its rows, else the first one in it."""
    noun = CALLED_BY.get(noun, noun)
    if own := _own(noun, answer):
        return [own]
    tables = [part for part in answer.values() if isinstance(part, list) and part and isinstance(part[0], dict)]
    inner = [_own(noun, part) for part in answer.values() if isinstance(part, dict)]
    for own_ids in ([_own(noun, row) for row in table] for table in tables):
        if any(own_ids):
            return own_ids
    first = _any(noun, answer)
    if first:
        return [first]
    return [found for table in tables[:1] for row in table if (found := _any(noun, row))] or [*filter(None, inner)]


def _own(noun: str, thing: Json) -> str:
    """The id that is surely its own."""
    names = (*(noun + ending for ending in ID_ENDINGS), "id")
    return next((str(thing[name]) for name in names if thing.get(name) is not None), "")


def _any(noun: str, thing: Json) -> str:
    """Its own id, else what it is called by, else the first id in it."""
    named = [name for name in OTHERS if thing.get(name)]
    named += [name for name in thing if name.endswith(ID_ENDINGS) and thing[name] is not None]
    return _own(noun, thing) or (str(thing[named[0]]) if named else "")
