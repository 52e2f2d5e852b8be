"""Any stored thing by what it is called: its URI, its id, or its number after its kind."""

from __future__ import annotations

from deedlog.core.errors import Invalid, NotFound
from deedlog.core.kinds import KINDS, check_kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.value import Entity
    from deedlog.ports import Ledger

SCHEME = "://"
SEARCH = "ledger_search finds what was recorded"
LONGEST = 15  # digits of a number


def thing(ledger: Ledger, name: str, field: str) -> Entity:
    """The thing that is called `name` in the argument `field`, or the refusal that tells what is wrong with it."""
    found = thing_if_there(ledger, name, field)
    if found is None:
        kind, scheme, rest = name.rpartition(SCHEME)
        what = f"there is no {kind} {rest[:80]!r}" if scheme else f"nothing is called {name[:80]!r}"
        raise NotFound(what, hint=_unused(ledger, name) or SEARCH, data={field: name[:80]})
    return found


def _unused(ledger: Ledger, name: str) -> str:
    """What to say of a number that is lower than others and belongs to nothing; nothing where it is no such number."""
    kind, _, digits = name.replace(SCHEME, "-").rpartition("-")
    entity = KINDS.get(kind.rpartition("-")[2])
    if entity is None or not entity.numbered or not (digits.isascii() and digits.isdigit()):
        return ""
    newest = ledger.find(entity, limit=1)
    if not newest or newest[0].fields()["number"] < int(digits[:LONGEST]):
        return ""
    return f"a call took this number and made no {entity.kind} of it, or it was removed: nothing else is missing"


def thing_if_there(ledger: Ledger, name: str, field: str) -> Entity | None:
    kind, scheme, rest = name.partition(SCHEME)
    if scheme:
        return ledger.find_one(KINDS[check_kind(kind, field)], rest)
    if name.isdigit():
        numbered = " or ".join(f"{entity.kind}-{name[:20]}" for entity in KINDS.values() if entity.numbered)
        raise Invalid(
            f"{field}: {name[:20]} alone may be several things", hint=f"write {numbered}", data={"field": field}
        )
    every = (ledger.find_one(entity, name) for entity in KINDS.values())
    return next((found for found in every if found), None)
