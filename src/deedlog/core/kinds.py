"""Every kind of stored thing, by its name in events and URIs.

A new kind is an `Entity` in a module of its own, its name here, and its table as a new step in `store/steps/`.
"""

from __future__ import annotations

from deedlog.core.agent import Agent
from deedlog.core.blackboard import Entry, Mark
from deedlog.core.clarification import Clarification, WrittenAdr
from deedlog.core.errors import Invalid
from deedlog.core.gate.mount import Mount, Passage, Pin
from deedlog.core.graph import Graph, Lock, Tx
from deedlog.core.knowledge import Triple, ValueSet
from deedlog.core.memory import Memory
from deedlog.core.output import Output
from deedlog.core.remark import Comment, Decision, Issue, Milestone, Review
from deedlog.core.run import Node, Run
from deedlog.core.task import Session, Task
from deedlog.core.team import Autoscale, Message, Tender
from deedlog.core.value import Entity
from deedlog.core.words import nearest
from deedlog.core.workflow import Workflow

VERBS = ("created", "changed", "deleted")
CALLED = "called"  # after an operation that changed nothing of ours

KINDS: dict[str, type[Entity]] = {
    entity.kind: entity
    for entity in (
        *(Workflow, Task, Session, Decision, Issue, Milestone, Review, Comment, Agent, Memory, Output),
        *(Clarification, WrittenAdr),
        *(Graph, Lock, Tx, Run, Node, Entry, Mark, Triple, ValueSet, Message, Tender, Autoscale),
        *(Mount, Pin, Passage),
    )
}


def check_kind(name: str, field: str) -> str:
    """`name`, refused where no stored thing is of that kind: a misspelt filter would find nothing, without a word."""
    if name not in KINDS:
        raise _unknown(field, name, nearest(name, KINDS), list(KINDS))
    return name


def check_event_kind(kind: str, field: str) -> str:
    """`kind`, refused where no event is of it."""
    name, _, verb = kind.partition(".")
    if verb == CALLED or (name in KINDS and verb in VERBS):
        return kind
    meant = nearest(name, KINDS)
    example = f"{meant}.{nearest(verb, VERBS) or VERBS[0]}" if meant else ""
    raise _unknown(field, kind, example, [f"{next(iter(KINDS))}.{verb}" for verb in VERBS])


def _unknown(field: str, name: str, meant: str, known: list[str]) -> Invalid:
    hint = f"did you mean {meant!r}?" if meant else f"there are: {', '.join(known)}"
    return Invalid(f"{field}: there is no kind {name[:80]!r}", hint=hint, data={"field": field})
