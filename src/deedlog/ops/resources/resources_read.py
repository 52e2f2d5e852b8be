from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core import page, sc
from deedlog.core.caller import ANYONE
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.sc.reading import address_of, opened, payload_of

NO_LIMIT = 2**31


class Read(TypedDict):
    uri: str
    kind: str
    payload: dict[str, Any]
    next_cursor: NotRequired[str]


@operation(
    Effect.READ,
    capability="resources",
    callers=ANYONE,
    words="resource read",
    templates=sc.TEMPLATES,
    listed_by="resources_list",
    examples=("deedlog resource read sc://graphs/wf-1j9x2k3m4n5p6q7r",),
)
def resources_read(
    ctx: Context,
    *,
    uri: Annotated[str, Field("An sc:// URI", min_length=1, max_length=400)],
    cursor: Annotated[str | None, Field("next_cursor, for the rest of a large one", max_length=40, rare=True)] = None,
    whole: Annotated[bool, Field("A graph in one answer, however large", rare=True)] = False,
) -> Read:
    """Read an sc:// resource: a graph or version, a snapshot, a run's events, logs, entries.

    Of events and logs the last ones, and those before them by next_cursor; resources_watch reads all from the first.
    A graph that does not fit is `partial`.
    """
    address = address_of(ctx, uri)
    room = NO_LIMIT if whole else page.MOST_CHARACTERS
    payload, rest = payload_of(ctx, address, uri, opened(cursor), room)
    answer: Read = {"uri": uri, "kind": address.kind, "payload": payload}
    if rest:
        answer["next_cursor"] = rest
    return answer
