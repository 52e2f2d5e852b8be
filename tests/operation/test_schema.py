from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest

from deedlog.core.caller import ANYONE
from deedlog.operation.define import Effect, Field, operation
from deedlog.operation.schema import describe, schema_of


class Inner(TypedDict):
    name: Annotated[str, Field("A name", min_length=1)]
    note: NotRequired[str]


class Answer(TypedDict):
    ok: bool


class Found(TypedDict):
    at: int | None
    rows: list[str | None]
    name: NotRequired[str]


@operation(Effect.READ, capability="tests", callers=ANYONE)
def thing_find(ctx: object, *, name: Annotated[str | None, Field("A name")] = None) -> Found:
    """Find a thing."""
    return {"at": None, "rows": [None]}


@operation(Effect.WRITE, capability="tests", callers=ANYONE, examples=("deedlog thing make x",))
def thing_make_now(
    ctx: object,
    *,
    title: Annotated[str, Field("A title", max_length=5)],
    kind: Annotated[Literal["a", "b"] | None, Field("A kind")] = None,
    count: Annotated[int, Field("How many", minimum=1)] = 2,
    inner: Annotated[list[Inner] | None, Field("Things inside")] = None,
    free: Annotated[dict[str, Any] | None, Field("Anything")] = None,
) -> Answer:
    """Make a thing.

    More about it.
    """
    return {"ok": True}


@pytest.mark.proves("operation:schema:portable", "operation:words:derived")
def test_a_signature_becomes_a_portable_schema() -> None:
    op = describe(thing_make_now)
    assert op.input_schema == {
        "type": "object",
        "properties": {
            "title": {"type": "string", "description": "A title", "maxLength": 5},
            "kind": {"type": "string", "enum": ["a", "b"], "description": "A kind"},
            "count": {"type": "integer", "description": "How many", "minimum": 1, "default": 2},
            "inner": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string", "description": "A name", "minLength": 1},
                        "note": {"type": "string"},
                    },
                    "required": ["name"],
                    "additionalProperties": False,
                },
                "description": "Things inside",
            },
            "free": {"type": "object", "description": "Anything"},
        },
        "required": ["title"],
        "additionalProperties": False,
    }
    assert op.output_schema == {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}
    assert (op.words, op.path, op.summary) == ("thing make-now", "/api/thing/make-now", "Make a thing.")


def test_what_may_be_null_in_an_answer_has_no_type() -> None:
    op = describe(thing_find)
    assert op.output_schema["properties"] == {
        "at": {},
        "rows": {"type": "array", "items": {}},
        "name": {"type": "string"},
    }
    assert op.input_schema["properties"]["name"]["type"] == "string"


@pytest.mark.proves("operation:schema:portable")
def test_a_type_clients_disagree_about_is_refused() -> None:
    with pytest.raises(TypeError, match="no portable schema"):
        schema_of(int | str)
    with pytest.raises(TypeError, match="no portable schema"):
        schema_of(set[str])
    with pytest.raises(TypeError, match="no portable schema"):
        schema_of(Literal[1, 2])


def test_a_mistake_is_named_with_its_operation_and_input() -> None:
    def thing_bare(ctx: object, *, name: str) -> Answer:
        """Have an input without a description."""
        return {"ok": True}

    def thing_torn(ctx: object, *, name: Annotated[int | str, Field("A name")]) -> Answer:
        """Have an input of two types."""
        return {"ok": True}

    def thing_loose(ctx: object) -> set[str]:
        """Have an answer no client understands."""
        return set()

    mark = operation(Effect.READ, capability="tests", callers=ANYONE)
    with pytest.raises(TypeError, match="operation 'thing_bare', input 'name': describe it"):
        describe(mark(thing_bare))
    with pytest.raises(TypeError, match=r"operation 'thing_torn', input 'name': .* no portable schema"):
        describe(mark(thing_torn))
    with pytest.raises(TypeError, match="operation 'thing_loose', its answer"):
        describe(mark(thing_loose))


@pytest.mark.proves("operation:definition:complete")
def test_an_operation_needs_a_docstring_and_keyword_only_parameters() -> None:
    def silent(ctx: object) -> bool:
        return True

    def loose(ctx: object, name: str) -> bool:
        """Have a loose parameter."""
        return True

    with pytest.raises(TypeError, match="no docstring"):
        describe(operation(Effect.READ, capability="tests", callers=ANYONE)(silent))
    with pytest.raises(TypeError, match="make 'name' keyword-only"):
        describe(operation(Effect.READ, capability="tests", callers=ANYONE)(loose))
