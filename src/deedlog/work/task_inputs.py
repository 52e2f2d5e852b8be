"""What the operations on tasks take, and what is wrong with it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from deedlog.core.errors import Invalid
from deedlog.core.task import fitting
from deedlog.operation.define import Field

Json = dict[str, Any]
Priority = Literal["low", "medium", "high", "critical"]
Type = Literal["task", "feature", "bug", "refactor"]
AssigneeType = Literal["ai", "human"]
Status = Literal["open", "in_progress", "done", "failed", "cancelled"]

TaskId = Annotated[int, Field("Task ID", minimum=1)]
Epoch = Annotated[int | None, Field("Of your claim")]
MOST_LABELS, MOST_LABEL = 50, 100
MOST_SECONDS = 86_400
MOST_TASKS = 100  # that one task waits for

GivenScope = Annotated[Json | None, Field("Globs: read, write, exclude", rare=True)]
GivenChecks = Annotated[
    list[Json] | None, Field("Definition of done: label, command (argv), timeout, required", rare=True, person=True)
]
OtherScope = Annotated[Json | None, Field("Globs: read, write, exclude", rare=True, person=True)]
GivenBudget = Annotated[Json | None, Field("Limits: tokens, cost (USD), minutes", rare=True)]
TEXTS = {"type": "array", "items": {"type": "string"}}
CHECK = {
    "type": "object",
    "properties": {
        "label": {"type": "string", "minLength": 1, "maxLength": MOST_LABEL},
        "command": TEXTS,
        "timeout": {"type": "integer", "minimum": 1, "maximum": MOST_SECONDS},
        "required": {"type": "boolean"},
    },
    "required": ["label", "command"],
}
# not in the tool's schema: few calls need it, and every agent would read it
INSIDE = {
    "type": "object",
    "properties": {
        "scope": {"type": "object", "properties": {"read": TEXTS, "write": TEXTS, "exclude": TEXTS}},
        "checks": {"type": "array", "items": CHECK, "maxItems": 50},
        "budget": {
            "type": "object",
            "properties": {name: {"type": "number"} for name in ("tokens", "cost", "minutes")},
        },
    },
}


def labels_of(text: str) -> list[str]:
    """The labels in a text that separates them by commas, each once."""
    found = [*dict.fromkeys(word.strip() for word in text.split(",") if word.strip())]
    if len(found) > MOST_LABELS or any(len(label) > MOST_LABEL for label in found):
        raise Invalid(
            f"labels: at most {MOST_LABELS} labels of at most {MOST_LABEL} characters are allowed",
            data={"field": "labels"},
        )
    return found


def work_fields(areas: list[str] | None, scope: Json | None, checks: list[Json] | None, budget: Json | None) -> Json:
    """The fields of a task that say how it is worked on, those that were given."""
    said = {"areas": areas, "scope": scope, "checks": checks, "budget": budget}
    given = {name: value for name, value in said.items() if value is not None}
    return {name: fitting(name, value) for name, value in _checked(given).items()} if given else {}


def _checked(given: Json) -> Json:
    from deedlog.core.area import each_alone  # few calls need these
    from deedlog.core.definition import check_globs, checked_budget, full_checks
    from deedlog.operation import validate

    areas = {"areas": each_alone(given.pop("areas"))} if "areas" in given else {}
    found = validate.arguments(INSIDE, given)
    for name, globs in found.get("scope", {}).items():
        check_globs(globs, f"scope.{name}")
    if "checks" in found:
        found["checks"] = full_checks(found["checks"])
    if "budget" in found:
        found["budget"] = checked_budget(found["budget"])
    return areas | found


def scope_of(given: Json | None) -> dict[str, list[str]]:
    """The scope that was given for one session, by the rules for tasks."""
    scope: dict[str, list[str]] = work_fields(None, given, None, None).get("scope", {})
    return scope


def budget_of(given: Json | None) -> dict[str, float]:
    budget: dict[str, float] = work_fields(None, None, None, given).get("budget", {})
    return budget
