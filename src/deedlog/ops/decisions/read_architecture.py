from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.clarification import ARCHITECTURE
from deedlog.core.records.values import STATE_FILE
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.edited import edited
from deedlog.work.records import absent


class Stands(TypedDict):
    uid: Any  # null where there is no ADR, which clients would hold against a type
    categories: dict[str, dict[str, str]]


class Torn(TypedDict):
    category: str
    field: str
    values: dict[str, str]


class Architecture(TypedDict):
    status: str
    architecture: Stands
    source_file: str
    conflicts: NotRequired[list[Torn]]
    warnings: NotRequired[list[str]]


@operation(
    Effect.READ,
    capability="clarify",
    callers=ANYONE,
    words="architecture read",
    at="repo_path",
    resource=ARCHITECTURE,
    resource_name="Architecture",
    resource_about="The decisions in force, from all ADRs",
    examples=("deedlog architecture read",),
)
def read_architecture(
    ctx: Context,
    *,
    repo_path: Annotated[  # noqa: ARG001
        str | None, Field("A path in another repository; by default this one", rare=True)
    ] = None,
) -> Architecture:
    """Read the architecture decisions in force, from all ADRs: fields by category.

    conflicts lists fields that merged branches set differently, by ADR.
    """
    found = ctx.records.book().architecture
    answer: Architecture = {
        "status": "success",
        "architecture": {"uid": found.uid or None, "categories": found.plain()},
        "source_file": STATE_FILE,
    }
    if found.conflicts:
        answer["conflicts"] = [{"category": c.area, "field": c.field, "values": c.values} for c in found.conflicts]
    if warnings := [*absent(ctx.records), *edited(ctx)]:
        answer["warnings"] = warnings
    return answer
