from __future__ import annotations

from typing import Annotated, TypedDict

from deedlog.core.caller import PEOPLE
from deedlog.core.capability import known
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context


class Switched(TypedDict):
    name: str
    on: bool
    changed: bool


@operation(
    Effect.DESTROY,
    capability="mcp-introspection",
    callers=PEOPLE,
    further=True,
    only_changes=True,
    examples=("deedlog capability set tx", "deedlog capability set tx --no-on"),
)
def capability_set(
    ctx: Context,
    *,
    name: Annotated[str, Field("The capability, as capability_list names it", min_length=1, max_length=80)],
    on: Annotated[bool, Field("On, or else off")] = True,
) -> Switched:
    """Switch a capability on or off while servers run, for all processes of the project on this machine.

    What the configuration switches by name stays as it is. Clients are told that their lists changed.
    """
    changed = ctx.capabilities.on(known(name)) != on
    answer: Switched = {"name": name, "on": on, "changed": changed}
    if not changed:
        return answer
    ctx.capabilities.switch(name, on=on)
    return ctx.commit(answer=answer)
