"""The switches on operations. Every operation belongs to one; off means not listed and refused by name."""

from __future__ import annotations

from deedlog.core.errors import Invalid, Part
from deedlog.core.value import Value
from deedlog.core.words import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class Capability(Value):
    name: str
    summary: str
    on: bool = True


CAPABILITIES = {
    capability.name: capability
    for capability in (
        Capability(name="tracking", summary="Record workflows and tasks: decisions, issues, what changed"),
        Capability(name="tasks", summary="Plan tasks, run them with workers in work trees, and the memory bank"),
        Capability(name="authoring", summary="Define agents, and keep the memory bank and its history"),
        Capability(name="clarify", summary="Make requests clear and record decisions as ADR files"),
        Capability(name="supervision", summary="What only the supervisor of a worker tells", on=False),
        Capability(name="ledger", summary="Read, follow, search and undo what was recorded"),
    )
}


def known(name: str) -> str:
    """`name`, refused with the nearest one when there is no such capability."""
    if name not in CAPABILITIES:
        hint = did_you_mean(name, CAPABILITIES, f"known: {', '.join(CAPABILITIES)}")
        raise Invalid(f"there is no capability {name!r}", hint=hint, part=Part.CONFIGURATION)
    return name


def enabled(enable: Iterable[str], disable: Iterable[str]) -> frozenset[str]:
    """The capabilities that are on; switching off wins."""
    default = {name for name, capability in CAPABILITIES.items() if capability.on}
    return frozenset((default | {known(n) for n in enable}) - {known(n) for n in disable})
