"""What agents bid for a task, and who is awarded it."""

from __future__ import annotations

import re

from deedlog.core.value import Value
from deedlog.core.words import fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from deedlog.core.agent import Agent
    from deedlog.core.task import Task

    Json = dict[str, Any]

MANUAL, HEURISTIC = "manual", "heuristic"
BASE_COST, PER_WORD, MOST_WORDS, CANNOT_WRITE = 100.0, 10.0, 5, 50.0
BUSY_PENALTY, PREFERENCE_BONUS = 10.0, 10.0
WORD = re.compile(r"\w{4,}")
COMMON = frozenset(("task", "tasks", "that", "this", "what", "with", "file", "files", "change", "changes"))
DIGITS = 6


class Heuristics(Value):
    """What changes the cost of a bid: who is preferred or biased for, and what each task at hand costs."""

    prefer_agents: list[str] = []  # noqa: RUF012  # values are never changed in place
    agent_bias: dict[str, float] = {}  # noqa: RUF012
    busy_penalty: float = BUSY_PENALTY
    preference_bonus: float = PREFERENCE_BONUS


def own_bid(agent: Agent, task: Task) -> Json:
    """What an agent of the project bids by itself.

    The same for all, less for each word that its description shares with the task, more where it may change no files.
    """
    said = f"{task.name} {task.goal} {task.type} {' '.join(task.labels)}"
    shared = sorted(_words(said) & _words(f"{agent.name} {agent.description}"))[:MOST_WORDS]
    writes = bool(agent.scope.get("write", ["**/*"]))
    cost = BASE_COST - PER_WORD * len(shared) + (0.0 if writes else CANNOT_WRITE)
    return {"agent_id": agent.name, "cost": cost, "kind": HEURISTIC, "metadata": {"shared": shared, "writes": writes}}


def _words(text: str) -> set[str]:
    """The longer words, by how they begin: `documentation` and `documents` are one."""
    return {word.removesuffix("s")[:7] for word in WORD.findall(fold(text)) if word not in COMMON}


def weighed(bids: Sequence[Json], active: Mapping[str, int], heuristics: Heuristics) -> list[Json]:
    """Bids with their effective costs, the best first; of equal ones what an agent said itself, then the less busy."""
    told = []
    for bid in bids:
        agent = bid["agent_id"]
        cost = bid["cost"] + heuristics.busy_penalty * active.get(agent, 0) - heuristics.agent_bias.get(agent, 0)
        cost -= heuristics.preference_bonus if agent in heuristics.prefer_agents else 0
        told.append({**bid, "active": active.get(agent, 0), "effective_cost": round(cost, DIGITS)})
    return sorted(told, key=lambda bid: (bid["effective_cost"], bid["kind"] != MANUAL, bid["active"], bid["agent_id"]))


def merged(earlier: Sequence[Json], later: Sequence[Json]) -> list[Json]:
    """One bid of each agent: the later one, unless that is a guess and the other is not."""
    found = {bid["agent_id"]: bid for bid in earlier}
    for bid in later:
        known = found.get(bid["agent_id"])
        if known is None or bid["kind"] == MANUAL or known["kind"] == HEURISTIC:
            found[bid["agent_id"]] = bid
    return list(found.values())
