"""Checking, rebuilding, exporting and merging stores, the same on each database."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from deedlog.app import App
from deedlog.core.errors import Invalid, Unavailable
from deedlog.core.remark import Milestone
from deedlog.core.workflow import Workflow
from deedlog.ports import EventQuery
from deedlog.store.ledger import SqlLedger
from deedlog.testing import caller
from tests.engines.conftest import Engine, postgres_engine, sqlite_engine
from tests.engines.test_store_contract import an_op

CALLS = 6


def fill(app: App, prefix: str = "goal") -> list[str]:
    """Six workflows; the first is ended, the second ended and taken back, the third begun and taken back."""
    ids = [app.call("start_workflow", {"name": f"{prefix} {n} é"}, caller())["workflow_id"] for n in range(CALLS)]
    for workflow_id in ids[:2]:
        end(app, workflow_id, f"{prefix} ended")
    app.call("ledger_undo", {}, caller())
    begun = app.call("start_workflow", {"name": f"{prefix} mistake"}, caller("other"))["workflow_id"]
    app.call("ledger_undo", {}, caller("other"))
    return [*ids, begun]


def end(app: App, workflow_id: str, summary: str) -> None:
    arguments = {"workflow_id": workflow_id, "status": "completed", "summary": summary}
    app.call("complete_workflow", arguments, caller())


def exported(engine: Engine, store: str = "one") -> list[str]:
    return list(engine.upkeep(store).export())


def contents(engine: Engine, store: str) -> Any:
    """Everything a store holds but its project's name."""
    database = engine.open(store)
    tables = {"head": "seq", "op": "op_id", "event": "seq", "subject": "uri, seq", "search": "uri", "workflow": "id"}
    queries = (f"SELECT * FROM {name} WHERE project = ? ORDER BY {order}" for name, order in tables.items())
    return [[row[1:] for row in database.query(sql, (database.project,))] for sql in queries]


@pytest.mark.proves("export:round-trip")
@pytest.mark.parametrize("progress", [50, 50.5, 0, None])
def test_a_number_is_carried_whether_it_is_a_whole_one_or_not(engine: Engine, progress: float | None) -> None:
    app = engine.app()
    app.call("task_create", {"title": "x"}, caller())
    app.call("log_milestone", {"task_id": "task-1", "message": "on", "progress": progress}, caller())
    other = engine.upkeep("two")
    assert other.merge(iter(exported(engine)))["conflicts"] == []
    assert other.verify() == []
    (milestone,) = SqlLedger(engine.open("two")).find(Milestone, limit=9)
    assert milestone.progress == progress


@pytest.mark.proves("doctor:verify:sound", "ledger:chain:linked")
def test_a_sound_store_verifies(engine: Engine) -> None:
    assert engine.upkeep().verify() == []
    fill(engine.app())
    assert engine.upkeep().verify() == []


LOG_DAMAGE = {
    "DELETE FROM event WHERE project = $ AND seq = 4": "event 4 is missing",
    "DELETE FROM event WHERE project = $ AND seq IN (4, 5)": "events 4 to 5 are missing",
    "DELETE FROM event WHERE project = $ AND seq = 11": "event 11 is missing",
    "DELETE FROM event WHERE project = $ AND seq = 1": "event 1 is missing",
    "UPDATE event SET after_fields = '{}' WHERE project = $ AND seq = 1": "event 1 of op ",
    "UPDATE event SET after_fields = 'rubbish' WHERE project = $ AND seq = 1": "event 1 of op ",
    "UPDATE event SET op_id = 'op-x' WHERE project = $ AND seq = 2": "event 2 belongs to op op-x, which is missing",
    "UPDATE event SET hash = 'x' WHERE project = $ AND seq = 3": "event 3 of op ",
    "UPDATE event SET applied = 0 WHERE project = $ AND seq = 5": "event 5 of op ",
    "UPDATE op SET answer = '{}' WHERE project = $ AND operation = 'complete_workflow'": "is not what was written",
    "UPDATE op SET actor = 'eve' WHERE project = $ AND actor = 'other'": "is not what was written",
    "INSERT INTO op SELECT project, 'op-x', operation, effect, actor, at, cause, NULL, '', NULL, answer FROM op "
    "WHERE project = $ LIMIT 1": "op op-x has no events",
    "UPDATE head SET hash = 'x' WHERE project = $": "its head says",
    "UPDATE head SET seq = 20 WHERE project = $": "events 12 to 20 are missing",
    "UPDATE head SET seq = 2 WHERE project = $": "its head says 2",
    "DELETE FROM head WHERE project = $": "its head says 0",
}
TABLE_DAMAGE = {
    "UPDATE workflow SET body = replace(body, 'goal 4', 'goal x') WHERE project = $": "is not what the log tells",
    "UPDATE workflow SET version = version + 1 WHERE project = $ AND status = 'completed'": "is not what the log tells",
    "UPDATE workflow SET status = 'failed' WHERE project = $ AND status = 'completed'": "is not what the log tells",
    "UPDATE workflow SET body = 'rubbish' WHERE project = $ AND status = 'completed'": "is not what the log tells",
    "DELETE FROM workflow WHERE project = $ AND status = 'completed'": "is missing",
    "INSERT INTO workflow SELECT project, 'wf-x', 1, status, created_at, body FROM workflow "
    "WHERE project = $ AND status = 'completed'": "workflow wf-x is not in the log",
    "DELETE FROM subject WHERE project = $ AND seq = 3": "of event 3 is missing",
    "INSERT INTO subject VALUES ($, 'workflow://x', 3)": "the subject workflow://x of event 3 is not in the log",
    "UPDATE search SET folded = 'x' WHERE project = $ AND seq = 4": "the search text of workflow://",
    "UPDATE search SET seq = 1 WHERE project = $ AND seq = 4": "is not what the log tells",
    "DELETE FROM search WHERE project = $ AND seq = 4": "the search text of workflow://",
    "INSERT INTO search VALUES ($, 'x://1', 'x', 't', 't', 't', 1)": "does not know: 'x'",
}


def spoilt(engine: Engine, sql: str, expected: str) -> None:
    engine.spoil(sql)
    found = engine.upkeep().verify()
    assert any(expected in line for line in found), found
    assert all("\n" not in line for line in found)


@pytest.mark.proves("doctor:verify:damage", "ledger:chain:linked")
@pytest.mark.parametrize("sql", LOG_DAMAGE)
def test_each_kind_of_damage_to_the_log_is_told_and_nothing_is_rebuilt_from_it(engine: Engine, sql: str) -> None:
    fill(engine.app())
    spoilt(engine, sql, LOG_DAMAGE[sql])
    with pytest.raises(Unavailable, match="the log itself is damaged"):
        engine.upkeep().rebuild()


@pytest.mark.proves("doctor:verify:damage", "doctor:rebuild:equal")
@pytest.mark.parametrize("sql", TABLE_DAMAGE)
def test_each_kind_of_damage_to_the_tables_is_told_and_repaired_from_the_log(engine: Engine, sql: str) -> None:
    fill(engine.app())
    before = contents(engine, "one")
    spoilt(engine, sql, TABLE_DAMAGE[sql])
    assert engine.upkeep().rebuild() == CALLS
    assert engine.upkeep().verify() == []
    assert contents(engine, "one") == before


def test_a_rebuild_of_a_sound_store_changes_nothing(engine: Engine) -> None:
    fill(engine.app())
    before = contents(engine, "one")
    assert engine.upkeep().rebuild() == CALLS
    assert contents(engine, "one") == before


def test_what_is_left_of_a_damaged_log_can_be_rebuilt_on_demand(engine: Engine) -> None:
    ids = fill(engine.app())
    engine.spoil("DELETE FROM event WHERE project = $ AND seq = 6")
    engine.spoil("DELETE FROM workflow WHERE project = $")
    assert engine.upkeep().rebuild(anyway=True) == CALLS - 1
    assert engine.ledger().get(Workflow, ids[0]).summary == "goal ended"


def test_a_hopeless_store_gives_a_bounded_list(engine: Engine) -> None:
    for number in range(30):
        fill(engine.app(), str(number))
    engine.spoil("UPDATE event SET hash = 'x' WHERE project = $")
    found = engine.upkeep().verify()
    assert (len(found), found[-1]) == (101, f"and {engine.ledger().head() + 1 - 100} more")  # each event, and the head


@pytest.mark.proves("export:round-trip")
def test_an_export_imported_into_an_empty_store_gives_the_same_store(engine: Engine) -> None:
    fill(engine.app())
    lines = exported(engine)
    assert json.loads(lines[0])["ops"] == len(lines) - 1
    answer = engine.upkeep("two").merge(iter(lines))
    assert answer == {"added": len(lines) - 1, "known": 0, "renumbered": [], "conflicts": [], "verified": True}
    assert contents(engine, "two") == contents(engine, "one")
    assert engine.upkeep("two").verify() == []
    again = engine.upkeep("two").merge(iter(lines))
    assert again == {"added": 0, "known": len(lines) - 1, "renumbered": [], "conflicts": [], "verified": True}


@pytest.mark.proves("export:round-trip", "store:contract:both")
def test_a_store_moves_from_sqlite_to_postgresql_and_back(tmp_path: Any, postgres_url: str) -> None:
    local, shared = sqlite_engine(tmp_path), postgres_engine(postgres_url)
    try:
        fill(local.app())
        shared.upkeep().merge(iter(exported(local)))
        local.upkeep("two").merge(iter(exported(shared)))
        assert contents(shared, "one") == contents(local, "one") == contents(local, "two")
        assert shared.upkeep().verify() == local.upkeep("two").verify() == []
    finally:
        local.close()
        shared.close()


def test_an_export_shows_one_moment_while_others_write(engine: Engine) -> None:
    fill(engine.app())
    lines = engine.upkeep().export()
    found = [next(lines)]
    engine.app().call("start_workflow", {"name": "later"}, caller())
    found += lines
    assert len(found) == json.loads(found[0])["ops"] + 1
    assert "later" not in "".join(found)


@pytest.mark.proves("import:merge:keeps")
def test_two_stores_that_went_apart_give_each_other_what_they_lack(engine: Engine) -> None:
    common = fill(engine.app())
    engine.upkeep("two").merge(iter(exported(engine)))
    one, two = engine.app("one"), engine.app("two")
    fill(one, "first")
    fill(two, "second")
    end(one, common[3], "by the first")
    for giver, taker in (("one", "two"), ("two", "one")):
        answer = engine.upkeep(taker).merge(iter(exported(engine, giver)))
        assert answer["conflicts"] == []
    for store in ("one", "two"):
        assert engine.upkeep(store).verify() == []
        assert len(engine.ledger(store).find(Workflow, limit=100)) == 3 * CALLS
        assert engine.ledger(store).get(Workflow, common[3]).summary == "by the first"


@pytest.mark.proves("import:merge:keeps")
def test_a_change_that_does_not_fit_is_kept_but_not_applied(engine: Engine) -> None:
    workflow_id = fill(engine.app())[3]
    engine.upkeep("two").merge(iter(exported(engine)))
    end(engine.app("one"), workflow_id, "the first says")
    end(engine.app("two"), workflow_id, "the second says")
    engine.app("two").call("ledger_undo", {}, caller())  # builds on what does not fit
    head = engine.ledger("one").head()
    answer = engine.upkeep("one").merge(iter(exported(engine, "two")))
    assert answer["added"] == 2
    assert isinstance(answer["conflicts"], list)
    assert len(answer["conflicts"]) == 2
    assert workflow_id in str(answer["conflicts"])
    assert engine.ledger("one").get(Workflow, workflow_id).summary == "the first says"
    assert [event.applied for event in engine.ledger("one").events(EventQuery(after=head))] == [False, False]
    assert engine.upkeep("one").verify() == []
    assert engine.upkeep("one").rebuild() == CALLS
    assert engine.ledger("one").get(Workflow, workflow_id).summary == "the first says"
    again = engine.upkeep("one").merge(iter(exported(engine, "two")))
    assert (again["added"], again["conflicts"]) == (0, [])
    engine.upkeep("three").merge(iter(exported(engine, "one")))
    assert contents(engine, "three") == contents(engine, "one")


@pytest.mark.proves("import:merge:keeps")
@pytest.mark.parametrize("at_once", [True, False])
def test_what_builds_on_a_refused_change_is_refused_too_though_its_fields_would_fit(
    engine: Engine,
    at_once: bool,  # noqa: FBT001
) -> None:
    one, two = engine.ledger("one"), engine.ledger("two")
    one.write(an_op(1), [Workflow(id="wf-1", name="n", created_at=1)])
    engine.upkeep("two").merge(iter(exported(engine)))
    one.write(an_op(2), [one.get(Workflow, "wf-1").replace(description="by the first")])
    two.write(an_op(3), [two.get(Workflow, "wf-1").replace(summary="by the second")])
    if not at_once:
        engine.upkeep("one").merge(iter(exported(engine, "two")))
    two.write(an_op(4), [two.get(Workflow, "wf-1").replace(status="failed")])
    answer = engine.upkeep("one").merge(iter(exported(engine, "two")))
    assert "op op-4 (test) was not applied: workflow wf-1" in str(answer["conflicts"])
    stored = one.get(Workflow, "wf-1")
    assert (stored.version, stored.description, stored.summary, stored.status) == (2, "by the first", "", "in_progress")
    assert [event.applied for event in one.events(EventQuery())] == [True, True, False, False]
    assert engine.upkeep("one").verify() == []


@pytest.mark.proves("import:merge:keeps")
def test_an_idempotency_key_used_on_both_sides_stays_with_the_op_that_has_it(engine: Engine) -> None:
    for store in ("one", "two"):
        engine.app(store).call("start_workflow", {"name": store}, caller(idempotency_key="same"))
    answer = engine.upkeep("one").merge(iter(exported(engine, "two")))
    assert answer["added"] == 1
    assert "lost its idempotency key" in str(answer["conflicts"])
    assert len(engine.ledger("one").find(Workflow, limit=10)) == 2
    again = engine.app("one").call("start_workflow", {"name": "one"}, caller(idempotency_key="same"))
    assert engine.ledger("one").get(Workflow, again["workflow_id"]).name == "one"
    assert engine.upkeep("one").merge(iter(exported(engine, "two")))["conflicts"] == []
    assert engine.upkeep("one").verify() == []


@pytest.mark.proves("import:merge:keeps")
def test_an_op_that_is_there_with_other_contents_stays_as_it_is(engine: Engine) -> None:
    fill(engine.app())
    lines = [line.replace("goal 2", "goal x") for line in exported(engine)]
    before = contents(engine, "one")
    answer = engine.upkeep().merge(iter(lines), anyway=True)
    assert "is here with other contents" in str(answer["conflicts"])
    assert (answer["added"], answer["verified"]) == (0, False)
    assert contents(engine, "one") == before


def op_line(**changes: Any) -> str:
    body = {"name": "n", "description": "", "plan": [], "status": "in_progress", "created_at": 1, "summary": ""}
    event = {
        "seq": 1,
        "kind": "workflow.created",
        "entity": "workflow",
        "entity_id": "wf-1",
        "entity_version": 1,
        "subjects": ["workflow://wf-1"],
        "before": None,
        "after": {**body, "ended_at": None, **changes.pop("body", {})},
        "applied": True,
        **changes.pop("event", {}),
    }
    op = {
        "op_id": "op-1",
        "operation": "start_workflow",
        "effect": "write",
        "actor": "a",
        "at": 1,
        "cause": "",
        "idempotency_key": None,
        "arguments_digest": "",
        "undo_of": None,
        "answer": {},
        **changes,
    }
    return json.dumps({"op": op, "events": [event]})


HEADER = json.dumps({"deedlog": "export", "format": 1, "project": "x", "ops": 1, "head": 1, "hash": "x"})
GARBAGE = {
    "not JSON": "{",
    "a number": "7",
    "another object": '{"op": {}, "events": []}',
    "deep": "[" * 100_000,
    "deep inside": op_line(answer=json.loads("[" * 200 + "]" * 200)),
    "NaN": op_line(answer=float("nan")),
    "endless": op_line().replace('"answer": {}', '"answer": 1e999'),
    "many digits": op_line().replace('"answer": {}', '"answer": ' + "9" * 5000),
    "too large": op_line(at=2**63),
    "true for a number": op_line(at=True),
    "text for a number": op_line(at="1"),
    "a NUL": op_line(actor="a\x00b"),
    "half a pair": op_line(actor="a\ud800b"),
    "unknown effect": op_line(effect="read"),
    "unknown kind": op_line(event={"entity": "rocket"}),
    "version 0": op_line(event={"entity_version": 0}),
    "a list for an object": op_line(event={"after": []}),
    "subjects": op_line(event={"subjects": [1]}),
    "status": op_line(body={"status": 5}),
    "created_at": op_line(body={"created_at": "now"}),
    "ended_at": op_line(body={"ended_at": "now"}),
    "plan": op_line(body={"plan": [1]}),
    "name": op_line(body={"name": None}),
    "fields": op_line(event={"after": {"status": "x"}}),
}


def test_the_line_the_bad_ones_are_made_from_is_good(engine: Engine) -> None:
    answer = engine.upkeep().merge(iter([HEADER, op_line(), ""]), anyway=True)
    assert (answer["added"], answer["conflicts"]) == (1, [])
    assert engine.upkeep().verify() == []


@pytest.mark.proves("import:garbage:refused")
@pytest.mark.parametrize("name", GARBAGE)
def test_a_bad_line_is_refused_by_its_number_and_nothing_is_imported(engine: Engine, name: str) -> None:
    good = op_line(op_id="op-0", event={"entity_id": "wf-0"})
    header = HEADER.replace('"ops": 1', '"ops": 2')
    with pytest.raises(Invalid, match=r"^line 3: ") as refusal:
        engine.upkeep().merge(iter([header, good, GARBAGE[name]]), anyway=True)
    assert "\n" not in refusal.value.message
    assert len(refusal.value.message) < 500
    assert engine.ledger().head() == 0


@pytest.mark.proves("import:garbage:refused")
@pytest.mark.parametrize(
    "header", ["", "{}", "[", '{"deedlog": "export"}', HEADER.replace('"format": 1', '"format": 2')]
)
def test_what_is_no_export_is_refused(engine: Engine, header: str) -> None:
    with pytest.raises(Invalid, match="line 1: "):
        engine.upkeep().merge(iter([header, op_line()]))


@pytest.mark.proves("import:garbage:refused")
@pytest.mark.parametrize("cut", [lambda lines: lines[:-1], lambda lines: [*lines, lines[-1]]])
def test_an_export_with_lines_missing_or_doubled_is_refused(
    engine: Engine, cut: Callable[[list[str]], list[str]]
) -> None:
    fill(engine.app())
    with pytest.raises(Invalid, match="it has"):
        engine.upkeep("two").merge(iter(cut(exported(engine))))
    assert engine.ledger("two").head() == 0


@pytest.mark.proves("import:changed:refused")
def test_an_export_that_somebody_changed_is_only_imported_on_demand(engine: Engine) -> None:
    fill(engine.app())
    lines = [line.replace("goal 2", "goal x") for line in exported(engine)]
    with pytest.raises(Invalid, match="is not what was exported") as refusal:
        engine.upkeep("two").merge(iter(lines))
    assert "nothing was imported" in refusal.value.hint
    assert engine.ledger("two").head() == 0
    answer = engine.upkeep("two").merge(iter(lines), anyway=True)
    assert (answer["added"], answer["verified"]) == (len(lines) - 1, False)
    assert engine.upkeep("two").verify() == []


def test_a_source_that_fails_changes_nothing(engine: Engine) -> None:
    fill(engine.app())
    lines = exported(engine)

    def failing() -> Iterator[str]:
        yield from lines[:4]
        raise OSError(5, "Input/output error")

    with pytest.raises(Unavailable, match="could not be read"):
        engine.upkeep("two").merge(failing())
    assert engine.ledger("two").head() == 0
