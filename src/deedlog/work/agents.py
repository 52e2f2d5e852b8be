"""Agents as they are found: what was stored under a name, else what is built in."""

from __future__ import annotations

from deedlog.core.agent import BUILT_IN, Agent
from deedlog.core.definition import UNLIMITED, checked
from deedlog.core.errors import Conflict, NotFound
from deedlog.core.words import did_you_mean
from deedlog.ports import Gone
from deedlog.work.lookup import every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.ports import Context
    from deedlog.work.agent_rows import AgentWritten


def find_agent(ctx: Context, name: str) -> Agent:
    found = _there(ctx, name)
    if found is None:
        known = [agent.name for agent in every_agent(ctx)]
        raise NotFound(
            f"there is no agent {name[:80]!r}",
            hint=did_you_mean(name[:80], known, "agent_list shows them"),
            data={"agent_id": name[:80], "name": name[:80]},
        )
    return found


def _there(ctx: Context, name: str) -> Agent | None:
    return ctx.ledger.find_one(Agent, name) or BUILT_IN.get(name)


def every_agent(ctx: Context) -> list[Agent]:
    """All of them, by their names."""
    stored = {agent.name: agent for agent in every(ctx.ledger, Agent, {})}
    return [agent for _, agent in sorted({**BUILT_IN, **stored}.items())]


def create(ctx: Context, agent: Agent, did: str = "Created", *, anew: bool = False) -> AgentWritten:
    """Store a new agent; `anew` also one that is built in, whose definition it replaces."""
    there = _there(ctx, agent.name)
    if there and _same(there, agent):
        return ctx.commit(answer=_written(there, "Nothing new about"))
    if there and (there.version or not anew):
        raise Conflict(
            f"there is already an agent {agent.name!r}",
            hint="agent_edit changes it; agent_import with replace puts another in its place",
            data={"agent_id": agent.name},
        )
    return _committed(ctx, agent, did)


def put(ctx: Context, agent: Agent, did: str) -> AgentWritten:
    """Store an agent in place of the one of that name, if there is one."""
    there = _there(ctx, agent.name)
    if there and _same(there, agent):
        return ctx.commit(answer=_written(there, "Nothing new about"))
    if there and there.version:
        agent = agent.replace(version=there.version, created_at=there.created_at)
    return _committed(ctx, agent, did)


def change(ctx: Context, before: Agent, changes: dict[str, Any]) -> AgentWritten:
    """Store an agent with changes; a built-in one is stored for the first time then."""
    scope = {**UNLIMITED, **before.scope, **changes.get("scope", {})}
    agent = checked(before.replace(**{**changes, "scope": scope}))
    if _same(before, agent):
        return ctx.commit(answer=_written(before, "Nothing new about"))
    return _committed(ctx, agent.replace(created_at=before.created_at or ctx.now, updated_at=ctx.now), "Changed")


def delete(ctx: Context, name: str) -> AgentWritten:
    agent = find_agent(ctx, name)
    if agent.version == 0:
        raise Conflict(
            f"the agent {agent.name!r} is built in, and cannot be deleted",
            hint="agent_edit changes it",
            data={"agent_id": agent.name},
        )
    did = "Deleted what was changed of the built-in" if agent.name in BUILT_IN else "Deleted"
    return ctx.commit(Gone(entity=agent), answer=_written(agent, did))


def _same(one: Agent, other: Agent) -> bool:
    """Whether two definitions say the same, whenever they were made."""
    aside = {"version": 0, "created_at": 0, "updated_at": 0}
    return one.replace(**aside) == other.replace(**aside)


def _committed(ctx: Context, agent: Agent, did: str) -> AgentWritten:
    return ctx.commit(agent, answer=_written(agent.replace(version=agent.version + 1), did))


def _written(agent: Agent, did: str) -> AgentWritten:
    return {"name": agent.name, "version": agent.version, "message": f'{did} agent "{agent.name}"'}
