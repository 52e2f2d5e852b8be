"""What a repository brings, as answers show it."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from deedlog.core.errors import NotFound
from deedlog.core.moment import iso
from deedlog.core.trust import Brought, chosen
from deedlog.ports import Context, Outside


class Item(TypedDict):
    id: str
    name: str
    kind: str
    state: str
    value: Any
    source: str
    hash: str
    since: NotRequired[str]
    overruled: NotRequired[bool]


class Judged(TypedDict):
    items: list[Item]
    message: str


def row(one: Brought) -> Item:
    found: Item = {
        "id": one.id,
        "name": one.name,
        "kind": one.kind,
        "state": one.state,
        "value": one.value,
        "source": one.source,
        "hash": one.mark,
    }
    if one.since:
        found["since"] = iso(one.since)
    if one.overruled:
        found["overruled"] = True
    return found


def named(ctx: Context, ids: list[str]) -> list[Brought]:
    """The things that ids name. An id contains the hash, so it names exactly what the person saw."""
    found, unknown = chosen(ctx.trust.brought(servers=True), ids)
    if unknown:
        raise NotFound(
            f"the repository brings no {unknown[0][:120]!r} now",
            hint="it may have changed since you looked: trust_list",
            data={"id": unknown[0][:120]},
        )
    return found


def told(found: list[Brought], state: str) -> Outside:
    """What a person decided, for the log."""
    return Outside(
        subjects=[one.uri for one in found],
        after={one.id: {"state": state, "name": one.name, "value": one.value, "hash": one.mark} for one in found},
    )
