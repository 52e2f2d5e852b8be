"""Plans suggested from work that was finished: fragments, each a hierarchical graph, and why they are offered."""

from __future__ import annotations

import re

from deedlog.core.value import Value
from deedlog.core.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Json = dict[str, Any]

MOST_NODES = 60  # of a fragment: an answer must stay readable
MOST_LABEL, MOST_GOAL, MOST_NAME = 120, 300, 100
OWN_NAME = re.compile(r"^task-(?=\d+$)", re.ASCII)
UNKNOWN = "unknown"


class KnownTask(Value):
    """A task of a plan that is known; `node` is what it is called in a graph."""

    id: str
    label: str = ""
    node: str = ""
    goal: str = ""
    agent: str = ""
    source: str = ""
    depends_on: list[str] = []  # noqa: RUF012  # values are never changed in place
    confidence: float = 1.0
    duration: float | None = None
    weight: float | None = None


class KnownPlan(Value):
    """How a goal was reached; `match` says how like the goal that is asked for it is. One that `failed` is no model."""

    goal: str
    source: str
    tasks: list[KnownTask] = []  # noqa: RUF012
    match: float = 1.0
    at: int = 0
    failed: bool = False
    left_out: int = 0  # tasks of it that were not done


class _Group(Value):
    plan: KnownPlan
    label: str
    seeds: list[KnownTask]
    preferred: str = ""


def suggested(goal: str, plans: Sequence[KnownPlan], preferred: list[str], excluded: list[str], most: int) -> Json:
    """At most so many fragments for a goal, those of preferred sources first, without what is excluded."""
    finished = [plan for plan in plans if not plan.failed]
    known = {task.id: task for plan in finished for task in plan.tasks}
    out = {name for name in known if name in excluded or known[name].node in excluded}
    groups = _ordered([group for plan in finished for group in _groups(plan, preferred, out)], preferred)
    taken = [(group, _selected(group, out)) for group in groups[:most]]
    fragments = [_fragment(goal, number, *one) for number, one in enumerate(taken, 1)]
    tasks = {task.id: task for _, selected in taken for task in selected}
    applied = list(dict.fromkeys(group.preferred for group, _ in taken if group.preferred))
    return {
        "goal": goal,
        "fragments": fragments,
        "rationale": _rationale(goal, plans, groups, taken, sorted(out)),
        "coverage": {
            "total_tasks": len(known),
            "suggested_tasks": sorted(tasks),
            "excluded_tasks": sorted(out),
            "missing_dependencies": _lacking(tasks, lambda name: name in out),
            "unknown_dependencies": _lacking(tasks, lambda name: name not in known),
        },
        "sources": _sources(list(tasks.values())),
        "preferred_sources_applied": applied,
        "preferred_sources_ignored": [source for source in preferred if source not in applied],
    }


def _groups(plan: KnownPlan, preferred: list[str], out: set[str]) -> list[_Group]:
    """The parts of a plan that are offered apart: what each preferred source told of it, and the rest."""
    tasks = [task for task in plan.tasks if task.id not in out]
    groups = [
        _Group(plan=plan, label=source, seeds=seeds, preferred=source)
        for source in preferred
        if (seeds := [task for task in tasks if task.source.lower() == source.lower()])
    ]
    wanted = {source.lower() for source in preferred}
    if rest := [task for task in tasks if task.source.lower() not in wanted]:
        groups.append(_Group(plan=plan, label=plan.source or "all of it", seeds=rest))
    return groups


def _ordered(groups: list[_Group], preferred: list[str]) -> list[_Group]:
    def place(group: _Group) -> tuple[int, float, int, str]:
        rank = preferred.index(group.preferred) if group.preferred else len(preferred)
        return rank, -group.plan.match, -group.plan.at, group.label

    return sorted(groups, key=place)


def _selected(group: _Group, out: set[str]) -> list[KnownTask]:
    """What a group has, with what it depends on, each after what it depends on."""
    known = {task.id: task for task in group.plan.tasks if task.id not in out}
    left = list(group.seeds)
    chosen: dict[str, KnownTask] = {}
    while left:
        task = left.pop(0)
        if task.id not in chosen:
            chosen[task.id] = task
            left += [known[name] for name in task.depends_on if name in known]
    return _in_order(chosen)[:MOST_NODES]


def _in_order(tasks: dict[str, KnownTask]) -> list[KnownTask]:
    """Each after what it depends on, else as it was told; what depends on itself comes last."""
    rank = {name: place for place, name in enumerate(tasks)}
    done: dict[str, KnownTask] = {}
    while len(done) < len(tasks):
        left = [task for name, task in tasks.items() if name not in done]
        ready = [task for task in left if all(name in done or name not in tasks for name in task.depends_on)]
        for task in sorted(ready or left[:1], key=lambda task: rank[task.id]):
            done[task.id] = task
    return list(done.values())


def _fragment(goal: str, number: int, group: _Group, tasks: list[KnownTask]) -> Json:
    name = f"{one_line(goal, 60)}-fragment-{number}"
    seeds = {task.id for task in group.seeds}
    called = _called(tasks)
    edges = [(called[other], called[task.id]) for task in tasks for other in task.depends_on if other in called]
    return {
        "id": name,
        "nodes": [_node(goal, group, task, called[task.id], seed=task.id in seeds) for task in tasks],
        "edges": [
            {
                "id": f"edge-{place}",
                "from": {"nodeId": earlier},
                "to": {"nodeId": later},
                "label": "depends_on",
                "attributes": {"kg_dependency": True},
            }
            for place, (earlier, later) in enumerate(dict.fromkeys(edges), 1)
        ],
    }


def _called(tasks: list[KnownTask]) -> dict[str, str]:
    """What each task is called in a fragment, where two have one name told apart by a number."""
    called: dict[str, str] = {}
    taken: set[str] = set()
    for task in tasks:
        name = wanted = _node_name(task.node or task.id)
        number = 2
        while name in taken:
            name, number = f"{wanted}-{number}", number + 1
        taken.add(name)
        called[task.id] = name
    return called


def _node_name(name: str) -> str:
    """A name that any graph takes: in one piece, and not one that tasks have by themselves."""
    words = "".join(letter if letter.isprintable() else " " for letter in name).split()
    return OWN_NAME.sub("step-", "-".join(words)[:MOST_NAME]) or "step"


def _node(goal: str, group: _Group, task: KnownTask, name: str, *, seed: bool) -> Json:
    attributes: Json = {
        "kg_goal": one_line(goal, MOST_LABEL),
        "kg_source": task.source or UNKNOWN,
        "kg_group": group.label,
        "kg_seed": seed,
        "kg_confidence": round(task.confidence, 3),
        "kg_match": group.plan.match,
        "kg_task": task.id,
    }
    attributes |= {"kg_duration": task.duration} if task.duration is not None else {}
    attributes |= {"kg_weight": task.weight} if task.weight is not None else {}
    attributes |= {"goal": one_line(task.goal, MOST_GOAL)} if task.goal else {}
    attributes |= {"agent": task.agent} if task.agent else {}
    label = {"label": one_line(task.label, MOST_LABEL)} if task.label else {}
    return {"id": name, "kind": "task", **label, "attributes": attributes}


def _lacking(tasks: dict[str, KnownTask], lacks: Any) -> list[Json]:
    found = {name: sorted(filter(lacks, task.depends_on)) for name, task in tasks.items()}
    return [{"task": name, "dependencies": names} for name, names in sorted(found.items()) if names]


def _sources(tasks: list[KnownTask]) -> list[Json]:
    counts: dict[str, int] = {}
    for task in tasks:
        counts[task.source or UNKNOWN] = counts.get(task.source or UNKNOWN, 0) + 1
    return [{"source": source, "tasks": count} for source, count in sorted(counts.items(), key=lambda s: (-s[1], s[0]))]


def _rationale(
    goal: str,
    plans: Sequence[KnownPlan],
    groups: list[_Group],
    taken: list[tuple[_Group, list[KnownTask]]],
    out: list[str],
) -> list[str]:
    said = [_why(number, group, tasks) for number, (group, tasks) in enumerate(taken, 1)]
    if not taken:
        known = any(plan.tasks for plan in plans if not plan.failed)
        why = "all of its tasks are excluded" if known else "no finished work is like it; kg_insert tells of a plan"
        said = [f"No plan is suggested for {one_line(goal)!r}: {why}."]
    if len(groups) > len(taken):
        said.append(f"{len(groups) - len(taken)} more are known: raise max_fragments to see them.")
    if out:
        said.append(f"{len(out)} excluded: {', '.join(out[:5])}.")
    said += [
        f"{plan.source} was for {one_line(plan.goal)!r} and failed: it is not suggested."
        for plan in plans
        if plan.failed
    ]
    return said


def _why(number: int, group: _Group, tasks: list[KnownTask]) -> str:
    plan = group.plan
    like = "the same goal" if plan.match == 1 else f"a goal {plan.match:.0%} like it"
    helping = len(tasks) - len({task.id for task in tasks} & {task.id for task in group.seeds})
    own = len(tasks) - helping
    needs = "that it depends on" if own == 1 else "that they depend on"
    more = f" and {helping} {needs}" if helping else ""
    verbs = "was not done and is" if plan.left_out == 1 else "were not done and are"
    lost = f" {plan.left_out} of its tasks {verbs} left out." if plan.left_out else ""
    origin = f" ({group.label})" if group.label else ""
    what = f"{own} {'task' if own == 1 else 'tasks'}{more}"
    done = f"Fragment {number}: {what}, which reached {one_line(plan.goal)!r}{origin}"
    return f"{done}, {like}.{lost}"
