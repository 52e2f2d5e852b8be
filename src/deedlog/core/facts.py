"""Facts: those somebody told, and those that follow from finished work, decisions and the memory bank."""

from __future__ import annotations

import re

from deedlog.core.moment import SECOND
from deedlog.core.value import Value
from deedlog.core.words import one_line
from deedlog.core.workflow import COMPLETED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from deedlog.core.knowledge import Triple
    from deedlog.core.memory import Memory
    from deedlog.core.records.values import Book
    from deedlog.core.remark import Decision
    from deedlog.core.task import Task
    from deedlog.core.workflow import Workflow

MOST_OBJECT = 500
INCLUDES, DEPENDS_ON, LABEL, DURATION, WEIGHT = "includes", "depends_on", "label", "duration", "weight"
STATUS, DECIDED, FAILED_IN, ACHIEVED_IN = "status", "decided", "failed_in", "achieved_in"
WORKFLOW, DECISION, MEMORY, ADR, TRIPLE = "workflow", "decision", "memory", "adr", "triple"
PREDICATES = {  # what follows from each kind of thing; of those somebody told there may be any
    WORKFLOW: (INCLUDES, ACHIEVED_IN, FAILED_IN, LABEL, STATUS, DEPENDS_ON, DURATION, WEIGHT),
    DECISION: (DECIDED, "question", "chosen", "because"),
    MEMORY: ("title", "category", "says"),
    ADR: ("title", STATUS, "is"),
}


class Fact(Value):
    """`place` tells it from the others of the thing it follows from; `key` puts all facts in an order."""

    subject: str
    predicate: str
    object: str
    source: str
    kind: str
    of: str  # the id of the thing it follows from
    place: int
    at: int
    updated_at: int = 0
    confidence: float = 1.0
    revision: int = 1

    @property
    def key(self) -> tuple[int, str, str, int]:
        return self.at, self.kind, self.of, self.place

    @property
    def id(self) -> str:
        return self.of if self.kind == TRIPLE else f"{self.kind}:{self.of}#{self.place}"


def told(triple: Triple) -> Fact:
    return Fact(
        subject=triple.subject,
        predicate=triple.predicate,
        object=triple.object,
        source=triple.source,
        kind=TRIPLE,
        of=triple.id,
        place=0,
        at=triple.created_at,
        updated_at=triple.updated_at,
        confidence=triple.confidence,
        revision=triple.version,
    )


def numbered(kind: str, of: str, at: int, said: Iterator[tuple[str, str, str]]) -> list[Fact]:
    """What follows from one thing, in its order."""
    return [
        Fact(
            subject=subject,
            predicate=predicate,
            object=one_line(text, MOST_OBJECT),
            source=f"{kind}:{of}",
            kind=kind,
            of=of,
            place=place,
            at=at,
        )
        for place, (subject, predicate, text) in enumerate(said)
        if text
    ]


def of_workflow(workflow: Workflow, tasks: Sequence[Task], seconds: Callable[[Task], int | None]) -> list[Fact]:
    """A finished workflow as a plan for its goal: what it consisted of, in which order, how long it took."""

    def said() -> Iterator[tuple[str, str, str]]:
        done = workflow.status == COMPLETED
        refs = {task.id: task.ref for task in tasks}
        yield workflow.name, ACHIEVED_IN if done else FAILED_IN, f"{WORKFLOW}:{workflow.id}"
        for task in tasks:
            if done and task.status == "done":
                yield workflow.name, INCLUDES, task.ref
        for task in tasks:
            yield from _of_task(task, refs, seconds)

    return numbered(WORKFLOW, workflow.id, workflow.created_at, said())


def _of_task(task: Task, refs: dict[str, str], seconds: Callable[[Task], int | None]) -> Iterator[tuple[str, str, str]]:
    subject = f"task:{task.ref}"
    yield subject, LABEL, task.name
    yield subject, STATUS, task.status
    for other in task.depends_on:
        yield subject, DEPENDS_ON, refs.get(other, other)
    took = seconds(task)
    yield subject, DURATION, "" if took is None else str(took)
    yield subject, WEIGHT, "" if task.complexity is None else str(task.complexity)


def of_decision(decision: Decision, task_ref: str) -> list[Fact]:
    def said() -> Iterator[tuple[str, str, str]]:
        subject = f"{DECISION}:{decision.id}"
        yield f"task:{task_ref}", DECIDED, subject
        yield subject, "question", decision.question
        yield subject, "chosen", decision.chosen
        yield subject, "because", decision.reasoning

    return numbered(DECISION, decision.id, decision.created_at, said())


def of_memory(entry: Memory) -> list[Fact]:
    def said() -> Iterator[tuple[str, str, str]]:
        subject = f"{MEMORY}:{entry.id}"
        yield subject, "title", entry.title
        yield subject, "category", entry.category
        yield subject, "says", entry.summary or entry.content

    return numbered(MEMORY, entry.id, entry.created_at, said())


def of_records(book: Book, moment: Callable[[str], int | None]) -> list[Fact]:
    """What ADRs decided, and the architecture that holds now."""
    held: dict[str, list[tuple[str, str, str]]] = {adr.uid or adr.path: [] for adr in book.adrs}
    for adr in book.adrs:
        name = adr.uid or adr.path
        held[name] += [(f"{ADR}:{name}", "title", adr.title), (f"{ADR}:{name}", STATUS, adr.status)]
    for area, fields in book.architecture.areas.items():
        for field, value in fields.items():
            held.setdefault(value.uid, []).append((f"{area}.{field}", "is", value.value))
    dates = {adr.uid or adr.path: moment(adr.date) or moment(adr.uid) or 0 for adr in book.adrs}
    facts = [fact for name, said in held.items() for fact in numbered(ADR, name, dates.get(name, 0), iter(said))]
    return sorted(facts, key=lambda fact: fact.key)


def seconds_of(started_at: int, ended_at: int) -> int:
    return max(0, round((ended_at - started_at) / SECOND))


def pattern(text: str | None) -> Callable[[str], bool]:
    """Whether a text is the one asked for, in which `*` stands for anything."""
    if not text or text == "*":
        return lambda _: True
    if "*" not in text:
        return lambda found: found == text
    form = re.compile(".*".join(map(re.escape, text.split("*"))), re.DOTALL)
    return lambda found: form.fullmatch(found) is not None


def literal(text: str | None) -> str:
    """The text asked for where only that one will do."""
    return text if text and "*" not in text else ""
