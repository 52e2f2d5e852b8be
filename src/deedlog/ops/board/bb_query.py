from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.blackboard import PARTED, Entry, namespace_of, shown
from deedlog.core.caller import ANYONE
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.blackboard import MOST_KEY, MOST_TAGS, entries, entry
from deedlog.work.board_rows import Snapshot

MOST_KEYS = 64


class Found(TypedDict):
    entries: list[Snapshot]
    next_version: int
    next_cursor: NotRequired[str]


@operation(
    Effect.READ,
    capability="blackboard",
    callers=ANYONE,
    columns=("key", "value", "tags"),
    examples=("deedlog bb query --namespace build --tags ci",),
)
def bb_query(
    ctx: Context,
    *,
    keys: Annotated[list[str] | None, Field("Only these keys", max_items=MOST_KEYS)] = None,
    tags: Annotated[list[str] | None, Field("Only entries with all of these tags", max_items=MOST_TAGS)] = None,
    namespace: Annotated[str | None, Field("Only this namespace", max_length=MOST_KEY)] = None,
    prefix: Annotated[str | None, Field("Only keys that begin so", max_length=MOST_KEY)] = None,
    limit: Annotated[int, Field("At most this many", minimum=1, maximum=100)] = 25,
    cursor: Annotated[str | None, Field("next_cursor of the page before", max_length=400)] = None,
) -> Found:
    """Find entries of the blackboard by keys, tags, namespace or prefix.

    next_version is the start_version of a bb_watch that tells what came after.
    """
    head = ctx.ledger.head()
    if keys is not None:
        named = (entry(ctx, key) for key in dict.fromkeys(keys))
        found = [each for each in named if each and _fits(each, namespace, prefix, tags)]
        return _told(ctx, found[:limit], head, more=len(found) > limit)
    if prefix and namespace is None and PARTED.search(prefix):
        namespace = namespace_of(prefix)
    found = []
    for each in entries(ctx, namespace, page.opened(cursor)):
        if _fits(each, namespace, prefix, tags):
            found.append(each)
        if len(found) > limit:
            break
    return _told(ctx, found[:limit], head, more=len(found) > limit)


def _fits(found: Entry, namespace: str | None, prefix: str | None, tags: list[str] | None) -> bool:
    return (
        (namespace is None or found.namespace == namespace)
        and (not prefix or found.id.startswith(prefix))
        and set(tags or ()).issubset(found.tags)
    )


def _told(ctx: Context, found: list[Entry], head: int, *, more: bool) -> Found:
    rows = page.fitting([shown(each) for each in found])
    answer: Found = {"entries": rows, "next_version": head}  # type: ignore[typeddict-item]
    if more or len(rows) < len(found):
        answer["next_cursor"] = page.cursor(ctx.ledger.sort_key(found[len(rows) - 1]))
    return answer
