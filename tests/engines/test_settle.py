"""Stores that gave the same numbers to different things, brought together."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from deedlog.core.errors import Conflict, Invalid
from deedlog.core.task import Session, Task
from deedlog.ports import EventQuery, Gone
from deedlog.testing import caller
from tests.engines.conftest import Engine
from tests.engines.test_upkeep import exported
from tests.engines.tracked import a_task, begun, commit, insistent, numbers


def carry(engine: Engine, giver: str, taker: str) -> dict[str, Any]:
    return engine.upkeep(taker).merge(engine.upkeep(giver).export(), actor="importer")


def settled(engine: Engine, *stores: str) -> dict[str, int]:
    """The numbers of all tasks and sessions, the same in all these stores."""
    found = [{**numbers(engine.ledger(name), Task), **numbers(engine.ledger(name), Session)} for name in stores]
    assert all(one == found[0] for one in found), found
    assert [engine.upkeep(name).verify() for name in stores] == [[] for _ in stores]
    for kind in ("task", "session"):
        given = [number for thing, number in found[0].items() if thing.startswith(kind)]
        assert len(given) == len(set(given))
    return found[0]


@pytest.mark.proves("import:merge:numbers")
def test_two_stores_that_both_counted_from_one_agree_after_importing_each_other(engine: Engine) -> None:
    ours = [begun(engine.ledger("one")).id for _ in range(3)]
    theirs = [begun(engine.ledger("two")).id for _ in range(3)]
    first = carry(engine, "one", "two")
    assert first["renumbered"] == [
        *(f"session-{n} is session-{n + 3} now" for n in (1, 2, 3)),
        *(f"task-{n} is task-{n + 3} now" for n in (1, 2, 3)),
    ]
    assert first["conflicts"] == []
    assert carry(engine, "two", "one")["renumbered"] == []
    found = settled(engine, "one", "two")
    assert [found[task] for task in theirs] == [1, 2, 3]
    assert [found[task] for task in ours] == [4, 5, 6]
    heads = [engine.ledger(name).head() for name in ("one", "two")]
    for giver, taker in (("one", "two"), ("two", "one")):
        again = carry(engine, giver, taker)
        assert (again["added"], again["renumbered"], again["conflicts"]) == (0, [], [])
    assert [engine.ledger(name).head() for name in ("one", "two")] == heads
    assert settled(engine, "one", "two") == found
    assert engine.ledger("one").next_number(Task) == engine.ledger("two").next_number(Task) == 7


@pytest.mark.proves("import:merge:numbers")
def test_two_stores_that_import_each_other_at_the_same_time_agree_in_the_end(engine: Engine) -> None:
    for name in ("one", "two"):
        for _ in range(3):
            begun(engine.ledger(name))
    engine.ledger("two").next_number(Task)
    for _ in range(3):
        lines = {name: exported(engine, name) for name in ("one", "two")}
        engine.upkeep("one").merge(iter(lines["two"]))
        engine.upkeep("two").merge(iter(lines["one"]))
    found = settled(engine, "one", "two")
    assert len(found) == 12


@pytest.mark.proves("import:merge:numbers")
def test_a_new_number_is_an_op_of_its_own_that_the_log_tells(engine: Engine) -> None:
    theirs = begun(engine.ledger("two"), "theirs")
    ours = begun(engine.ledger("one"), "ours")
    carry(engine, "one", "two")
    ledger = engine.ledger("two")
    assert ledger.get(Task, "task-1").id == theirs.id
    moved = ledger.get(Task, "task-2")
    assert (moved.id, moved.version) == (ours.id, 1)
    event = ledger.events(EventQuery(subject=ours.uri))[-1]
    assert (event.kind, event.before, event.after) == ("task.changed", {"number": 1}, {"number": 2})
    assert (event.operation, event.actor, event.subjects) == ("import", "importer", ours.subjects())
    assert [hit.uri for hit in ledger.search(["task-2"], ["task"], 9)] == [ours.uri]
    with pytest.raises(Conflict, match="import cannot be undone"):
        engine.app("two").call("ledger_undo", {"op_id": event.op_id}, caller())
    before = settled(engine, "two")
    assert engine.upkeep("two").rebuild() == 4
    assert settled(engine, "two") == before
    engine.upkeep("three").merge(engine.upkeep("two").export())
    assert settled(engine, "two", "three") == before


@pytest.mark.proves("import:merge:numbers")
def test_a_task_with_another_number_elsewhere_is_still_the_same_task(engine: Engine) -> None:
    """What happens to it in either store fits in the other, whatever it is called there."""
    begun(engine.ledger("two"))
    one = engine.ledger("one")
    task, other = begun(one), begun(one)
    carry(engine, "one", "two")
    commit(one, one.get(Task, task.id).replace(status="failed"))
    commit(one, one.get(Task, task.id).replace(name="changed twice"))
    commit(one, Gone(entity=one.get(Task, other.id)))
    assert carry(engine, "one", "two")["conflicts"] == []
    stored = engine.ledger("two").get(Task, task.id)
    assert (stored.number, stored.version, stored.status, stored.name) == (3, 3, "failed", "changed twice")
    assert engine.ledger("two").find_one(Task, other.id) is None
    two = engine.ledger("two")
    commit(two, stored.replace(status="completed"))
    assert carry(engine, "two", "one")["conflicts"] == []
    assert one.get(Task, task.id) == two.get(Task, task.id)
    settled(engine, "one", "two")


@pytest.mark.proves("import:merge:numbers")
def test_a_change_based_on_the_old_number_is_refused(engine: Engine) -> None:
    begun(engine.ledger("two"))
    begun(engine.ledger("one"))
    carry(engine, "one", "two")
    one = engine.ledger("one")
    read = one.get(Task, "task-1")
    carry(engine, "two", "one")
    with pytest.raises(Conflict, match="changed since it was read"):
        commit(one, read.replace(status="failed"))
    commit(one, one.get(Task, read.id).replace(status="failed"))
    assert settled(engine, "one")[read.id] == 2


@pytest.mark.proves("import:merge:numbers")
def test_undo_reaches_through_a_new_number(engine: Engine) -> None:
    begun(engine.ledger("two"))
    one, app = engine.ledger("one"), engine.app("one")
    task = a_task(one.next_number(Task))
    created = commit(one, task)
    carry(engine, "one", "two")
    carry(engine, "two", "one")
    assert one.get(Task, task.id).number == 2
    app.call("ledger_undo", {"op_id": created.op_id}, caller())
    assert one.find_one(Task, task.id) is None
    removal = one.events(EventQuery(last=True, limit=1))[0]
    assert carry(engine, "one", "two")["conflicts"] == []
    app.call("ledger_undo", {"op_id": removal.op_id}, caller())
    assert one.get(Task, task.id).number == 2
    assert carry(engine, "one", "two")["conflicts"] == []
    settled(engine, "one", "two")


@pytest.mark.proves("import:merge:numbers")
def test_a_store_that_two_others_numbered_otherwise_takes_the_higher_numbers(engine: Engine) -> None:
    task = begun(engine.ledger("one"))
    begun(engine.ledger("two"))
    for _ in range(4):
        begun(engine.ledger("three"))
    carry(engine, "one", "two")
    carry(engine, "one", "three")
    assert [numbers(engine.ledger(name), Task)[task.id] for name in ("two", "three")] == [2, 5]
    carry(engine, "two", "one")
    assert carry(engine, "three", "one")["conflicts"] == []
    for taker in ("two", "three"):
        assert carry(engine, "one", taker)["conflicts"] == []
    assert settled(engine, "one", "two", "three")[task.id] == 5


@pytest.mark.proves("import:merge:numbers")
def test_a_rebuild_parts_what_a_damaged_log_left_with_one_number(engine: Engine) -> None:
    begun(engine.ledger("two"))
    begun(engine.ledger("one"))
    carry(engine, "one", "two")
    engine.spoil(
        "DELETE FROM event WHERE project = $ AND op_id IN (SELECT op_id FROM op WHERE operation = 'import')", "two"
    )
    engine.spoil("UPDATE task SET number = 1 WHERE project = $", "two")
    assert "more than one task has the number 1" in engine.upkeep("two").verify()
    assert engine.upkeep("two").rebuild(anyway=True) == 4
    assert sorted(numbers(engine.ledger("two"), Task).values()) == [1, 3]


@pytest.mark.proves("import:garbage:refused")
@pytest.mark.parametrize("number", ["0", "-1", "1.0", "true", '"1"', "null", str(10**15), str(2**63)])
def test_a_number_no_store_gives_is_refused(engine: Engine, number: str) -> None:
    commit(engine.ledger("one"), a_task(4711))
    header, line = exported(engine)
    with pytest.raises(Invalid, match=r"^line 2: "):
        engine.upkeep("two").merge(iter([header, line.replace("4711", number)]), anyway=True)
    assert engine.ledger("two").head() == 0


@pytest.mark.proves("import:garbage:refused")
def test_an_id_that_reads_as_a_number_is_refused(engine: Engine) -> None:
    task = a_task(1)
    commit(engine.ledger("one"), task)
    lines = [line.replace(task.id, "task-7") for line in exported(engine)]
    with pytest.raises(Invalid, match="'task-7' is no id but a number"):
        engine.upkeep("two").merge(iter(lines), anyway=True)


@pytest.mark.proves("import:merge:numbers")
def test_tasks_that_begin_while_imports_come_in_get_numbers_of_their_own(engine: Engine) -> None:
    def begin(_: int) -> list[str]:
        ledger = engine.ledger()
        return [insistent(lambda: begun(ledger)).id for _ in range(8)]

    with ThreadPoolExecutor(5) as threads:
        writers = [threads.submit(begin, number) for number in range(4)]
        other = engine.ledger("two")
        while not all(writer.done() for writer in writers):
            begun(other)
            carry(engine, "two", "one")
        written = {task_id for writer in writers for task_id in writer.result()}
    assert written < settled(engine, "one").keys()
    carry(engine, "one", "two")
    carry(engine, "two", "one")
    assert written < settled(engine, "one", "two").keys()


class Stores:
    """Stores that work by themselves and import each other's exports, fresh or long made."""

    def __init__(self, engine: Engine, seed: int) -> None:
        self.engine = engine
        self.chance = random.Random(seed)
        self.names = ["one", "two", "three"]
        self.made: dict[str, list[str]] = {name: [] for name in self.names}
        self.exports = {name: [exported(engine, name)] for name in self.names}

    def step(self) -> None:
        name = self.chance.choice(self.names)
        work = self.chance.choice(
            [self.begin, self.begin, self.waste, self.change, self.remove, self.export, self.take]
        )
        work(name)

    def begin(self, name: str) -> None:
        self.made[name].append(begun(self.engine.ledger(name)).id)

    def waste(self, name: str) -> None:
        self.engine.ledger(name).next_number(Task)

    def change(self, name: str) -> None:
        ledger = self.engine.ledger(name)
        for task_id in self.made[name][-1:]:
            commit(ledger, ledger.get(Task, task_id).replace(goal=str(self.chance.random())))

    def remove(self, name: str) -> None:
        ledger = self.engine.ledger(name)
        if len(self.made[name]) > 2:
            commit(ledger, Gone(entity=ledger.get(Task, self.made[name].pop())))

    def export(self, name: str) -> None:
        self.exports[name].append(exported(self.engine, name))

    def take(self, name: str) -> None:
        giver = self.chance.choice(self.names)
        self.merge(name, self.chance.choice(self.exports[giver]))

    def merge(self, name: str, lines: list[str]) -> int:
        answer = self.engine.upkeep(name).merge(iter(lines))
        assert (answer["conflicts"], answer["verified"]) == ([], True)
        assert isinstance(answer["added"], int)
        return answer["added"]

    def all_at_once(self) -> int:
        """Everybody imports what the others had; returns how many ops were news to somebody."""
        lines = {name: exported(self.engine, name) for name in self.names}
        return sum(self.merge(taker, lines[giver]) for taker in self.names for giver in self.names if giver != taker)


@pytest.mark.proves("import:merge:numbers")
@pytest.mark.parametrize("seed", range(4))
def test_stores_that_import_each_other_in_any_order_end_with_the_same_numbers(engine: Engine, seed: int) -> None:
    stores = Stores(engine, seed)
    for _ in range(40):
        stores.step()
    rounds = 1
    while stores.all_at_once():
        rounds += 1
        assert rounds < 10, "they never agree"
    found = settled(engine, *stores.names)
    for name in stores.names:
        assert engine.upkeep(name).rebuild() == len(found)
    assert settled(engine, *stores.names) == found
