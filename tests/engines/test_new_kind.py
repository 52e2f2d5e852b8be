"""A second kind of thing: what its author writes, and that everything else follows from it."""

from __future__ import annotations

import json
from typing import Any, ClassVar

import pytest

from deedlog.core.errors import Conflict, Invalid
from deedlog.core.kinds import KINDS
from deedlog.core.value import Entity
from deedlog.core.workflow import Workflow
from deedlog.ports import EventQuery, Gone
from deedlog.store.ledger import SqlLedger
from deedlog.store.steps import STEPS
from deedlog.store.tables import TABLES, Table
from deedlog.store.upkeep import SqlUpkeep
from deedlog.testing import app_on, caller
from tests.engines.conftest import Engine
from tests.engines.test_store_contract import an_op


class Note(Entity):
    kind: ClassVar[str] = "note"
    found_by: ClassVar[tuple[str, ...]] = ("workflow_id", "written_at")
    sorted_by: ClassVar[str] = "written_at"

    workflow_id: str
    written_at: int
    text: str = ""
    weight: float | None = None
    extra: Any = None

    def subjects(self) -> list[str]:
        return [self.uri, f"workflow://{self.workflow_id}"]

    def search_text(self) -> tuple[str, str]:
        return "note", self.text


NOTES = """
CREATE TABLE note (
    project {text} NOT NULL,
    id {text} NOT NULL,
    version {int} NOT NULL,
    workflow_id {text} NOT NULL,
    written_at {int} NOT NULL,
    body {text} NOT NULL,
    PRIMARY KEY (project, id)
) {kept};
"""
WITH_NOTES = (*STEPS, NOTES)


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if `Note` stood in `core/kinds.py` and its table in `store/steps/`."""
    monkeypatch.setitem(KINDS, "note", Note)
    monkeypatch.setitem(TABLES, "note", Table(entity=Note))


@pytest.mark.proves("store:kind:follows")
def test_a_new_kind_is_kept_found_undone_searched_carried_and_rebuilt_like_every_other(engine: Engine) -> None:
    database = engine.open("one", WITH_NOTES)
    ledger, app = SqlLedger(database), app_on(database)
    workflow_id = app.call("start_workflow", {"name": "x"}, caller())["workflow_id"]
    notes = [
        Note(id=f"note-{n}", workflow_id=workflow_id, written_at=n, text=f"thought {n}", weight=n / 2) for n in range(3)
    ]
    ledger.write(an_op(1, actor="tester"), notes)
    ledger.write(an_op(2), [ledger.get(Note, "note-1").replace(text="changed", extra={"any": [1]})])
    ledger.write(an_op(3), [Gone(entity=ledger.get(Note, "note-2"))])
    assert [n.id for n in ledger.find(Note, {"workflow_id": workflow_id}, limit=9)] == ["note-1", "note-0"]
    assert [hit.uri for hit in ledger.search(["thought"], ["note"], 9)] == ["note://note-0"]
    app.call("ledger_undo", {"op_id": "op-3"}, caller())
    assert ledger.get(Note, "note-2").weight == 1.0
    assert SqlUpkeep(database).verify() == []
    lines = list(SqlUpkeep(database).export())
    other = engine.open("two", WITH_NOTES)
    assert SqlUpkeep(other).merge(iter(lines))["conflicts"] == []
    assert SqlLedger(other).find(Note, limit=9) == ledger.find(Note, limit=9)
    assert SqlUpkeep(other).rebuild() == 4
    assert SqlUpkeep(other).verify() == []


@pytest.mark.proves("ledger:undo:builds-on")
def test_what_things_of_another_kind_build_on_is_not_taken_from_under_them(engine: Engine) -> None:
    database = engine.open("one", WITH_NOTES)
    ledger, app = SqlLedger(database), app_on(database)
    workflow_id = app.call("start_workflow", {"name": "x"}, caller())["workflow_id"]
    start = ledger.events(EventQuery())[0].op_id
    for number in range(2):
        ledger.write(an_op(number), [Note(id=f"note-{number}", workflow_id=workflow_id, written_at=1)])
    app.call("ledger_undo", {"op_id": "op-0"}, caller())
    with pytest.raises(Conflict, match="note 'note-1' builds on workflow") as refusal:
        app.call("ledger_undo", {"op_id": start}, caller())
    assert refusal.value.hint == "undo op-1 first"
    app.call("ledger_undo", {"op_id": "op-1"}, caller())
    app.call("ledger_undo", {"op_id": start}, caller())
    assert ledger.find(Workflow, limit=9) == []


@pytest.mark.proves("import:garbage:refused")
@pytest.mark.parametrize(
    ("name", "wrong"), [("weight", "heavy"), ("weight", True), ("text", None), ("written_at", 1.5)]
)
def test_the_types_of_a_new_kind_s_fields_are_checked_on_import(engine: Engine, name: str, wrong: object) -> None:
    database = engine.open("one", WITH_NOTES)
    SqlLedger(database).write(an_op(1), [Note(id="note-1", workflow_id="w", written_at=1, weight=1.0, extra={})])
    head, line = SqlUpkeep(database).export()
    changed = json.loads(line)
    changed["events"][0]["after"][name] = wrong
    with pytest.raises(Invalid, match=f"{name} has the wrong type"):
        SqlUpkeep(engine.open("two", WITH_NOTES)).merge(iter([head, json.dumps(changed)]), anyway=True)
