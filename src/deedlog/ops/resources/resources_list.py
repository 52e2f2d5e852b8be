from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.errors import Invalid
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.sc.listing import first_of

SCHEME = "sc://"


class Item(TypedDict):
    uri: str
    kind: str
    metadata: NotRequired[dict[str, Any]]


class Listed(TypedDict):
    items: list[Item]
    next_cursor: NotRequired[str]


@operation(
    Effect.READ,
    capability="resources",
    callers=ANYONE,
    words="resource list",
    columns=("uri", "kind"),
    examples=("deedlog resource list --prefix sc://runs/",),
)
def resources_list(
    ctx: Context,
    *,
    prefix: Annotated[str | None, Field("What the URI begins with", min_length=1, max_length=400)] = None,
    limit: Annotated[int, Field("At most this many", minimum=1, maximum=500, rare=True)] = 100,
    cursor: Annotated[str | None, Field("next_cursor of the page before", max_length=400, rare=True)] = None,
) -> Listed:
    """List sc:// resources: graphs, snapshots, runs, children's logs, blackboard.

    Sorted by URI.
    """
    if cursor and not cursor.startswith(SCHEME):
        raise Invalid("cursor: this is not one of ours", hint="pass next_cursor as it was returned")
    begins = (prefix or "").strip()
    items: list[Any] = page.fitting(first_of(ctx, begins, cursor or "", limit))
    answer: Listed = {"items": items}
    if items and any(first_of(ctx, begins, items[-1]["uri"], 1)):
        answer["next_cursor"] = items[-1]["uri"]
    return answer
