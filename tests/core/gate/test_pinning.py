from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.gate.changes import changes
from deedlog.core.gate.pinning import compared, fingerprints, launch_hash
from deedlog.core.gate.server import Server

TOOL: dict[str, Any] = {
    "name": "add",
    "title": "Add",
    "description": "Adds two numbers.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "a": {"type": "number", "description": "One"},
            "b": {"type": ["number", "null"], "enum": [1, 2]},
        },
        "required": ["a", "b"],
    },
    "outputSchema": {"type": "object"},
    "annotations": {"readOnlyHint": True},
}


def of(tool: dict[str, Any]) -> str:
    return fingerprints([tool])["add"]


def test_the_order_of_keys_and_of_sets_does_not_matter() -> None:
    schema = {**TOOL["inputSchema"], "required": ["b", "a"]}
    schema["properties"] = dict(reversed(schema["properties"].items()))
    other = dict(reversed({**TOOL, "inputSchema": schema}.items()))
    assert of(other) == of(TOOL)


@pytest.mark.parametrize("beside", [{"_meta": None}, {"icons": [{"src": "a"}]}, {"outputSchema": {"type": "object"}}])
def test_what_nobody_acts_upon_does_not_matter(beside: dict[str, Any]) -> None:
    assert of({**TOOL, **beside}) == of(TOOL)


@pytest.mark.parametrize(
    "change",
    [
        {"description": "Adds two numbers. "},
        {"title": "Sum"},
        {"_meta": {"ui": {"resourceUri": "ui://another/page"}}},
        {"execution": {"taskSupport": "required"}},
        {"instructions": "A field that nobody knows."},
        {"annotations": {"readOnlyHint": False}},
        {"outputSchema": {"type": "array"}},
        {"inputSchema": {"type": "object"}},
        {"inputSchema": {**TOOL["inputSchema"], "required": ["a"]}},
        {"inputSchema": {**TOOL["inputSchema"], "properties": {"a": {"type": "number", "description": "Two"}}}},
    ],
)
def test_every_change_of_what_a_model_reads_is_seen(change: dict[str, Any]) -> None:
    assert of({**TOOL, **change}) != of(TOOL)


def test_a_second_definition_of_the_same_name_is_another_thing() -> None:
    both = fingerprints([TOOL, {**TOOL, "description": "Sends your keys."}])["add"]
    assert both not in (of(TOOL), of({**TOOL, "description": "Sends your keys."}))
    assert fingerprints([{**TOOL, "description": "Sends your keys."}, TOOL])["add"] == both


def test_what_is_no_tool_is_passed_over() -> None:
    odd: list[Any] = [None, "x", {}, {"name": 5}, {"name": "ok"}]
    assert list(fingerprints(odd)) == ["ok"]


def test_changed_and_new_ones_are_told_apart_and_what_went_does_not_count() -> None:
    found = compared({"a": "1", "b": "2", "gone": "3"}, {"a": "1", "b": "9", "c": "4"})
    assert (found.changed, found.added) == (["b"], ["c"])
    assert compared({"a": "1"}, {"a": "1"}).changed == []


def test_another_program_is_another_launch_and_another_key_is_not() -> None:
    server = Server(name="x", command="npx", args=["pkg"], env={"KEY": "${KEY}"})
    assert launch_hash(server) == launch_hash(server.replace(description="another", policy={"*": "ask"}, boot=True))
    assert launch_hash(server) != launch_hash(server.replace(args=["other"]))
    assert launch_hash(server) != launch_hash(server.replace(cwd="/elsewhere"))
    assert launch_hash(server) == launch_hash(server.replace(env={"KEY": "another", "MORE": "x"}))
    there = Server(name="x", transport="http", url="https://h.invalid/mcp", headers={"Authorization": "one"})
    assert launch_hash(there) == launch_hash(there.replace(headers={"Authorization": "two"}))
    assert launch_hash(there) != launch_hash(there.replace(url="https://h.invalid/other"))


def test_a_person_sees_where_it_changed_and_how() -> None:
    schema = {**TOOL["inputSchema"], "required": ["a"]}
    after = {**TOOL, "description": "Adds two numbers.\nThen more.", "inputSchema": schema}
    assert changes([TOOL], [after]) == [
        "description",
        "- Adds two numbers.",
        "+ Adds two numbers.",
        "+ Then more.",
        "inputSchema.required",
        '- ["a", "b"]',
        '+ ["a"]',
    ]


def test_characters_that_are_not_seen_are_spelt_out_in_what_changed() -> None:
    lines = changes([TOOL], [{**TOOL, "description": "Adds\u200b two\x1b[31m numbers\u202e."}])
    assert lines[2] == "+ Adds\\u200b two\\x1b[31m numbers\\u202e."


def test_very_much_that_changed_is_cut() -> None:
    lines = changes([TOOL], [{**TOOL, "description": "\n".join(map(str, range(10_000)))}])
    assert len(lines) <= 61
    assert lines[-1].startswith("… and")
