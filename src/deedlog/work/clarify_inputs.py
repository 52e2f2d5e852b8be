"""What the operations of clarifications take. Every agent pays for it, so what a name says is not said again."""

from __future__ import annotations

from typing import Annotated, TypedDict

from deedlog.operation.define import Field


class Preferences(TypedDict, total=False):
    force_adr: bool
    waive_adr: bool


class Proposed(TypedDict, total=False):
    """An agent's proposal; `core/clarify/proposing.py` reads it."""

    kind: str
    categories: list[str]
    choices: Annotated[dict[str, str], Field('{"Database.Type": "PostgreSQL"}')]
    context: str
    rationale: str
    alternatives: list[str]
    consequences: list[str]
    new_dependencies: list[str]
    estimated_files: int
    acceptance_criteria: list[str]
