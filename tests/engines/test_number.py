"""Things people call by a number: how it is given, found, and never given twice."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from deedlog.core.errors import Conflict, NotFound
from deedlog.core.task import Session, Task
from deedlog.core.workflow import Workflow
from deedlog.ports import EventQuery, Gone
from deedlog.testing import caller
from tests.engines.conftest import Engine
from tests.engines.test_migrate import PROCESSES, at_once
from tests.engines.tracked import a_session, a_task, begun, commit


@pytest.mark.proves("store:number:once")
def test_numbers_count_up_in_each_kind_and_each_store_by_itself(engine: Engine) -> None:
    ledger, other = engine.ledger(), engine.ledger("two")
    assert [ledger.next_number(Task) for _ in range(3)] == [1, 2, 3]
    assert ledger.next_number(Session) == 1
    assert other.next_number(Task) == 1
    assert engine.ledger().next_number(Task) == 4
    assert ledger.head() == 0


@pytest.mark.proves("store:number:once")
def test_many_numbers_at_once_are_above_every_one_that_was_given_or_is_there(engine: Engine) -> None:
    ledger = engine.ledger()
    assert ledger.next_numbers(Task, 3) == range(1, 4)
    assert (ledger.next_number(Task), ledger.next_numbers(Task, 2)) == (4, range(5, 7))
    commit(ledger, a_task(40))
    assert (ledger.next_numbers(Task, 10), ledger.next_number(Task)) == (range(41, 51), 51)


@pytest.mark.proves("store:number:once")
def test_no_number_is_given_twice_by_many_processes(engine: Engine) -> None:
    engine.open()
    given = [int(number) for said in at_once("number", engine) for number in said.split()]
    assert sorted(given) == list(range(1, 30 * PROCESSES + 1))


@pytest.mark.proves("store:number:once")
def test_no_number_is_given_twice_by_many_threads_of_one_server(engine: Engine) -> None:
    ledger = engine.ledger()
    with ThreadPoolExecutor(8) as threads:
        given = list(threads.map(lambda _: ledger.next_number(Task), range(80)))
    assert sorted(given) == list(range(1, 81))


@pytest.mark.proves("store:number:once")
def test_the_next_number_is_above_every_one_that_is_or_was_there(engine: Engine) -> None:
    ledger = engine.ledger()
    commit(ledger, a_task(40))
    assert ledger.next_number(Task) == 41
    commit(ledger, a_task(41))
    commit(ledger, Gone(entity=ledger.get(Task, "task-41")))
    assert ledger.next_number(Task) == 42
    engine.upkeep().rebuild()
    assert ledger.next_number(Task) == 43
    engine.spoil("DELETE FROM number WHERE project = $")
    assert ledger.next_number(Task) == 41
    engine.upkeep("two").merge(engine.upkeep().export())
    assert engine.ledger("two").next_number(Task) == 41


@pytest.mark.proves("store:number:once")
@pytest.mark.parametrize("name", ["5", "task-5", "005", "task-000000000000005"])
def test_a_thing_answers_to_its_number_in_every_form(engine: Engine, name: str) -> None:
    ledger = engine.ledger()
    task = a_task(5)
    commit(ledger, a_task(4), task, a_task(50), a_session(5))
    assert ledger.get(Task, name).id == task.id
    assert ledger.get(Task, task.id).number == 5
    found = ledger.find_one(Task, name)
    assert found is not None
    assert found.ref == "task-5"
    assert ledger.get(Session, "session-5").number == 5


@pytest.mark.proves("store:number:once")
@pytest.mark.parametrize(
    "name",
    [
        *(
            "6",
            "0",
            "-5",
            "+5",
            "5.0",
            "5 ",
            " 5",
            "",
            "task-",
            "task--5",
            "task-task-5",
            "session-5",
            "Task-5",
            "٥",
            "５",
            "²",
        ),
        *(f"{2**63 - 1}", f"{2**63}", f"task-{2**64}", "9" * 5_000, "0" * 5_000 + "5", f"task-{'0' * 16}5", "5" * 15),
        *("task-none", "5;", "5' OR '1'='1"),
    ],
)
def test_what_is_no_number_of_a_thing_is_not_found_and_named_as_it_was_given(engine: Engine, name: str) -> None:
    ledger = engine.ledger()
    commit(ledger, a_task(5))
    assert ledger.find_one(Task, name) is None
    with pytest.raises(NotFound) as refusal:
        ledger.get(Task, name)
    assert refusal.value.message == f"there is no task {name[:80]!r}"


@pytest.mark.proves("store:number:once")
def test_an_id_that_happens_to_be_all_digits_is_not_taken_for_a_number(engine: Engine) -> None:
    ledger = engine.ledger()
    commit(ledger, a_task(5).replace(id="task-0123456789012345"))
    assert ledger.get(Task, "task-0123456789012345").number == 5
    assert ledger.find_one(Task, "123456789012345") is None


@pytest.mark.proves("store:number:once")
def test_what_has_no_number_is_not_found_by_one(engine: Engine) -> None:
    ledger = engine.ledger()
    commit(ledger, Workflow(id="wf-1", name="n", created_at=1))
    assert ledger.find_one(Workflow, "1") is None
    assert ledger.get(Workflow, "wf-1").name == "n"


@pytest.mark.proves("store:number:once")
def test_a_number_that_came_by_import_before_its_thing_was_written_is_refused(engine: Engine) -> None:
    ledger = engine.ledger()
    given = ledger.next_number(Task)
    theirs = begun(engine.ledger("two"))
    assert theirs.number == given
    assert engine.upkeep().merge(engine.upkeep("two").export())["renumbered"] == []
    with pytest.raises(Conflict, match="task-1 came by import meanwhile") as refusal:
        commit(ledger, a_task(given))
    assert "repeat the call" in refusal.value.hint
    assert ledger.get(Task, "1").id == theirs.id
    assert begun(ledger).number == 2
    assert engine.upkeep().verify() == []


@pytest.mark.proves("store:number:once")
def test_of_two_things_written_with_one_number_the_second_is_refused(engine: Engine) -> None:
    ledger = engine.ledger()
    commit(ledger, a_task(1))
    with pytest.raises(Conflict):
        commit(ledger, a_task(1))
    with pytest.raises(Conflict):
        commit(ledger, a_task(2), a_task(2))
    assert ledger.head() == 1


@pytest.mark.proves("store:number:once")
def test_nobody_changes_a_number_by_writing_it(engine: Engine) -> None:
    ledger = engine.ledger()
    task = begun(ledger)
    for change in (task.replace(number=9), Gone(entity=task.replace(number=9))):
        with pytest.raises(Conflict, match="changed since it was read"):
            commit(ledger, change)
    assert ledger.get(Task, task.id) == task


@pytest.mark.proves("store:number:once")
def test_what_an_undo_brings_back_keeps_its_number_or_gets_a_free_one(engine: Engine) -> None:
    ledger, app = engine.ledger(), engine.app()

    def undo() -> None:
        last = ledger.events(EventQuery(last=True, limit=1))[0]
        app.call("ledger_undo", {"op_id": last.op_id}, caller())

    task = a_task(ledger.next_number(Task))
    commit(ledger, task)
    undo()
    undo()
    assert ledger.get(Task, task.id).number == 1
    undo()
    engine.ledger("two").next_number(Session)
    begun(engine.ledger("two"))
    engine.upkeep().merge(engine.upkeep("two").export())
    removal = [event for event in ledger.events(EventQuery()) if event.kind == "task.deleted"][-1]
    app.call("ledger_undo", {"op_id": removal.op_id}, caller())
    assert ledger.get(Task, task.id).number == 2
    assert ledger.search(["task-2"], [], 9)[0].uri == task.uri
    assert engine.upkeep().verify() == []
