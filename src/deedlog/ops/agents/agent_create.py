from __future__ import annotations

from deedlog.core.agent import Agent
from deedlog.core.caller import PEOPLE
from deedlog.core.definition import checked
from deedlog.operation.define import Effect, operation
from deedlog.ports import Context
from deedlog.work.agent_inputs import (
    Checks,
    Client,
    Command,
    Config,
    Description,
    Limits,
    Model,
    Name,
    Prompt,
    Scoped,
    given,
)
from deedlog.work.agent_rows import AgentWritten
from deedlog.work.agents import create
from deedlog.work.lookup import repeated


@operation(
    Effect.WRITE,
    capability="authoring",
    callers=PEOPLE,
    further=True,
    camel=True,
    examples=(
        "deedlog agent create tester --model haiku --scope.write 'tests/**' --prompt-content @tester.md",
        """deedlog agent create local --client my-tool --command my-tool --command '{prompt_file}'""",
    ),
)
def agent_create(
    ctx: Context,
    *,
    name: Name,
    description: Description = "",
    client: Client = "",
    model: Model = "",
    scope: Scoped | None = None,
    config: Config | None = None,
    prompt_content: Prompt = "",
    command: Command | None = None,
    checks: Checks | None = None,
    budget: Limits | None = None,
) -> AgentWritten:
    """Define an agent that workers can be run as. Without a scope it may read and write everything."""
    more = given(scope=scope, config=config, command=command, checks=checks, budget=budget)
    agent = checked(
        Agent(
            id=name,
            description=description,
            client=client,
            model=model,
            prompt_content=prompt_content,
            created_at=ctx.now,
            updated_at=ctx.now,
            **more,
        )
    )
    return repeated(lambda: create(ctx, agent))
