"""Definitions of agents that people wrote."""

from __future__ import annotations

from typing import Any

from deedlog.core.agent import Agent
from deedlog.core.definition import checked
from deedlog.operation import catalog, validate
from deedlog.work.yaml_reader import loads


def read_agent(text: str, field: str, now: int) -> Agent:
    """The agent a YAML text defines, by the rules for `agent_create`, or the refusal of its first mistake."""
    told = validate.arguments(_schema(), loads(text, field))
    told = {validate.snake(name): value for name, value in told.items()}
    return checked(Agent(id=told.pop("name"), created_at=now, updated_at=now, **told))


def as_created(parts: dict[str, Any]) -> dict[str, Any]:
    """Parts of a definition, by the same rules."""
    known = _schema()["properties"]
    return validate.arguments({"properties": {name: known[name] for name in parts}}, parts)


def _schema() -> dict[str, Any]:
    """Which an operation that says less about its inputs need not repeat."""
    return catalog.load()["agent_create"].input_schema
