from __future__ import annotations

from deedlog.core.caller import PEOPLE
from deedlog.core.errors import Invalid
from deedlog.operation.define import Effect, operation
from deedlog.ports import Context
from deedlog.work.agent_inputs import (
    Client,
    Config,
    Description,
    Model,
    Name,
    OtherChecks,
    OtherCommand,
    OtherLimits,
    OtherScope,
    Prompt,
    given,
)
from deedlog.work.agent_reading import as_created
from deedlog.work.agent_rows import AgentWritten
from deedlog.work.agents import change, find_agent
from deedlog.work.lookup import repeated


@operation(
    Effect.WRITE,
    capability="authoring",
    callers=PEOPLE,
    further=True,
    camel=True,
    alias="agent update",
    examples=("deedlog agent edit coder --model opus", "deedlog agent edit coder --scope.write 'src/**'"),
)
def agent_edit(
    ctx: Context,
    *,
    name: Name,
    description: Description | None = None,
    client: Client | None = None,
    model: Model | None = None,
    scope: OtherScope | None = None,
    config: Config | None = None,
    prompt_content: Prompt | None = None,
    command: OtherCommand | None = None,
    checks: OtherChecks | None = None,
    budget: OtherLimits | None = None,
) -> AgentWritten:
    """Change an agent: what is given, of its scope the given lists; the rest stays."""
    changes = given(
        description=description,
        client=client,
        model=model,
        scope=scope,
        config=config,
        prompt_content=prompt_content,
        command=command,
    )
    if parts := given(checks=checks, budget=budget):
        changes |= as_created(parts)
    if not changes:
        raise Invalid("nothing to change was given", hint="give a field of the definition, e.g. model")
    return repeated(lambda: change(ctx, find_agent(ctx, name), changes))
