"""Which children a fan-out makes, each with its prompt."""

from __future__ import annotations

from deedlog.core.errors import Invalid
from deedlog.core.filling import filled
from deedlog.core.impacts import checked_impacts
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Json = dict[str, Any]

MOST_CHILDREN, MOST_NAME = 200, 80
KNOWN = ("name", "agent", "runtime", "prompt_variables", "variables", "value_impacts", "impacts")
COUNTED = ("count", "name_prefix", *KNOWN[1:])
PARTS = ("system", "user", "assistant")  # of a template; in this order they are one prompt


class Planned(Value):
    name: str
    agent: str
    prompt: str
    variables: Json
    impacts: list[Json]


def planned(spec: Any, template: Any, shared: Mapping[str, Any], agent: str) -> list[Planned]:
    """The children of a spec: a count, `{count, …}`, a list, or `{list}`; `agent` is that of those who name none."""
    rows = _rows(spec)
    if not 0 < len(rows) <= MOST_CHILDREN:
        raise _wrong(f"a fan-out has 1 to {MOST_CHILDREN} children")
    names = [_name(row, place) for place, row in enumerate(rows, 1)]
    if len(set(names)) < len(names):
        raise _wrong("two children have the same name")
    text = _text(template)
    return [
        _child(row, name, place, text, shared, agent)
        for place, (row, name) in enumerate(zip(rows, names, strict=True), 1)
    ]


def _rows(spec: Any) -> list[Json]:
    if isinstance(spec, int) and not isinstance(spec, bool):
        spec = {"count": spec}
    if isinstance(spec, dict) and "list" in spec and len(spec) == 1:
        spec = spec["list"]
    if isinstance(spec, list):
        return [_known({"name": row} if isinstance(row, str) else row, KNOWN) for row in spec[: MOST_CHILDREN + 1]]
    spec = _known(spec, COUNTED)
    count = spec.get("count")
    if not isinstance(count, int) or isinstance(count, bool) or not 0 < count <= MOST_CHILDREN:
        raise _wrong(f"count must be a whole number from 1 to {MOST_CHILDREN}")
    prefix = spec.get("name_prefix", "child")
    rest = {name: spec[name] for name in KNOWN if name in spec}
    return [{**rest, "name": f"{prefix}-{place}"} for place in range(1, count + 1)]


def _known(row: object, known: tuple[str, ...]) -> Json:
    if not isinstance(row, dict):
        raise _wrong("is a count, a list of children, or an object with one of them")
    for name in row:
        if name not in known:
            raise _wrong(f"has no {str(name)[:40]!r}")
    return row


def _name(row: Json, place: int) -> str:
    name = row.get("name", f"child-{place}")
    if not isinstance(name, str) or not 0 < len(name) <= MOST_NAME or not name.isprintable() or not name.strip():
        raise _wrong(f"a name is a text of 1 to {MOST_NAME} characters")
    return name


def _text(template: Any) -> str:
    if isinstance(template, str) and template.strip():
        return template
    if isinstance(template, dict) and set(template) <= set(PARTS):
        texts = [template[part] for part in PARTS if template.get(part)]
        if texts and all(isinstance(text, str) for text in texts):
            return "\n\n".join(texts)
    raise Invalid(
        "prompt_template: is a text, or an object of system, user and assistant texts",
        hint="{{name}} stands for a variable",
        data={"field": "prompt_template"},
    )


def _child(row: Json, name: str, place: int, text: str, shared: Mapping[str, Any], agent: str) -> Planned:
    own = row.get("prompt_variables", row.get("variables")) or {}
    impacts = checked_impacts(row.get("value_impacts", row.get("impacts")), "children_spec.value_impacts")
    who = row.get("agent") or row.get("runtime") or agent
    if not isinstance(own, dict) or not isinstance(who, str):
        raise _wrong("prompt_variables is an object, agent a text")
    variables = {**shared, **own, "child_name": name, "child_index": place}
    return Planned(name=name, agent=who, prompt=filled(text, variables), variables=variables, impacts=impacts)


def _wrong(message: str) -> Invalid:
    hint = "for example 3, or {count, name_prefix}, or [{name, agent, prompt_variables}]"
    return Invalid(f"children_spec: {message}", hint=hint, data={"field": "children_spec"})
