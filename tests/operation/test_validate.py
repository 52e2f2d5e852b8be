from typing import Any

import pytest

from deedlog.core.errors import Invalid
from deedlog.operation import catalog
from deedlog.operation.validate import arguments

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "task_id": {"type": "string", "maxLength": 5},
        "pageSize": {"type": "integer", "minimum": 1, "maximum": 10, "default": 3},
        "share": {"type": "number"},
        "on": {"type": "boolean"},
        "kind": {"type": "string", "enum": ["alpha", "beta"]},
        "code": {"type": "string", "pattern": "^[a-z]+$"},
        "words": {"type": "array", "items": {"type": "string", "minLength": 2}, "maxItems": 2},
        "inner": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
        "free": {"type": "object"},
        "any": {},
    },
    "required": ["task_id"],
}


@pytest.mark.proves("input:null:absent")
def test_defaults_fill_in_and_null_equals_absent() -> None:
    assert arguments(SCHEMA, {"task_id": "t", "on": None}) == {"task_id": "t", "pageSize": 3}


@pytest.mark.proves("input:name:both-spellings")
@pytest.mark.parametrize("given", [{"taskId": "t", "page_size": 4}, {"task_id": "t", "pageSize": 4}])
def test_both_spellings_are_one_name(given: dict[str, object]) -> None:
    assert arguments(SCHEMA, given) == {"task_id": "t", "pageSize": 4}


def test_a_thing_s_uri_stands_for_its_id() -> None:
    assert arguments(SCHEMA, {"task_id": "task://t-1"})["task_id"] == "t-1"
    assert arguments(SCHEMA, {"taskId": "task://t-1"})["task_id"] == "t-1"
    assert arguments({"properties": {"taskId": {"type": "string"}}}, {"taskId": "task://t"}) == {"taskId": "t"}
    free = {"properties": {"about": {"type": "string"}, "task_id": {"type": "string"}}}
    kept = {"about": "task://t-1", "task_id": "workflow://w"}
    assert arguments(free, kept) == kept


@pytest.mark.parametrize("given", ["5", 5, 5.0, "task://5"])
def test_a_whole_number_for_an_id_is_taken_as_its_digits(given: object) -> None:
    assert arguments(SCHEMA, {"task_id": given})["task_id"] == "5"
    assert arguments(SCHEMA, {"taskId": given})["task_id"] == "5"
    inside = {"properties": {"inner": {"type": "object", "properties": {"taskId": {"type": "string"}}}}}
    assert arguments(inside, {"inner": {"task_id": given}}) == {"inner": {"taskId": "5"}}
    assert arguments(inside, {"inner": {"task_id": 2**63 - 1}})["inner"]["taskId"] == "9223372036854775807"


@pytest.mark.parametrize(
    "given", [1.5, -1, -0.5, True, False, float("nan"), float("inf"), 2**63, 1e300, [5], {"id": 5}]
)
def test_nothing_else_is_taken_for_an_id(given: object) -> None:
    with pytest.raises(Invalid, match=r"^task_id: must be text, not "):
        arguments(SCHEMA, {"task_id": given})


def test_a_number_is_text_only_where_it_is_an_id() -> None:
    with pytest.raises(Invalid, match=r"^code: must be text, not a number"):
        arguments(SCHEMA, {"task_id": "t", "code": 5})
    counted = {"properties": {"process_id": {"type": "integer"}, "any_id": {}}}
    assert arguments(counted, {"process_id": 5, "any_id": 5}) == {"process_id": 5, "any_id": 5}
    with pytest.raises(Invalid, match="has 6 characters, at most 5"):
        arguments(SCHEMA, {"task_id": 123456})


@pytest.mark.proves("input:number:whole")
def test_a_whole_float_is_an_integer() -> None:
    assert arguments(SCHEMA, {"task_id": "t", "pageSize": 4.0})["pageSize"] == 4


def deep(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.proves(
    "input:mistake:named", "input:null:absent", "input:name:both-spellings", "input:number:whole", "input:text:clean"
)
@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({}, "task_id: is required"),
        ({"task_id": None}, "task_id: is required"),
        ({"task_id": "t", "taskId": "t"}, "task_id: given twice"),
        ({"task_id": "toolong"}, "has 7 characters, at most 5"),
        ({"task_id": "a\x00"}, "NUL"),
        ({"task_id": "\ud800"}, "surrogate"),
        ({"task_id": "t", "pageSize": 1.5}, "whole number"),
        ({"task_id": "t", "pageSize": True}, "must be a number, not true/false"),
        ({"task_id": "t", "pageSize": "3"}, "must be a number, not text"),
        ({"task_id": "t", "pageSize": 0}, r"out of range \(1 to 10\)"),
        ({"task_id": "t", "share": float("nan")}, "ordinary size"),
        ({"task_id": "t", "share": 2**70}, "ordinary size"),
        ({"task_id": "t", "on": 1}, "true or false"),
        ({"task_id": "t", "kind": "alpa"}, "not one of: alpha, beta"),
        ({"task_id": "t", "code": "A1"}, "does not have the form"),
        ({"task_id": "t", "words": "no"}, "must be a list, not text"),
        ({"task_id": "t", "words": ["ok", "x"]}, r"words\[1\]: must have at least 2"),
        ({"task_id": "t", "words": ["ok", "ok", "ok"]}, "has 3 items, at most 2"),
        ({"task_id": "t", "inner": {}}, r"inner\.name: is required"),
        ({"task_id": "t", "inner": []}, "inner: must be an object, not a list"),
        ({"task_id": "t", "free": {"x": ["\udfff"]}}, "surrogate"),
        ({"task_id": "t", "any": {"\x00": 1}}, "NUL"),
        ({"task_id": "t", "any": deep(40)}, "nested too deeply"),
        ({"task_id": "t", "knd": "alpha"}, "knd: is not known"),
    ],
)
def test_each_mistake_is_named(given: dict[str, object], complaint: str) -> None:
    with pytest.raises(Invalid, match=complaint):
        arguments(SCHEMA, given)


@pytest.mark.proves("input:mistake:named")
def test_a_misspelt_name_or_choice_is_suggested() -> None:
    with pytest.raises(Invalid) as refusal:
        arguments(SCHEMA, {"task_id": "t", "knd": "alpha"})
    assert refusal.value.hint == "did you mean 'kind'?"
    with pytest.raises(Invalid) as refusal:
        arguments(SCHEMA, {"task_id": "t", "kind": "alpa"})
    assert refusal.value.hint == "did you mean 'alpha'?"


def test_arguments_that_are_no_object_are_refused() -> None:
    with pytest.raises(Invalid, match="arguments: must be an object, not a list"):
        arguments(SCHEMA, [])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("waits", "given", "expected"),
    [
        (False, {"wait_ms": 5}, False),
        (True, {}, True),
        ("wait_ms", {}, False),
        ("wait_ms", {"wait_ms": 0, "limit": 5}, False),
        ("wait_ms", {"wait_ms": None}, False),
        ("wait_ms", {"wait_ms": 5}, True),
        ("wait_ms", {"waitMs": 5}, True),
        ("wait_ms", {"wait_ms": 0, "waitMs": "x"}, True),
    ],
)
def test_an_argument_that_makes_a_call_wait_counts_in_either_spelling(
    waits: bool | str,  # noqa: FBT001
    given: dict[str, object],
    expected: bool,  # noqa: FBT001
) -> None:
    op = catalog.load()["event_list"].replace(waits=waits)
    assert op.may_wait(given) is expected
