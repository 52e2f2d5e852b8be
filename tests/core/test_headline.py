"""What an event tells a person in one line."""

from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.entry import Event
from deedlog.core.headline import MOST_CHARACTERS, headline
from deedlog.core.kinds import KINDS
from deedlog.core.task import Task
from deedlog.core.value import Entity

TASK = Task(id="t", version=1, number=1, workflow_id="w", name="Setup JWT", goal="g", created_at=0)
UNCHANGED = "task-1 session-1 finished: it changed nothing"
MERGED = "task-1 session-1 merged into main"
CHECK = {"label": "lint", "passed": False, "required": True}
SUBJECTS = ["x://own", "task://t", "workflow://w"]


def told(entity: str, before: Any, after: Any, *things: Entity, **more: Any) -> str:
    subjects = [f"{entity}://own", *SUBJECTS[1:]]
    verb = "created" if before is None else "deleted" if after is None else "changed"
    facts = {"kind": f"{entity}.{verb}", "entity": entity, "entity_id": "own", "entity_version": 1, **more}
    event = Event(**{"seq": 1, "op_id": "op", "subjects": subjects, "before": before, "after": after, **facts})
    return headline(event, {thing.uri: thing for thing in (TASK, *things)}.get)


@pytest.mark.proves("ledger:event:headline")
@pytest.mark.parametrize(
    ("entity", "fields", "line"),
    [
        ("workflow", {"name": "Add login"}, "workflow Add login started"),
        ("task", {"number": 2, "name": "Part"}, "task-2 Part started"),
        ("session", {"number": 3}, "task-1 session-3 started"),
        ("milestone", {"message": "Running tests...", "progress": 50.0}, "task-1 milestone 50 % Running tests..."),
        ("milestone", {"message": "Go", "progress": None}, "task-1 milestone Go"),
        ("decision", {"question": "Which?", "chosen": "this"}, "task-1 decision: Which? → this"),
        ("issue", {"description": "Slow", "resolution": "cached"}, "task-1 issue: Slow → cached"),
        ("review", {"question": "Right?"}, "task-1 review: Right?"),
        ("output", {"lines": [{"text": "one"}, {"text": "two"}]}, "printed: two"),
    ],
)
def test_what_appears_is_named(entity: str, fields: dict[str, Any], line: str) -> None:
    assert told(entity, None, fields) == line
    task, name = ("task-1 ", line[7:]) if line.startswith("task-1 ") else ("", line)
    assert told(entity, fields, None) == f"{task}removed: {name.removesuffix(' started')}"


def test_an_agent_is_named_by_its_name() -> None:
    assert told("agent", None, {"description": "Fixes bugs"}) == "agent own defined"
    assert told("agent", {"description": "Fixes bugs"}, None) == "removed: agent own"


@pytest.mark.proves("ledger:event:headline")
@pytest.mark.parametrize(
    ("entity", "after", "line"),
    [
        ("workflow", {"status": "completed", "summary": "All works"}, "workflow completed: All works"),
        ("workflow", {"status": "in_progress", "summary": ""}, "workflow in progress"),
        ("workflow", {"description": "d", "plan": []}, "workflow changed: description, plan"),
        ("session", {"result": "partial_success", "outcome": {"summary": "Half"}}, "task-1 partial success: Half"),
        ("session", {"result": "", "status": "running", "number": 1}, "task-1 session-1 running"),
        ("session", {"number": 1, "leader": 7, "enforcement": "landlock"}, "task-1 session-1 at work (landlock)"),
        ("session", {"number": 1, "dod_result": "merged", "merge": {"how": "squash", "target": "main"}}, MERGED),
        ("session", {"number": 1, "dod_result": "error", "merge": {"how": "discard"}}, "task-1 session-1 discarded"),
        ("session", {"number": 1, "counts": {"created": 0}, "merge": {"target": "main"}}, UNCHANGED),
        ("run", {"label": "Ship", "state": "failed"}, "run Ship failed"),
        ("run", {"label": "Ship", "finished_at": 7}, "run Ship is over: nothing of it runs any more"),
        ("run", {"label": "Ship", "updated_at": 7}, "run Ship goes on"),
        ("node", {"name": "a", "session_id": "s"}, "node a has a worker"),
        ("node", {"name": "a", "state": "waiting", "error": {"message": "x"}}, "node a waits to be tried again"),
        ("session", {"merge": {}, "commit": ""}, "task-1 session- changed: merge, commit"),
        ("session", {"number": 1, "checks": [CHECK, {**CHECK, "passed": True}]}, "task-1 session-1 did not pass: lint"),
        ("session", {}, "task-1 session- as before"),
        ("agent", {"model": "opus"}, "agent own changed: model"),
        ("review", {"verdict": "sent_back", "note": "No", "status": "closed"}, "task-1 review sent back: No"),
        ("review", {"verdict": "noted", "note": "", "question": "Q?"}, "task-1 review noted: Q?"),
        ("decision", {"reasoning": "r"}, "task-1 decision: → changed: reasoning"),
    ],
)
def test_what_changes_tells_how_it_is_now_also_when_it_is_gone(entity: str, after: dict[str, Any], line: str) -> None:
    assert told(entity, {}, after) == line


def test_what_did_not_change_is_taken_from_the_thing_as_it_is() -> None:
    event = {"subjects": [TASK.uri]}
    assert told("task", {"status": "in_progress"}, {"status": "done"}, **event) == "task-1 Setup JWT done"
    assert told("task", {"updated_at": 1}, {"updated_at": 2}, **event) == "task-1 Setup JWT worked on"
    assert told("task", {"retry": False}, {"retry": True}, **event) == "task-1 Setup JWT to be tried again"
    assert told("task", {"awaits": ""}, {"awaits": "merge"}, **event) == "task-1 Setup JWT waits to be merged"
    selected = {"selected_session_id": "s"}
    assert told("task", {}, selected, **event) == "task-1 Setup JWT: a session selected"
    assert told("task", {"number": 1}, {"number": 7}, **event) == "task-7 Setup JWT changed: number"


def test_how_it_is_now_is_never_behind_a_long_name() -> None:
    assert told("workflow", None, {"name": "x" * 200}) == f"workflow {'x' * 39}… started"
    assert told("task", {}, {"number": 2, "name": "x" * 200, "status": "done"}) == f"task-2 {'x' * 39}… done"


def test_a_line_is_short_and_has_no_end_of_line() -> None:
    line = told("decision", None, {"question": "a\nb " * 100, "chosen": "it"})
    assert line.startswith("task-1 decision: a b a b")
    assert line.endswith("… → it")
    assert len(told("milestone", None, {"message": "x " * 300})) == MOST_CHARACTERS


def test_a_call_that_changed_nothing_of_ours_is_told_by_its_operation() -> None:
    assert told("", None, None, kind="deploy.called", operation="deploy", subjects=[]) == "deploy"


def test_what_did_not_fit_is_told_to_be_so() -> None:
    assert told("workflow", None, {"name": "x"}, applied=False) == "workflow x started (not applied)"


@pytest.mark.parametrize("entity", KINDS)
@pytest.mark.parametrize("value", [None, 1, [], {}, "x"])
def test_values_that_an_import_brought_never_break_a_line(entity: str, value: Any) -> None:
    fields = dict.fromkeys((*KINDS[entity].defaults(), "outcome", "progress", "result", "verdict", "question"), value)
    for before, after in ((None, fields), (fields, None), (fields, fields), (None, {}), ({}, {})):
        assert told(entity, before, after)
