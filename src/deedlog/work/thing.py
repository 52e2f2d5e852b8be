"""Any stored thing by what it is called: its URI, its id, or its number after its kind."""

from __future__ import annotations

from deedlog.core.errors import Invalid, NotFound
from deedlog.core.kinds import KINDS, check_kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.value import Entity
    from deedlog.ports import Ledger

SCHEME = "://"


def thing(ledger: Ledger, name: str, field: str) -> Entity:
    """The thing that is called `name` in the argument `field`, or the refusal that tells what is wrong with it."""
    found = thing_if_there(ledger, name, field)
    if found is None:
        kind, scheme, rest = name.rpartition(SCHEME)
        what = f"there is no {kind} {rest[:80]!r}" if scheme else f"nothing is called {name[:80]!r}"
        raise NotFound(what, hint="ledger_search finds what was recorded", data={field: name[:80]})
    return found


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
