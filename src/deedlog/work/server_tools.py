"""What is held back of a server's tools and why, and which calls of them are let through."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from deedlog.core.gate.changes import changes
from deedlog.core.gate.flags import is_grave, meaning
from deedlog.core.gate.mount import Pin
from deedlog.core.gate.policy import decided, deciding
from deedlog.work.pinning import kept_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from deedlog.ports import Context


class Change(TypedDict):
    tool: str
    change: str
    lines: list[str]
    suspicious: NotRequired[str]


class Ruled(TypedDict):
    tool: str
    verdict: str
    because: str


def known_tools(pin: Pin | None, others: Iterable[str]) -> list[str]:
    """The names of all tools that a server is known to have."""
    return list(dict.fromkeys([*(pin.tools if pin else ()), *(pin.withheld if pin else ()), *others]))


def held_changes(ctx: Context, pin: Pin, names: Iterable[str]) -> list[Change]:
    """What is different about tools that are held back, line by line."""
    kept = kept_of(ctx, pin)
    seen = kept.seen()
    rows: list[Change] = []
    for name in names:
        before, after = kept.agreed.get(name, []), seen.get(name, [])
        row: Change = {
            "tool": name,
            "change": "changed" if before else "new" if after else "cannot be read",
            "lines": changes(before, after),
        }
        if flags := pin.flags.get(name):
            row["suspicious"] = meaning(flags)
        rows.append(row)
    return rows


def rulings(policy: Mapping[str, str], pin: Pin | None, names: Iterable[str]) -> list[Ruled]:
    """Whether calls of each tool are let through, asked about or denied, and why."""
    return [
        {
            "tool": name,
            "verdict": str(decided(dict(policy), name, suspicious=is_grave(flags))),
            "because": _because(policy, name, flags, is_held=bool(pin and name in pin.withheld)),
        }
        for name in names
        for flags in [pin.flags.get(name, []) if pin else []]
    ]


def _because(policy: Mapping[str, str], name: str, flags: list[str], *, is_held: bool) -> str:
    found = ["held back until it is accepted"] if is_held else []
    if pattern := deciding(dict(policy), name):
        found.append(f"the policy says so of {pattern}")
    if flags:
        found.append(f"suspicious: {meaning(flags)}")
    return "; ".join(found)
