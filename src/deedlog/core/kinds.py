"""Every kind of stored thing, by its name in events and URIs.

A new kind is an `Entity` in a module of its own, its name here, and its table as a new step in `store/tables.py`.
"""

from __future__ import annotations

from deedlog.core.remark import Decision, Issue, Milestone, Review
from deedlog.core.task import Session, Task
from deedlog.core.value import Entity
from deedlog.core.workflow import Workflow

KINDS: dict[str, type[Entity]] = {
    entity.kind: entity for entity in (Workflow, Task, Session, Decision, Issue, Milestone, Review)
}
