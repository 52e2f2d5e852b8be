"""How agents are told, and how their definitions are stored."""

from __future__ import annotations

from typing import Any, NotRequired, TypedDict

from deedlog.core.agent import BUILT_IN, Agent
from deedlog.core.definition import UNLIMITED, shown
from deedlog.core.moment import iso

Json = dict[str, Any]


class AgentScope(TypedDict):
    read: list[str]
    write: list[str]
    exclude: list[str]


class AgentRow(TypedDict):
    name: str
    client: str
    model: str
    scope: AgentScope


class AgentDetails(TypedDict):
    name: str
    description: str
    client: str
    model: str
    scope: AgentScope
    config: Json
    promptContent: str
    command: NotRequired[list[str]]
    checks: NotRequired[list[Json]]
    budget: NotRequired[Json]
    builtIn: bool
    version: int
    createdAt: NotRequired[str]
    updatedAt: NotRequired[str]


class AgentWritten(TypedDict):
    name: str
    version: int
    message: str


def agent_row(agent: Agent) -> AgentRow:
    return {"name": agent.name, "client": agent.client, "model": agent.model, "scope": _scope(agent)}


def _scope(agent: Agent) -> AgentScope:
    scope = {**UNLIMITED, **agent.scope}  # an import may have brought less
    return {"read": scope["read"], "write": scope["write"], "exclude": scope["exclude"]}


def agent_details(agent: Agent) -> AgentDetails:
    told = shown(agent)
    answer: AgentDetails = {
        "name": agent.name,
        "description": agent.description,
        "client": agent.client,
        "model": agent.model,
        "scope": _scope(agent),
        "config": agent.config,
        "promptContent": agent.prompt_content,
        "builtIn": agent.name in BUILT_IN and agent.version == 0,
        "version": agent.version,
    }
    if agent.version:
        answer["createdAt"], answer["updatedAt"] = iso(agent.created_at), iso(agent.updated_at)
    for name in ("command", "checks", "budget"):
        if name in told:
            answer[name] = told[name]
    return answer
