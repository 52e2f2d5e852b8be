from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from deedlog.core import limits as bounds
from deedlog.core.caller import ANYONE
from deedlog.core.errors import Invalid
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.child_inputs import Interactive, Metadata, Role, TaskNamed, Variables, WorkflowNamed, variables
from deedlog.work.child_starting import Started, start
from deedlog.work.spawning import Ask

READY_MS = 10_000


class Timeouts(TypedDict):
    ready_ms: NotRequired[Annotated[int, Field("Wait so long for it", minimum=0, maximum=120_000)]]
    idle_ms: NotRequired[Annotated[int, Field("Stop it when it prints nothing", minimum=1)]]
    wallclock_ms: NotRequired[Annotated[int, Field("Stop it then", minimum=1)]]


@operation(
    Effect.DESTROY,
    capability="child-ops-fine",
    callers=ANYONE,
    settles=True,
    waits=True,
    examples=("deedlog child create make --args test",),
)
def child_create(
    ctx: Context,
    *,
    command: Annotated[str, Field("The program", min_length=1, max_length=4_096)],
    args: Annotated[list[str] | None, Field("Its arguments; {prompt_file} and so on stand for theirs")] = None,
    env: Variables = None,
    prompt: Annotated[str, Field("Goes to its standard input, unless args have it", max_length=100_000)] = "",
    role: Role = None,
    tools_allow: Annotated[list[str] | None, Field("Tools it is told to use", max_items=100)] = None,
    timeouts: Annotated[Timeouts | None, Field("How long it may take")] = None,
    budget: Annotated[dict[str, float] | None, Field(bounds.NAMES)] = None,
    metadata: Metadata = None,
    task_id: TaskNamed = None,
    workflow_id: WorkflowNamed = None,
    interactive: Interactive = False,
    wait_for_ready: Annotated[bool, Field("Return once its process runs")] = True,
) -> Started:
    """Start a child that is a program of your own, in a work tree of its own. No shell reads the command."""
    given = {name: value for name, value in (timeouts or {}).items() if name != "ready_ms"}
    if twice := sorted(given.keys() & (budget or {}).keys()):
        raise Invalid(f"{twice[0]}: given twice, in timeouts and in budget", data={"field": twice[0]})
    ask = Ask(
        prompt=prompt,
        role=role or "",
        command=[command, *(args or [])],
        limits=bounds.checked({**given, **(budget or {})}, "budget"),
        metadata=metadata or {},
        task_id=task_id,
        workflow_id=workflow_id,
        env=variables(env),
        tools=tools_allow or [],
        interactive=interactive,
    )
    ready_ms = (timeouts or {}).get("ready_ms", READY_MS)
    answer: Started = start(ctx, ask, ready_ms if wait_for_ready else 0)
    return answer
