"""Which ADRs still hold, and which took the place of which."""

from __future__ import annotations

from deedlog.core.memory import ACTIVE, ARCHIVED, DRAFT
from deedlog.core.records.values import REMOVED
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from deedlog.core.records.values import Adr, Change

OWN_FORMS = ("deedlog", "preflights")  # whose UIDs are moments; other ADRs are history
OVER = ("superseded", "deprecated", "rejected", "obsolete", "replaced", "withdrawn")
AND = " + "  # between technologies that share a field
NOT_YET = ("proposed", "draft", "pending")


class Standing(Value):
    """How one ADR stands. `status` is that of the memory it is: active, draft or archived.

    `holds` are the changes that no later ADR took back.
    """

    status: str
    holds: list[str] = []  # noqa: RUF012  # values are never changed in place
    supersedes: list[str] = []  # noqa: RUF012
    superseded_by: list[str] = []  # noqa: RUF012


def known_as(adr: Adr) -> str:
    """What an ADR is called: its UID, or the name of its file where it has none."""
    return adr.uid or adr.path


def standings(adrs: Sequence[Adr]) -> dict[str, Standing]:
    """How each of all the ADRs of a tree stands, by its path; they are in the order of their UIDs.

    One is over when later ones set every field it set, and left nothing there of what it chose. The last one never is.
    """
    setters: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for adr in adrs:
        for change in adr.changes:
            chain = setters.setdefault(_key(change), [])
            if not chain or chain[-1][0] != known_as(adr):
                chain.append((known_as(adr), change.value))
    last = next((known_as(adr) for adr in reversed(adrs) if adr.form in OWN_FORMS), "")
    found = {adr.path: _standing(adr, setters, last) for adr in adrs}
    over: dict[str, dict[str, None]] = {}
    for adr in adrs:
        for later in found[adr.path].superseded_by:
            over.setdefault(later, {})[known_as(adr)] = None
    return {adr.path: found[adr.path].replace(supersedes=[*over.get(known_as(adr), ())]) for adr in adrs}


def _standing(adr: Adr, setters: dict[tuple[str, str], list[tuple[str, str]]], last: str) -> Standing:
    name = known_as(adr)
    holds, after = list[str](), dict[str, None]()
    for change in adr.changes:
        chain = setters[_key(change)]
        place = next(at for at, (uid, _) in enumerate(chain) if uid == name)
        left, by = _left(change, chain[place + 1 :])
        after |= dict.fromkeys(by)
        if left is not None:
            holds.append(f"{change.area}.{change.field}: {left or REMOVED}")
    over = bool(adr.changes) and not holds and name != last
    return Standing(status=_status(adr, over=over), holds=holds, superseded_by=[*after])


def _left(change: Change, later: Sequence[tuple[str, str]]) -> tuple[str | None, list[str]]:
    """What is left of a change, None where nothing is, and the ADRs that took something of it away.

    One that adds to a field takes nothing away, and has chosen only what it added.
    """
    was = change.was.casefold().split(AND)
    own = [part for part in change.value.split(AND) if part.casefold() not in was] or change.value.split(AND)
    before, by = change.value, list[str]()
    for uid, value in later:
        same = value.casefold() == before.casefold()
        stays = [] if same or not value else value.casefold().split(AND)
        kept = [part for part in own if part.casefold() in stays]
        if len(kept) < len(own):
            by.append(uid)
        if not kept:
            return None, by
        own, before = kept, value
    return (AND.join(own) if later else change.value), by


def _key(change: Change) -> tuple[str, str]:
    return change.area.casefold(), change.field.casefold()


def _status(adr: Adr, *, over: bool) -> str:
    if over:
        return ARCHIVED
    word = adr.status.strip().lower()
    if word.startswith(OVER):
        return ARCHIVED
    return DRAFT if word.startswith(NOT_YET) else ACTIVE
