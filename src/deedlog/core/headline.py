"""What one event tells a person, in one line."""

from __future__ import annotations

from deedlog.core.entry import dumps
from deedlog.core.kinds import KINDS
from deedlog.core.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from deedlog.core.entry import Event
    from deedlog.core.value import Entity

MOST_CHARACTERS = 160


def headline(event: Event, found: Callable[[str], Entity | None]) -> str:
    """The line; `found` finds a thing as it is now by its URI, because an event has only what changed."""
    kind = KINDS.get(event.entity)
    if kind is None:
        return _outside(event)
    try:
        told = _told(event, kind, found)
    except (AttributeError, KeyError, TypeError, ValueError):  # an import may have brought other values than ours
        told = event.kind
    ending = [] if event.applied else ["(not applied)"]
    return one_line(" ".join([_told_of(event, kind, found), told, *ending]), MOST_CHARACTERS)


def _outside(event: Event) -> str:
    """A call that changed what no table of ours holds: what it was about, and what that is now."""
    names = ", ".join(uri.partition("://")[2] for uri in event.subjects)
    now = "; ".join(
        f"{name}: {value if isinstance(value, str) else dumps(value)}" for name, value in (event.after or {}).items()
    )
    told = f"{event.operation or event.kind} {names}".rstrip()
    return one_line(f"{told}: {now}" if now else told, MOST_CHARACTERS)


def _told(event: Event, kind: type[Entity], found: Callable[[str], Entity | None]) -> str:
    own = {"id": event.entity_id}
    if event.after is None:
        return f"removed: {kind.headline({**own, **(event.before or {})})}"  # first, because a terminal cuts the end
    if event.before is None:
        return f"{kind.headline({**own, **event.after})} {kind.beginning(event.after)}"
    now = found(event.subjects[0])
    return kind.news({**own, **(now.body() if now else {}), **event.after}, list(event.after))


def _told_of(event: Event, kind: type[Entity], found: Callable[[str], Entity | None]) -> str:
    """What people call the thing that it is part of."""
    about = next((uri for uri in event.subjects[1:] if uri.startswith(f"{kind.told_of}://")), "")
    whole = found(about) if kind.told_of and about else None
    return f"{whole.kind}-{whole.fields()['number']}" if whole and whole.numbered else ""
