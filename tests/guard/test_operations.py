"""What every operation must have. A new one is one file and one test; these say what is missing."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from deedlog import ops
from deedlog.core.caller import ANYONE, CALLERS, INTERNAL, PEOPLE
from deedlog.core.capability import CAPABILITIES
from deedlog.core.kinds import KINDS
from deedlog.core.value import Entity
from deedlog.faces.mcp.protocol import encode
from deedlog.operation import catalog
from deedlog.operation.define import Effect, Operation
from deedlog.operation.discover import operations_in, operations_under
from deedlog.operation.tool import full, short

ROOT = Path(__file__).parent.parent.parent
OPERATIONS = operations_under(ops)
FILES = sorted(path for path in (ROOT / "src/deedlog/ops").rglob("*.py") if path.name != "__init__.py")
FORBIDDEN = {"$ref", "$defs", "anyOf", "oneOf", "allOf", "not", "if", "patternProperties", "const"}
MOST_CHARACTERS = 12_000  # of the whole default tools/list, in compact JSON; what does not fit is marked `further`
LARGEST = 3_400  # characters of one tool described in full, with what it answers
CLARIFYING = 2_700  # the same for require_clarification, which is called before any work
EVERYDAY = {
    "start_workflow",
    "start_task",
    "log_decision",
    "log_issue",
    "log_milestone",
    "complete_task",
    "complete_workflow",
    "require_clarification",
    "read_architecture",
    "task_create",
    "task_list",
    "task_get",
    "task_next",
    "session_start",
    "session_end",
    "worker_run",
    "worker_wait",
    "worker_done",
    "ledger_search",
    "mcp_environment",
    "mcp_discover",
    "mcp_activate",
    "mcp_deactivate",
    "mcp_info",
    "mcp_capabilities",
    "mcp_tools",
    "mcp_call",
}

# Both lists decide what an agent can do without a person: change them with docs/concepts/permissions.md.
FOR_PEOPLE = {
    "agent_create",
    "agent_delete",
    "agent_edit",
    "agent_import",
    "capability_set",
    "clarification_reset",
    "comment_add",
    "comment_resolve",
    "mcp_accept",
    "mcp_add",
    "mcp_disable",
    "mcp_enable",
    "mcp_import",
    "mcp_login",
    "mcp_logout",
    "mcp_remove",
    "mcp_test",
    "review_answer",
    "review_close",
    "scope_widen",
    "task_approve",
    "task_send_back",
    "trust_approve",
    "trust_revoke",
}
INPUTS_FOR_PEOPLE = {
    "child_gc.discard",
    "mcp_policy.verdict",
    "plan_cancel.force",
    "plan_resume.force",
    "task_create.checks",
    "task_update.areas",
    "task_update.checks",
    "task_update.scope",
    "worker_done.force",
    "worker_stop.force",
}

READER = re.compile(r"\b[a-z]+(?:_[a-z]+)*_(?:list|get|query|status|report|show|log)\b")
each = pytest.mark.parametrize("op", OPERATIONS, ids=lambda op: op.name)


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Every subschema."""
    yield schema
    for part in schema.get("properties", {}).values():
        yield from nodes(part)
    if "items" in schema:
        yield from nodes(schema["items"])


@pytest.mark.proves("operation:definition:complete")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_one_file_is_one_operation_of_the_same_name(path: Path) -> None:
    module = ".".join(path.relative_to(ROOT / "src").with_suffix("").parts)
    assert [op.name for op in operations_in(import_module(module))] == [path.stem]


@pytest.mark.proves("operation:definition:complete")
@each
def test_a_test_calls_it(op: Operation) -> None:
    group = op.module.split(".")[2]
    path = ROOT / "tests/ops" / group / f"test_{op.name}.py"
    assert path.exists(), f"write {path.relative_to(ROOT)}"
    assert f'"{op.name}"' in path.read_text(), f"{path.relative_to(ROOT)} never calls it"


@pytest.mark.proves("operation:description:short")
@each
def test_its_help_starts_with_one_short_sentence_and_fits(op: Operation) -> None:
    assert op.summary.endswith(".")
    assert len(op.summary) <= 100
    assert len(op.help) <= 1_024


@pytest.mark.proves("operation:definition:complete")
@each
def test_its_effect_and_capability_are_known(op: Operation) -> None:
    assert isinstance(op.effect, Effect)
    assert op.capability in CAPABILITIES


@each
@pytest.mark.proves("rights:declared")
def test_it_declares_its_callers(op: Operation) -> None:
    assert op.callers in CALLERS
    assert (op.callers == INTERNAL) == CAPABILITIES[op.capability].inner


def test_exactly_these_need_a_person() -> None:
    assert {op.name for op in OPERATIONS if op.callers == PEOPLE} == FOR_PEOPLE
    inputs = {f"{op.name}.{name}" for op in OPERATIONS if op.callers == ANYONE for name in op.by_person}
    assert inputs == INPUTS_FOR_PEOPLE


def test_the_docs_name_all_that_needs_a_person() -> None:
    page = (ROOT / "docs/concepts/permissions.md").read_text()
    assert [name for name in sorted(FOR_PEOPLE | INPUTS_FOR_PEOPLE) if f"`{name}`" not in page] == []


@pytest.mark.proves("operation:definition:complete")
@each
def test_every_input_is_described(op: Operation) -> None:
    assert [name for name, part in op.input_schema["properties"].items() if not part.get("description")] == []


@pytest.mark.proves("operation:schema:portable")
@each
def test_its_schemas_are_portable(op: Operation) -> None:
    for schema in (op.input_schema, op.output_schema):
        for node in nodes(schema):
            assert not FORBIDDEN & set(node)
            assert isinstance(node.get("type", ""), str)
    assert op.output_schema["type"] == "object"


@pytest.mark.proves("operation:words:derived")
@each
def test_its_words_are_a_noun_and_a_verb_and_its_examples_are_commands(op: Operation) -> None:
    assert len(op.words.split()) == 2
    for example in op.examples:
        assert example.startswith((f"deedlog {op.words}", f"deedlog {op.alias}" if op.alias else "!"))


@each
def test_what_lists_its_resources_exists(op: Operation) -> None:
    if op.resource:
        assert op.effect is Effect.READ
        assert ("{" in op.resource) == bool(op.listed_by)
    if op.listed_by:
        assert op.listed_by in {other.name for other in OPERATIONS}


@each
def test_what_makes_it_wait_is_an_input(op: Operation) -> None:
    assert isinstance(op.waits, bool) or op.waits in op.input_schema["properties"]


@each
def test_the_path_it_runs_at_is_an_input_that_may_be_left_out(op: Operation) -> None:
    if op.at:
        assert op.input_schema["properties"][op.at]["type"] == "string"
        assert op.at not in op.input_schema.get("required", ())


@pytest.mark.proves("operation:name:unique")
def test_no_two_share_words_or_alias() -> None:
    words = [op.words for op in OPERATIONS] + [op.alias for op in OPERATIONS if op.alias]
    assert sorted(set(words)) == sorted(words)


@pytest.mark.proves("operation:catalog:current")
def test_the_generated_catalog_is_current() -> None:
    """`make gen` rewrites it; its diff is the review of what changed for every client."""
    fresh = {op.name: op.replace(run=None) for op in OPERATIONS}
    assert {op.name: op for op in catalog.load()} == fresh


def test_the_everyday_ones_come_first_in_the_order_of_the_protocol() -> None:
    first = ["start_workflow", "start_task", "log_decision", "log_issue", "log_milestone", "complete_task"]
    mounting = ["mcp_discover", "mcp_activate", "mcp_call"]
    assert [op.name for op in catalog.load()][: len(first)] == first
    assert [op.name for op in catalog.load() if op.everyday] == [*first, *mounting]


@pytest.mark.parametrize("folder", ["core", "work", "ops"])
def test_hints_name_operations_which_every_face_spells_its_own_way(folder: str) -> None:
    lines = (
        (path.relative_to(ROOT), line.strip())
        for path in (ROOT / "src/deedlog" / folder).rglob("*.py")
        for line in path.read_text().splitlines()
    )
    assert [found for found in lines if "hint" in found[1] and "`deedlog " in found[1]] == []


def listed_by_default() -> list[Operation]:
    """What is off by default costs nobody anything."""
    return [op for op in OPERATIONS if CAPABILITIES[op.capability].on and op.is_tool and not op.further]


@pytest.mark.proves("operation:catalog:budget", "watch:tools-list:short")
def test_the_default_tool_list_stays_within_its_budget() -> None:
    listed = {"tools": [short(op) for op in listed_by_default()]}
    length = len(json.dumps(listed, separators=(",", ":"), ensure_ascii=False))
    assert length <= MOST_CHARACTERS, "mark a tool that agents seldom need `further=True`, or inputs `rare=True`"


def test_what_every_agent_needs_is_in_the_default_list() -> None:
    assert {op.name for op in listed_by_default()} >= EVERYDAY


@each
def test_what_is_off_by_default_is_listed_once_it_is_on(op: Operation) -> None:
    assert CAPABILITIES[op.capability].on or not op.further


@each
def test_the_short_form_has_every_required_input(op: Operation) -> None:
    for whole, brief in pairs(op.input_schema, short(op)["inputSchema"]):
        assert set(whole.get("required", ())) <= set(brief.get("properties", {}))
        assert whole.get("enum") == brief.get("enum")


def pairs(whole: Any, brief: Any) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Every subschema with what the short form made of it."""
    yield whole, brief
    for name, part in brief.get("properties", {}).items():
        yield from pairs(whole["properties"][name], part)
    if "items" in brief:
        yield from pairs(whole["items"], brief["items"])


@pytest.mark.proves("operation:catalog:budget")
@each
def test_no_tool_is_large(op: Operation) -> None:
    most = CLARIFYING if op.name == "require_clarification" else LARGEST
    assert not op.is_tool or len(encode(full(op)).decode()) <= most


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.kind)
def test_who_looks_for_what_is_not_there_is_told_an_operation_that_is(kind: type[Entity]) -> None:
    assert (kind.seen_with or f"{kind.kind}_list") in {op.name for op in OPERATIONS}


def test_hints_name_operations_that_there_are() -> None:
    known = {op.name for op in OPERATIONS}
    lost = [
        f"{path.name}: {name}"
        for path in (ROOT / "src/deedlog").rglob("*.py")
        for text in hints(ast.parse(path.read_text()))
        for name in READER.findall(text)
        if name not in known
    ]
    assert lost == []


def hints(tree: ast.Module) -> Iterator[str]:
    """The texts that callers are given as hints, as far as they are written down."""
    given = [word.value for word in ast.walk(tree) if isinstance(word, ast.keyword) and word.arg == "hint"]
    for part in (node for value in given for node in ast.walk(value)):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value
