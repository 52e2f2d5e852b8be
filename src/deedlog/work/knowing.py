"""What is known: facts that were told, and those that follow from the store and the records, read when asked for."""

from __future__ import annotations

from deedlog.core import facts
from deedlog.core.errors import DeedlogError
from deedlog.core.facts import ADR, DECISION, MEMORY, TRIPLE, WORKFLOW, Fact
from deedlog.core.knowledge import Triple
from deedlog.core.memory import ACTIVE, Memory
from deedlog.core.moment import moment_of
from deedlog.core.remark import Decision
from deedlog.core.task import COMPLETED as ENDED_WELL
from deedlog.core.task import Session, Task
from deedlog.core.value import Value
from deedlog.core.words import query_words
from deedlog.core.workflow import COMPLETED, FAILED, Workflow
from deedlog.work.lookup import every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from deedlog.core.page import Key
    from deedlog.ports import Context

    Place = tuple[int, str, str, int]

MOST_LOOKED = 20_000  # facts that one call looks through; the next page goes on from there
MOST_TASKS = 1_000  # of one workflow
MOST_OF_ONE_GOAL = 200  # workflows


class Asked(Value):
    """Which facts; `*` in a text stands for anything."""

    subject: str | None = None
    predicate: str | None = None
    object: str | None = None
    source: str | None = None
    min_confidence: float = 0.0

    def fits(self) -> Callable[[Fact], bool]:
        subject, predicate = facts.pattern(self.subject), facts.pattern(self.predicate)
        about, source = facts.pattern(self.object), facts.pattern(self.source)
        least = self.min_confidence

        def fit(fact: Fact) -> bool:
            return (
                predicate(fact.predicate)
                and subject(fact.subject)
                and about(fact.object)
                and source(fact.source)
                and fact.confidence >= least
            )

        return fit


def known(
    ctx: Context, asked: Asked, limit: int, after: Place | None, *, newest: bool
) -> tuple[list[Fact], Place | None]:
    """At most `limit` facts after a place, in order of time, and the place where the next page starts."""
    from heapq import merge  # few calls ask for facts

    fits = asked.fits()
    found: list[Fact] = []
    start = (after[0] + 1 if newest else after[0], "") if after else None
    streams = [stream(ctx, asked, start, newest) for kind, stream in STREAMS.items() if _may_tell(kind, asked)]
    looked, place = 0, after
    for fact in merge(*streams, key=lambda fact: fact.key, reverse=newest):
        if after and (fact.key >= after if newest else fact.key <= after):
            continue
        if len(found) == limit or looked == MOST_LOOKED:
            return found, place
        looked, place = looked + 1, fact.key
        if fits(fact):
            found.append(fact)
    return found, None


def _may_tell(kind: str, asked: Asked) -> bool:
    predicate, source = facts.literal(asked.predicate), facts.literal(asked.source)
    if kind == TRIPLE:
        return True
    return (not predicate or predicate in facts.PREDICATES[kind]) and (not source or source.startswith(f"{kind}:"))


def _named(asked: Asked, kind: str) -> str:
    """The id of the one thing of a kind that is asked about, if only one is."""
    for text in (asked.subject, asked.source):
        if (said := facts.literal(text)).startswith(f"{kind}:"):
            return said.partition(":")[2]
    return ""


def _triples(ctx: Context, asked: Asked, start: Key | None, newest: bool) -> Iterator[Fact]:  # noqa: FBT001
    where = {name: text for name in ("subject", "predicate") if (text := facts.literal(getattr(asked, name)))}
    return map(facts.told, every(ctx.ledger, Triple, where, oldest=not newest, before=start))


def _decisions(ctx: Context, asked: Asked, start: Key | None, newest: bool) -> Iterator[Fact]:  # noqa: FBT001
    where = {}
    if ref := _named(asked, "task"):
        task = ctx.ledger.find_one(Task, ref)
        where = {"task_id": task.id if task else ref}
    if one := _named(asked, DECISION):
        found = ctx.ledger.find_one(Decision, one)
        decisions: Iterable[Decision] = [found] if found else []
    else:
        decisions = every(ctx.ledger, Decision, where, oldest=not newest, before=start)
    for decision in decisions:
        task = ctx.ledger.find_one(Task, decision.task_id)
        yield from _ordered(facts.of_decision(decision, task.ref if task else decision.task_id), newest)


def _memories(ctx: Context, asked: Asked, start: Key | None, newest: bool) -> Iterator[Fact]:  # noqa: FBT001
    if one := _named(asked, MEMORY):
        found = ctx.ledger.find_one(Memory, one)
        entries: Iterable[Memory] = [found] if found and found.status == ACTIVE else []
    else:
        entries = every(ctx.ledger, Memory, {"status": ACTIVE}, oldest=not newest, before=start)
    for entry in entries:
        yield from _ordered(facts.of_memory(entry), newest)


def _records(ctx: Context, _asked: Asked, _start: Key | None, newest: bool) -> Iterator[Fact]:  # noqa: FBT001
    try:
        book = ctx.records.look(task=False)
    except DeedlogError:
        return  # records that cannot be read are for adr_verify to tell of
    yield from _ordered(facts.of_records(book, moment_of), newest)


def _workflows(ctx: Context, asked: Asked, start: Key | None, newest: bool) -> Iterator[Fact]:  # noqa: FBT001
    named = _named(asked, WORKFLOW)
    if ref := _named(asked, "task"):
        task = ctx.ledger.find_one(Task, ref)
        named = task.workflow_id if task else "none"
    if named:
        found = ctx.ledger.find_one(Workflow, named)
        workflows: Iterable[Workflow] = [found] if found else []
    elif goal := facts.literal(asked.subject):
        workflows = sorted(_of_goal(ctx, goal), key=ctx.ledger.sort_key, reverse=newest)
    else:
        workflows = every(ctx.ledger, Workflow, {}, oldest=not newest, before=start)
    for workflow in workflows:
        if workflow.status in (COMPLETED, FAILED):
            yield from _ordered(facts_of_workflow(ctx, workflow, asked), newest)


def _of_goal(ctx: Context, goal: str) -> list[Workflow]:
    """The workflows of this very name, found by its words."""
    hits = ctx.ledger.search(query_words(goal), [Workflow.kind], MOST_OF_ONE_GOAL)
    found = (ctx.ledger.find_one(Workflow, hit.uri.partition("://")[2]) for hit in hits)
    return [workflow for workflow in found if workflow and workflow.name == goal]


def facts_of_workflow(ctx: Context, workflow: Workflow, asked: Asked | None = None) -> list[Fact]:
    tasks = tasks_of(ctx, workflow)
    durations = not asked or facts.pattern(asked.predicate)(facts.DURATION)
    return facts.of_workflow(workflow, tasks, lambda task: seconds(ctx, task) if durations else None)


def tasks_of(ctx: Context, workflow: Workflow) -> list[Task]:
    return ctx.ledger.find(Task, {"workflow_id": workflow.id}, limit=MOST_TASKS, oldest=True)


def seconds(ctx: Context, task: Task) -> int | None:
    """How long the last attempt at a task took that ended well."""
    found = ctx.ledger.find(Session, {"task_id": task.id, "status": ENDED_WELL}, limit=1)
    if not found or found[0].ended_at is None:
        return None
    return facts.seconds_of(found[0].started_at, found[0].ended_at)


def _ordered(found: list[Fact], newest: bool) -> Iterable[Fact]:  # noqa: FBT001
    return reversed(found) if newest else found


STREAMS: dict[str, Callable[[Context, Asked, Key | None, bool], Iterator[Fact]]] = {
    ADR: _records,
    DECISION: _decisions,
    MEMORY: _memories,
    TRIPLE: _triples,
    WORKFLOW: _workflows,
}
