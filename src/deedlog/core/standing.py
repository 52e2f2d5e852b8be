"""Which ADRs still hold, and which took the place of which."""

from __future__ import annotations

from deedlog.core.memory import ACTIVE, ARCHIVED, DRAFT
from deedlog.core.records.values import REMOVED
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from deedlog.core.records.values import Adr

OWN_FORMS = ("deedlog", "preflights")  # whose UIDs are moments; other ADRs are history
OVER = ("superseded", "deprecated", "rejected", "obsolete", "replaced", "withdrawn")
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

    One is over when later ones set every field it set. The last one never is.
    """
    setters: dict[tuple[str, str], list[str]] = {}
    for adr in adrs:
        for change in adr.changes:
            chain = setters.setdefault((change.area, change.field), [])
            if chain[-1:] != [known_as(adr)]:
                chain.append(known_as(adr))
    last = next((known_as(adr) for adr in reversed(adrs) if adr.form in OWN_FORMS), "")
    return {adr.path: _standing(adr, setters, last) for adr in adrs}


def _standing(adr: Adr, setters: dict[tuple[str, str], list[str]], last: str) -> Standing:
    name = known_as(adr)
    holds, before, after = list[str](), dict[str, None](), dict[str, None]()
    for change in adr.changes:
        chain = setters[change.area, change.field]
        place = chain.index(name)
        if place:
            before[chain[place - 1]] = None
        if place + 1 < len(chain):
            after[chain[place + 1]] = None
        else:
            holds.append(f"{change.area}.{change.field}: {change.value or REMOVED}")
    return Standing(
        status=_status(adr, over=bool(adr.changes) and not holds and name != last),
        holds=holds,
        supersedes=[*before],
        superseded_by=[*after],
    )


def _status(adr: Adr, *, over: bool) -> str:
    if over:
        return ARCHIVED
    word = adr.status.strip().lower()
    if word.startswith(OVER):
        return ARCHIVED
    return DRAFT if word.startswith(NOT_YET) else ACTIVE
