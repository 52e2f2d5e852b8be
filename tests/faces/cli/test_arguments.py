from __future__ import annotations

import json
import re
import shlex
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deedlog.core.capability import CAPABILITIES
from deedlog.core.errors import Invalid
from deedlog.faces.cli.arguments import parse, require
from deedlog.faces.cli.command import MODULES, SHARED
from deedlog.faces.cli.operate import beside
from deedlog.faces.cli.spelling import kebab, options, positionals, repeats, schema_of, usage
from deedlog.operation import catalog, validate
from deedlog.operation.define import Operation

Json = dict[str, Any]
TEXTS = ("x é", "x")  # the second where a pattern allows little
OPERATIONS = list(catalog.load())
SCHEMA: Json = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 200},
        "text": {"type": "string", "maxLength": 10_000},
        "taskId": {"type": "integer", "minimum": 1},
        "share_of": {"type": "number"},
        "loud": {"type": "boolean"},
        "kinds": {"type": "array", "items": {"type": "string"}},
        "plan": {"type": "array", "items": {"type": "object", "properties": {"goal": {"type": "string"}}}},
        "data": {"type": "object"},
        "free": {},
    },
    "required": ["name"],
}


def read(*words: str, schema: Json = SCHEMA) -> Json:
    return validate.arguments(schema, parse(list(words), schema, SHARED).own)


def sample(part: Json) -> Any:
    """A value the schema allows."""
    if "enum" in part:
        return part["enum"][-1]
    kind = part.get("type")
    if kind == "object":
        return {name: sample(inner) for name, inner in part.get("properties", {"any": {"type": "string"}}).items()}
    if kind == "array":
        return [sample(part["items"]), sample(part["items"])]
    if kind in ("integer", "number"):
        return part.get("maximum", part.get("minimum", 7))
    return True if kind == "boolean" else next(text for text in TEXTS if re.search(part.get("pattern", ""), text))


def as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def as_options(schema: Json, arguments: Json) -> list[str]:
    words: list[str] = []
    for name, value in arguments.items():
        part = schema["properties"][name]
        if isinstance(value, bool):
            words.append(("--" if value else "--no-") + kebab(name))
        elif part.get("type") == "array" and part["items"].get("type") == "string":
            words += [f"--{kebab(name)}={item}" for item in value]
        else:
            words += [f"--{kebab(name)}", as_text(value)]
    return words


@pytest.mark.proves("face:cli:every-operation")
@pytest.mark.parametrize("op", OPERATIONS, ids=lambda op: op.name)
class TestEveryOperation:
    def arguments(self, op: Operation) -> Json:
        return {name: sample(part) for name, part in op.input_schema["properties"].items()}

    def read(self, op: Operation, words: list[str]) -> Json:
        return validate.arguments(op.input_schema, parse(words, schema_of(op), beside(op)).own, op.noun)

    def test_takes_every_argument_of_its_schema_as_an_option(self, op: Operation) -> None:
        arguments = self.arguments(op)
        assert self.read(op, as_options(op.input_schema, arguments)) == arguments

    def test_takes_what_it_requires_by_place(self, op: Operation) -> None:
        arguments = self.arguments(op)
        places = positionals(schema_of(op))
        assert set(op.input_schema.get("required", [])) <= set(places)
        by_place = [as_text(arguments[name]) for name in places]
        others = {name: value for name, value in arguments.items() if name not in places}
        assert self.read(op, [*as_options(op.input_schema, others), "--", *by_place]) == arguments

    def test_takes_nothing_its_schema_does_not_know(self, op: Operation) -> None:
        with pytest.raises(Invalid, match="no option '--surely-unknown'"):
            parse(["--surely-unknown", "x"], schema_of(op), beside(op))
        places = positionals(schema_of(op))
        if places and repeats(op.input_schema["properties"][places[-1]]):
            return  # the last one takes them all
        by_place = [as_text(self.arguments(op)[name]) for name in places]
        with pytest.raises(Invalid, match="one argument too many"):
            parse(["--", *by_place, "x"], schema_of(op), beside(op))

    def test_misses_what_it_requires(self, op: Operation) -> None:
        for name in op.input_schema.get("required", []):
            others = {key: value for key, value in self.arguments(op).items() if key != name}
            with pytest.raises(Invalid, match=f"{name}: is required"):
                self.read(op, as_options(op.input_schema, others))

    def test_has_an_example_that_can_be_read(
        self, op: Operation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(b"a text")))
        assert op.examples or not CAPABILITIES[op.capability].on
        for example in op.examples:
            words = shlex.split(re.split(r" >>? | [<|] ", example)[0])
            for name in (word[1:] for word in words if word.startswith("@")):
                Path(name).parent.mkdir(exist_ok=True)
                Path(name).write_text("a text")
            command = next(name.split() for name in (op.words, op.alias) if example.startswith(f"deedlog {name}"))
            assert words[: len(command) + 1] == ["deedlog", *command]
            self.read(op, words[len(command) + 1 :])


@pytest.mark.parametrize("spelling", ["--task-id", "--task_id", "--taskId"])
def test_an_option_has_any_spelling_of_its_name(spelling: str) -> None:
    assert read("x", spelling, "5")["taskId"] == 5


def test_each_kind_of_value_is_read() -> None:
    words = ["x", "--share-of=0.5", "--loud", "--kinds", "a", "--kinds=b", "--data", '{"a": [1]}', "--free", "plain"]
    assert read(*words) == {
        "name": "x",
        "share_of": 0.5,
        "loud": True,
        "kinds": ["a", "b"],
        "data": {"a": [1]},
        "free": "plain",
    }
    assert read("x", "--no-loud")["loud"] is False
    assert read("x", "--free", "[1]")["free"] == [1]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["x", "--task-id", "abc"], "--task-id: must be a whole number, not 'abc'"),
        (["x", "--task-id", "1.5"], "must be a whole number"),
        (["x", "--task-id", "NaN"], "number of ordinary size"),
        (["x", "--task-id", "-3"], "out of range"),
        (["x", "--task-id"], "--task-id needs a value"),
        (["x", "--text", "--json"], "--text needs a value"),
        (["x", "--loud=yes"], "takes no value"),
        (["x", "--data", "{"], "--data: must be JSON"),
        (["x", "--plan", "{}"], "plan: must be a list"),
        (["x", "--plan", "[" * 100_000], "nested too deeply"),
        (["x", "--name", "y"], "one argument too many"),
        (["x", "--text", "a", "--text", "b"], "given twice"),
        (["x", "y"], "'y' is one argument too many"),
        (["-x"], "no option '-x'"),
        (["x", "--tex", "y"], "no option '--tex'"),
        (["\udcff"], "surrogate"),
    ],
)
def test_a_mistake_is_named(words: list[str], complaint: str) -> None:
    with pytest.raises(Invalid, match=complaint):
        read(*words)


def test_a_misspelt_option_suggests_the_nearest() -> None:
    with pytest.raises(Invalid) as refused:
        read("x", "--kinsd", "y")
    assert refused.value.hint == "did you mean '--kinds'?"


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["--task-id", "abc"], "write --task-id N from 1"),
        (["--plan", "goals"], """write --plan '[{"goal": TEXT}, …]', or @file"""),
        (["--data", "x"], "write --data '{…}', or @file"),
        (["y"], "arguments taken by place: NAME; put a text of several words in quotes"),
    ],
)
def test_a_value_that_cannot_be_read_is_answered_with_its_form(words: list[str], hint: str) -> None:
    with pytest.raises(Invalid) as refused:
        read("x", *words)
    assert refused.value.hint == hint


def test_what_is_missing_is_named_as_help_names_it_with_the_usage() -> None:
    schema: Json = {"properties": {"task_id": {"type": "string"}, "text": {}, "on": {"type": "boolean"}}}
    schema["required"] = ["task_id", "on"]
    with pytest.raises(Invalid, match=r"^TASK-ID is required$") as refused:
        require("task do", schema, {"on": True})
    assert refused.value.hint == "usage: deedlog task do TASK-ID [OPTIONS]"
    with pytest.raises(Invalid, match=r"^--on is required$"):
        require("task do", schema, {"task_id": "x"})


def test_an_item_of_a_list_is_named_by_its_option_and_the_nearest_choice() -> None:
    schema = {"properties": {"to": {"type": "array", "items": {"type": "string", "enum": ["alpha", "beta"]}}, "x": {}}}
    with pytest.raises(Invalid, match=r"^--to: 'alhpa' is not one of: alpha, beta$") as refused:
        read("--to", "alhpa", schema=schema)
    assert refused.value.hint == "did you mean 'alpha'?"


def test_the_only_value_beside_switches_needs_no_option() -> None:
    schema: Json = {"properties": {"file": {"type": "string"}, "force": {"type": "boolean"}}}
    assert read("x", "--force", schema=schema) == {"file": "x", "force": True}


def test_a_value_may_begin_with_a_dash() -> None:
    assert read("--", "-x")["name"] == "-x"
    assert read("x", "--text", "- one\n- two")["text"] == "- one\n- two"
    assert read("x", "--text=--json")["text"] == "--json"


def test_long_text_and_json_come_from_a_file_and_short_text_does_not(tmp_path: Path) -> None:
    file = tmp_path / "text"
    file.write_text("多行\ntext\n")
    assert read("x", "--text", f"@{file}")["text"] == "多行\ntext"
    assert read("x", "--text", "@@home")["text"] == "@home"
    assert read("@home")["name"] == "@home"
    file.write_text('[{"goal": "a"}]')
    assert read("x", "--plan", f"@{file}")["plan"] == [{"goal": "a"}]
    file.write_bytes(b"\xff")
    with pytest.raises(Invalid, match="not UTF-8"):
        read("x", "--text", f"@{file}")
    with pytest.raises(Invalid, match="cannot be read") as refused:
        read("x", "--text", f"@{file}.missing")
    assert "@@" in refused.value.hint


def test_the_last_list_given_by_place_takes_the_rest() -> None:
    schema = {"properties": {"files": {"type": "array", "items": {"type": "string"}}}, "required": ["files"]}
    assert read("a", "b", "--", "-c", schema=schema) == {"files": ["a", "b", "-c"]}


def test_options_of_every_command_may_follow_and_an_operation_s_own_name_wins() -> None:
    own = {"properties": {"actor": {"type": "string"}}}
    given_ = parse(["--json", "-C", "there", "--actor", "me", "--enable-tx", "--disable-bulk"], own, SHARED)
    assert given_.own == {"actor": "me"}
    assert given_.shared == {"json": True, "directory": "there", "enable": ["tx"], "disable": ["bulk"]}


@pytest.mark.parametrize(
    ("words", "kinds"),
    [
        (["--kinds", '["src", "docs"]'], ["src", "docs"]),
        (["--kinds", "a", "--kinds", ' ["b,c"]'], ["a", "b,c"]),
        (["--kinds", "src,docs"], ["src,docs"]),
        (["--kinds", "[ab]*.py", "--kinds", "[1]"], ["[ab]*.py", "[1]"]),
        (["--kinds", '["a", 1]'], ['["a", 1]']),
        (["--kinds", "[]"], []),
    ],
)
def test_a_list_may_be_given_at_once_as_a_json_array(words: list[str], kinds: list[str]) -> None:
    assert read("x", *words)["kinds"] == kinds


def test_each_value_of_an_array_is_checked() -> None:
    schema = {"properties": {"seqs": {"type": "array", "items": {"type": "integer", "maximum": 9}}}}
    assert read("--seqs", "[1, 2]", schema=schema) == {"seqs": [1, 2]}
    with pytest.raises(Invalid, match="10 is out of range"):
        read("--seqs", "[1, 10]", schema=schema)


def test_reading_can_stop_before_the_command() -> None:
    found = parse(["-C", "there", "workflow", "--json"], {}, SHARED, stop=True)
    assert (found.shared, found.rest) == ({"directory": "there"}, ["workflow", "--json"])


@given(
    name=st.text(),
    text=st.text().filter(lambda text: text != "-"),
    number=st.integers(),
    kinds=st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))),
    data=st.dictionaries(st.text(), st.none() | st.booleans() | st.integers() | st.text()),
)
def test_whatever_the_values_are_they_arrive_unchanged(
    name: str, text: str, number: int, kinds: list[str], data: Json
) -> None:
    escaped = "@" + text if text.startswith("@") else text
    given_kinds = [json.dumps([kind]) if kind.lstrip().startswith("[") else kind for kind in kinds]
    words = [f"--text={escaped}", f"--task-id={number}", *(f"--kinds={kind}" for kind in given_kinds)]
    found = parse([*words, "--data", json.dumps(data), "--", name], SCHEMA, SHARED).own
    wanted = {"name": name, "text": text, "taskId": number, "data": data}
    assert found == (wanted | {"kinds": kinds} if kinds else wanted)


def test_no_two_commands_have_one_name() -> None:
    names = [name for op in OPERATIONS for name in (op.words, op.alias) if name]
    assert len({*names, *MODULES}) == len(names) + len(MODULES)


def test_no_operation_s_options_collide() -> None:
    for op in OPERATIONS:
        names = op.input_schema["properties"]
        assert len({kebab(name) for name in names}) == len(names)
        assert {kebab(name) for name in names} <= set(options(op.input_schema))


OUTCOME: Json = {
    "type": "object",
    "properties": {
        "task": {"type": "string"},
        "outcome": {
            "type": "object",
            "properties": {
                "summary": {"type": "string"},
                "next_steps": {"type": "array", "items": {"type": "string"}},
                "reviewNeeded": {"type": "boolean"},
                "tests": {"type": "object", "properties": {"count": {"type": "integer"}}},
            },
            "required": ["summary"],
        },
    },
    "required": ["task", "outcome"],
}


@pytest.mark.proves("face:cli:object-parts")
def test_what_is_in_an_object_has_options_of_its_own() -> None:
    words = ["t", "--outcome.summary", "ok", "--outcome.next-steps=a", "--outcome.nextSteps=b"]
    outcome = {"summary": "ok", "next_steps": ["a", "b"], "reviewNeeded": True, "tests": {"count": 3}}
    words += ["--outcome.review-needed", "--outcome.tests.count", "3"]
    assert read(*words, schema=OUTCOME) == {"task": "t", "outcome": outcome}


@pytest.mark.proves("face:cli:object-parts")
def test_a_text_alone_stands_for_an_object_that_needs_just_one() -> None:
    assert read("t", "All is well", schema=OUTCOME)["outcome"] == {"summary": "All is well"}
    assert read("t", '{"summary": "x"}', schema=OUTCOME)["outcome"] == {"summary": "x"}
    both = read("t", "x", "--outcome.no-review-needed", schema=OUTCOME)["outcome"]
    assert both == {"summary": "x", "reviewNeeded": False}


@pytest.mark.proves("face:cli:object-parts")
def test_mistakes_in_parts_of_an_object_are_named() -> None:
    with pytest.raises(Invalid, match=r"--outcome\.summary: given twice"):
        read("t", "x", "--outcome.summary", "y", schema=OUTCOME)
    with pytest.raises(Invalid, match=r"--outcome\.tests\.count: must be a whole number"):
        read("t", "x", "--outcome.tests.count", "y", schema=OUTCOME)
    with pytest.raises(Invalid, match=r"outcome\.summary: is required"):
        read("t", "--outcome.next-steps", "y", schema=OUTCOME)
    with pytest.raises(Invalid, match=r"no option '--outcome\.sumary'") as refusal:
        read("t", "--outcome.sumary", "y", schema=OUTCOME)
    assert refusal.value.hint == "did you mean '--outcome.summary'?"


def test_a_bare_number_is_a_task_where_one_can_be_named() -> None:
    op = catalog.load()["worker_done"]
    assert parse(["5"], op.input_schema, beside(op)).own == {"taskId": 5}
    assert parse(["session-12"], op.input_schema, beside(op)).own == {"sessionId": "session-12"}


@pytest.mark.parametrize(("words", "place"), [("plan run", "[WORKFLOW-ID]"), ("plan wait", "[RUN-ID]")])
def test_usage_shows_an_id_that_can_be_given_by_place_though_it_need_not(words: str, place: str) -> None:
    op = next(op for op in OPERATIONS if op.words == words)
    assert usage(words, op.input_schema) == f"deedlog {words} {place} [OPTIONS]"
