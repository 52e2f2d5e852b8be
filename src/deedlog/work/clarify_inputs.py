"""What the operations of clarifications take. Every agent pays for it, so what a name says is not said again."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from deedlog.operation.define import Field


class Preferences(TypedDict, total=False):
    force_adr: bool
    waive_adr: bool


class Proposed(TypedDict, total=False):
    """An agent's proposal; `core/clarify/proposing.py` checks what each may be."""

    kind: Any
    categories: Any
    choices: Annotated[Any, Field('{"Database.Type": "PostgreSQL"}')]
    context: Any
    rationale: Any
    alternatives: Any
    consequences: Any
    new_dependencies: Any
    estimated_files: Any
    acceptance_criteria: Any
