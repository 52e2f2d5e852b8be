"""Plans that are known for goals like one that is asked for: finished workflows, and what was told as facts."""

from __future__ import annotations

from deedlog.core.facts import DEPENDS_ON, DURATION, INCLUDES, LABEL, WEIGHT, WORKFLOW
from deedlog.core.knowledge import Triple
from deedlog.core.likeness import GENERIC, likeness, short_name, words_of
from deedlog.core.suggesting import KnownPlan, KnownTask
from deedlog.core.task import DONE, Session, Task
from deedlog.core.words import fold
from deedlog.core.workflow import COMPLETED, FAILED, Workflow
from deedlog.work.knowing import seconds, tasks_of
from deedlog.work.lookup import every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from deedlog.ports import Context

NEWEST, PER_WORD, MOST_TRIPLES = 500, 50, 5_000  # what is looked through
LEAST_LIKENESS = 0.45
MOST_PLANS, MOST_FAILED = 8, 3


def known_plans(ctx: Context, goal: str) -> list[KnownPlan]:
    """The plans most like a goal, the best first; also some that failed, so that they can be told of."""
    ranked = sorted(
        (
            (match, workflow)
            for workflow in _candidates(ctx, goal)
            if (match := _match(goal, workflow)) >= LEAST_LIKENESS
        ),
        key=lambda one: (-one[0], -one[1].created_at, one[1].id),
    )
    done = [_plan(ctx, workflow, match) for match, workflow in ranked if workflow.status == COMPLETED][:MOST_PLANS]
    failed = [
        KnownPlan(goal=workflow.name, source=f"{WORKFLOW}:{workflow.id}", match=match, failed=True)
        for match, workflow in ranked
        if workflow.status == FAILED
    ]
    return [*_told(ctx, goal), *(plan for plan in done if plan.tasks), *failed[:MOST_FAILED]]


def _candidates(ctx: Context, goal: str) -> Iterable[Workflow]:
    """The newest of those that ended, and older ones that have a word of the goal."""
    found = {
        workflow.id: workflow
        for status in (COMPLETED, FAILED)
        for workflow in ctx.ledger.find(Workflow, {"status": status}, limit=NEWEST)
    }
    telling = [word for word, weight in words_of(goal).items() if weight > GENERIC]
    for word in telling[:6]:
        for hit in ctx.ledger.search([fold(word)], [Workflow.kind], PER_WORD):
            name = hit.uri.partition("://")[2]
            older = None if name in found else ctx.ledger.find_one(Workflow, name)
            if older and older.status in (COMPLETED, FAILED):
                found[name] = older
    return found.values()


def _match(goal: str, workflow: Workflow) -> float:
    return likeness(goal, workflow.name, workflow.description)


def _plan(ctx: Context, workflow: Workflow, match: float) -> KnownPlan:
    tasks = tasks_of(ctx, workflow)
    refs = {task.id: task.ref for task in tasks}
    source = f"{WORKFLOW}:{workflow.id}"
    done = [_task(ctx, task, refs, source) for task in tasks if task.status == DONE]
    return KnownPlan(
        goal=workflow.name,
        source=source,
        tasks=done,
        match=match,
        at=workflow.created_at,
        left_out=len(tasks) - len(done),
    )


def _task(ctx: Context, task: Task, refs: dict[str, str], source: str) -> KnownTask:
    sessions = ctx.ledger.find(Session, {"task_id": task.id}, limit=1)
    return KnownTask(
        id=task.ref,
        label=task.name,
        node=task.node or short_name(task.name) or f"step-{task.number}",
        goal=task.goal or task.name,
        agent=(sessions[0].agent if sessions else "") or task.assignee,
        source=source,
        depends_on=[refs.get(other, other) for other in task.depends_on],
        duration=seconds(ctx, task),
        weight=task.complexity,
    )


def _told(ctx: Context, goal: str) -> list[KnownPlan]:
    """Plans that somebody told as facts: (goal, includes, task)."""
    goals: dict[str, list[Triple]] = {}
    for count, triple in enumerate(every(ctx.ledger, Triple, {"predicate": INCLUDES})):
        if count == MOST_TRIPLES:
            break
        goals.setdefault(triple.subject, []).append(triple)
    ranked = sorted((-likeness(goal, name), name) for name in goals)
    return [
        KnownPlan(
            goal=name, source="", tasks=_told_tasks(ctx, goals[name][::-1]), match=-match, at=goals[name][0].created_at
        )
        for match, name in ranked[:MOST_PLANS]
        if -match >= LEAST_LIKENESS
    ]


def _told_tasks(ctx: Context, includes: list[Triple]) -> list[KnownTask]:
    return [_told_task(ctx, triple) for triple in includes]


def _told_task(ctx: Context, triple: Triple) -> KnownTask:
    said: dict[str, list[str]] = {}
    for fact in every(ctx.ledger, Triple, {"subject": f"task:{triple.object}"}, oldest=True):
        said.setdefault(fact.predicate, []).append(fact.object)
    return KnownTask(
        id=triple.object,
        label=said.get(LABEL, [""])[-1],
        goal=said.get("goal", [""])[-1],
        agent=said.get("agent", [""])[-1],
        source=triple.source,
        depends_on=said.get(DEPENDS_ON, []),
        confidence=triple.confidence,
        duration=_number(said.get(DURATION)),
        weight=_number(said.get(WEIGHT)),
    )


def _number(texts: list[str] | None) -> float | None:
    try:
        number = float(texts[-1]) if texts else None
    except ValueError:
        return None
    return number if number is not None and abs(number) < float("inf") else None
