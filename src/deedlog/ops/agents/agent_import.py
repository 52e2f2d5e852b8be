from __future__ import annotations

from typing import Annotated, Any

from deedlog.core.agent import Agent
from deedlog.core.definition import checked
from deedlog.core.yaml_reader import loads
from deedlog.operation import validate
from deedlog.operation.catalog import load
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.agent_rows import AgentWritten
from deedlog.work.agents import create, put
from deedlog.work.lookup import repeated


@operation(
    Effect.WRITE,
    capability="authoring",
    camel=True,
    examples=("deedlog agent import @coder.yaml", "deedlog agent import - --replace < coder.yaml"),
)
def agent_import(
    ctx: Context,
    *,
    yaml: Annotated[str, Field("A definition, as agent_export writes it", min_length=1, max_length=100_000)],
    replace: Annotated[bool, Field("Replace an agent of that name")] = False,
) -> AgentWritten:
    """Define an agent from YAML. Everything the text does not say is as agent_create has it."""
    told = validate.arguments(load()["agent_create"].input_schema, loads(yaml, "yaml"))
    agent = checked(_agent({validate.snake(name): value for name, value in told.items()}, ctx.now))
    return repeated(lambda: put(ctx, agent, "Imported") if replace else create(ctx, agent, "Imported", anew=True))


def _agent(told: dict[str, Any], now: int) -> Agent:
    return Agent(id=told.pop("name"), created_at=now, updated_at=now, **told)
