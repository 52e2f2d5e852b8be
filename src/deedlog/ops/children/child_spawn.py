from __future__ import annotations

from typing import Annotated, Any

from deedlog.core import limits as bounds
from deedlog.core.caller import ANYONE
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.child_inputs import (
    GivenLimits,
    GivenSandbox,
    Interactive,
    Metadata,
    Prompt,
    ReadyTimeout,
    Role,
    TaskNamed,
    WorkflowNamed,
    names,
    variables,
)
from deedlog.work.child_starting import Started, start
from deedlog.work.spawning import Ask
from deedlog.work.worker_inputs import AgentName, Client


@operation(
    Effect.DESTROY,
    capability="child-ops-fine",
    callers=ANYONE,
    settles=True,
    waits=True,
    examples=("deedlog child spawn 'Look for flaky tests' --role tester --agent coder",),
)
def child_spawn(
    ctx: Context,
    *,
    prompt: Prompt,
    role: Role = None,
    agent: AgentName = None,
    client: Client = None,
    model_hint: Annotated[str | None, Field("The model, where its client takes one", max_length=120)] = None,
    limits: GivenLimits = None,
    metadata: Metadata = None,
    manifest_extras: Annotated[dict[str, Any] | None, Field("More metadata")] = None,
    task_id: TaskNamed = None,
    workflow_id: WorkflowNamed = None,
    interactive: Interactive = False,
    ready_timeout_ms: ReadyTimeout = 10_000,
    sandbox: GivenSandbox = None,
) -> Started:
    """Start a child: an agent in a work tree of its own, under a supervisor.

    child_stream follows what it prints, worker_done merges its work.
    """
    box = sandbox or {}
    ask = Ask(
        prompt=prompt,
        role=role or "",
        agent=agent,
        client=client,
        model=model_hint or "",
        limits=bounds.checked(limits),
        metadata={**(manifest_extras or {}), **(metadata or {})},
        task_id=task_id,
        workflow_id=workflow_id,
        profile=box.get("profile", ""),
        inherit=box.get("inherit_default_env"),
        allow=names(box.get("allow_env")),
        env=variables(box.get("env"), "sandbox.env"),
        interactive=interactive,
    )
    answer: Started = start(ctx, ask, ready_timeout_ms)
    return answer
