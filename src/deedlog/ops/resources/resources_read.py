from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core import sc
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.sc.reading import address_of, payload_of


class Read(TypedDict):
    uri: str
    kind: str
    payload: dict[str, Any]
    next_cursor: NotRequired[str]


@operation(
    Effect.READ,
    capability="resources",
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
) -> Read:
    """Read an sc:// resource: a graph, one of its versions, a snapshot, a run's events, logs, entries.

    Of events and logs the last ones; resources_watch reads all.
    """
    address = address_of(ctx, uri)
    payload, rest = payload_of(ctx, address, uri, cursor)
    answer: Read = {"uri": uri, "kind": address.kind, "payload": payload}
    if rest:
        answer["next_cursor"] = rest
    return answer
