"""What every store promises, the same on each database."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from deedlog.app import App
from deedlog.core.entry import Op
from deedlog.core.errors import Conflict, Invalid, NotFound
from deedlog.core.kinds import KINDS
from deedlog.core.output import Output
from deedlog.core.task import Task
from deedlog.core.words import query_words
from deedlog.core.workflow import Workflow
from deedlog.ports import EventQuery, Gone
from deedlog.store import change
from deedlog.store.database import Transaction
from deedlog.store.steps import STEPS
from deedlog.store.tables import TABLES
from deedlog.testing import Clock, caller
from tests.engines.conftest import Engine

WAIT = 20


def begin(app: App, name: str = "a goal", actor: str = "tester", **said: Any) -> str:
    return str(app.call("start_workflow", {"name": name, **said}, caller(actor))["workflow_id"])


def finish(app: App, workflow_id: str, summary: str = "done", actor: str = "tester") -> None:
    arguments = {"workflow_id": workflow_id, "status": "completed", "summary": summary}
    app.call("complete_workflow", arguments, caller(actor))


def an_op(number: int = 1, **fields: Any) -> Op:
    given = {"op_id": f"op-{number}", "operation": "test", "effect": "write", "actor": "a", "at": number}
    return Op(**{**given, **fields})


def outcome(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except Conflict as error:
        return error


@pytest.mark.proves("store:contract:both", "store:two-processes:normal")
def test_what_one_connection_wrote_another_reads(engine: Engine) -> None:
    app, other = engine.app(), engine.app()
    workflow_id = begin(app, "Ünïcode 日本語 🦊", description="a\n'quoted' \"text\" % _ ? {int}")
    assert other.call("workflow_get", {"workflow_id": workflow_id}, caller())["name"] == "Ünïcode 日本語 🦊"
    stored = engine.ledger().get(Workflow, workflow_id)
    assert (stored.version, stored.description) == (1, "a\n'quoted' \"text\" % _ ? {int}")


@pytest.mark.proves("store:kind:follows")
def test_every_kind_has_a_table_with_the_columns_it_is_found_by(engine: Engine) -> None:
    assert TABLES.keys() == KINDS.keys()
    for table in TABLES.values():
        assert table.order in table.lifted
        assert engine.open().query(f"SELECT project, {table.row} FROM {table.name} WHERE {table.order} > 0") == []


@pytest.mark.proves("store:contract:both")
def test_what_is_not_there_is_not_found(engine: Engine) -> None:
    ledger = engine.ledger()
    assert ledger.find_one(Workflow, "wf-none") is None
    with pytest.raises(NotFound, match="no workflow 'wf-none'"):
        ledger.get(Workflow, "wf-none")
    with pytest.raises(NotFound, match="no op"):
        ledger.op("op-none")
    assert (ledger.head(), ledger.events(EventQuery()), ledger.last_op("a")) == (0, [], None)


@pytest.mark.proves("ledger:write:racing")
def test_of_two_writers_that_read_the_same_version_one_wins(engine: Engine) -> None:
    workflow_id = begin(engine.app())
    both_have_read = threading.Barrier(2, timeout=WAIT)

    def writer(number: int) -> Any:
        ledger = engine.ledger()
        workflow = ledger.get(Workflow, workflow_id)
        both_have_read.wait()
        return outcome(lambda: ledger.write(an_op(number), [workflow.replace(summary=f"writer {number}")]))

    with ThreadPoolExecutor(2) as threads:
        outcomes = list(threads.map(writer, (1, 2)))
    won = [result for result in outcomes if isinstance(result, Op)]
    lost = [result for result in outcomes if isinstance(result, Conflict)]
    assert len(won) == len(lost) == 1
    assert "changed since it was read" in lost[0].message
    assert "read it again" in lost[0].hint
    stored = engine.ledger().get(Workflow, workflow_id)
    assert (stored.version, stored.summary) == (2, f"writer {won[0].at}")
    assert engine.upkeep().verify() == []


@pytest.mark.proves("ledger:write:racing")
def test_a_writer_that_comes_during_another_s_transaction_waits_and_loses(engine: Engine) -> None:
    workflow_id = begin(engine.app())
    first, second = engine.ledger(), engine.ledger()
    workflow = first.get(Workflow, workflow_id)
    inside, go_on = threading.Event(), threading.Event()

    def slow(transaction: Transaction) -> Op:
        stored = change.write(transaction, first.project, an_op(1), [workflow.replace(summary="first")])
        inside.set()
        assert go_on.wait(WAIT)
        return stored

    with ThreadPoolExecutor(2) as threads:
        winner = threads.submit(first.database.write, slow)
        assert inside.wait(WAIT)
        loser = threads.submit(outcome, lambda: second.write(an_op(2), [workflow.replace(summary="second")]))
        assert not loser.done()
        go_on.set()
        assert winner.result(WAIT).op_id == "op-1"
        assert isinstance(loser.result(WAIT), Conflict)
    assert engine.ledger().get(Workflow, workflow_id).summary == "first"


@pytest.mark.proves("ledger:write:one-transaction")
def test_a_write_that_is_refused_half_way_leaves_nothing(engine: Engine) -> None:
    ledger = engine.ledger()
    existing = Workflow(id="wf-b", name="there", created_at=1)
    ledger.write(an_op(1), [existing])
    with pytest.raises(Conflict):
        ledger.write(an_op(2), [Workflow(id="wf-a", name="new", created_at=2), existing])
    assert ledger.find_one(Workflow, "wf-a") is None
    assert ledger.head() == 1
    with pytest.raises(NotFound):
        ledger.op("op-2")
    assert engine.upkeep().verify() == []


@pytest.mark.proves("ledger:write:one-transaction")
def test_an_unexpected_failure_inside_a_transaction_leaves_nothing(engine: Engine) -> None:
    ledger = engine.ledger()

    def fails(transaction: Transaction) -> None:
        change.write(transaction, ledger.project, an_op(1), [Workflow(id="wf-a", name="new", created_at=2)])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ledger.database.write(fails)
    assert ledger.head() == 0
    ledger.write(an_op(1), [Workflow(id="wf-a", name="new", created_at=2)])
    assert engine.upkeep().verify() == []


@pytest.mark.proves("ledger:key:same-call-once")
def test_a_call_repeated_at_once_with_its_key_happens_once(engine: Engine) -> None:
    together = threading.Barrier(6, timeout=WAIT)

    def repeated(_: int) -> Any:
        app = engine.app()
        together.wait()
        return app.call("start_workflow", {"name": "once"}, caller(idempotency_key="key-1"))

    with ThreadPoolExecutor(6) as threads:
        answers = list(threads.map(repeated, range(6)))
    assert [answer["workflow_id"] for answer in answers] == [answers[0]["workflow_id"]] * 6
    assert engine.ledger().head() == 1
    assert len(engine.app().call("workflow_list", {}, caller())["workflows"]) == 1


@pytest.mark.proves("ledger:key:other-arguments")
def test_a_key_that_stood_for_other_arguments_is_refused(engine: Engine) -> None:
    app = engine.app()
    app.call("start_workflow", {"name": "one"}, caller(idempotency_key="key-1"))
    with pytest.raises(Conflict, match="was used by another call"):
        app.call("start_workflow", {"name": "two"}, caller(idempotency_key="key-1"))
    assert engine.ledger().head() == 1


@pytest.mark.proves("ledger:key:same-call-once")
def test_an_op_that_is_written_twice_is_there_once(engine: Engine) -> None:
    """So that a write can be repeated when its first outcome is not known."""
    ledger = engine.ledger()
    value = Workflow(id="wf-a", name="new", created_at=2)
    first = ledger.write(an_op(1, answer={"n": 1}), [value])
    assert ledger.write(an_op(1, answer={"n": 1}), [value]) == first
    assert ledger.head() == 1


@pytest.mark.proves("ledger:event:what-changed", "ledger:events:filtered")
def test_events_are_filtered_by_everything_they_say(engine: Engine, clock: Clock) -> None:
    app = engine.app(clock=clock)
    one, two = begin(app, "one", actor="ann"), begin(app, "two", actor="ben")
    finish(app, one, actor="ben")
    ledger = engine.ledger()

    def seqs(**filters: Any) -> list[int]:
        return [event.seq for event in ledger.events(EventQuery(**filters))]

    assert seqs() == [1, 2, 3]
    assert seqs(after=1, limit=1) == [2]
    assert seqs(before=3) == [1, 2]
    assert seqs(before=3, last=True, limit=1) == [2]
    assert seqs(subject=f"workflow://{one}", before=3) == [1]
    assert seqs(actor="ben") == [2, 3]
    assert seqs(kind="workflow.changed") == [3]
    assert seqs(operation="start_workflow") == [1, 2]
    assert seqs(subject=f"workflow://{one}") == [1, 3]
    assert seqs(subject=f"workflow://{two}", actor="ann") == []
    last = ledger.events(EventQuery(after=2))[0]
    assert seqs(op_id=last.op_id) == [3]
    assert last.before == {"status": "in_progress", "ended_at": None, "summary": ""}
    assert last.after is not None
    assert last.after["summary"] == "done"
    assert (last.actor, last.operation, last.entity_version, last.at >= clock.moment) == (
        "ben",
        "complete_workflow",
        2,
        True,
    )


def test_events_are_found_by_kinds_of_things_and_without_them(engine: Engine) -> None:
    ledger = engine.ledger()
    printed = Output(id="o", session_id="s", task_id="t", first=1, lines=[{"at": 1, "stream": "stdout", "text": "x"}])
    done = Workflow(id="w", name="n", created_at=1)
    for number, thing in enumerate((done, printed, Task(id="t", number=1, name="n", created_at=1))):
        ledger.write(an_op(number), [thing])

    def seqs(**filters: Any) -> list[int]:
        return [event.seq for event in ledger.events(EventQuery(**filters))]

    assert seqs(without=["output"]) == seqs(without=["output"], actor="a", last=True) == [1, 3]
    assert seqs(without=["output"], last=True, limit=1, before=3) == [1]
    assert seqs(without=["output", "task"]) == [1]
    assert seqs(entities=["task"]) == seqs(entities=["task"], without=["output"]) == seqs(kind="task.created") == [3]
    assert seqs(entities=["output"]) == seqs(kind="output.created") == [2]
    assert seqs(entities=["output"], without=["output"]) == []
    assert seqs(entities=["task", "output"]) == [2, 3]
    assert seqs(subject="task://t", without=["output"]) == [3]


@pytest.mark.proves("ledger:list:pages")
def test_things_come_in_pages_newest_first(engine: Engine) -> None:
    ledger = engine.ledger()
    for number in range(7):  # some were made at the same moment
        ledger.write(an_op(number), [Workflow(id=f"wf-{number}", name="n", created_at=number // 3)])
    found: list[str] = []
    before = None
    while page := ledger.find(Workflow, {"status": "in_progress"}, limit=2, before=before):
        found += [workflow.id for workflow in page]
        before = ledger.sort_key(page[-1])
    assert found == [f"wf-{number}" for number in range(6, -1, -1)]
    assert ledger.find(Workflow, {"status": "failed"}, limit=2) == []


def test_things_are_counted_by_what_they_are_found_by(engine: Engine) -> None:
    ledger = engine.ledger()
    assert ledger.count(Workflow) == 0
    for number in range(3):
        engine.app().call("start_workflow", {"name": str(number)}, caller())
    assert ledger.count(Workflow) == 3
    assert ledger.count(Workflow, {"status": "in_progress"}) == 3
    assert ledger.count(Workflow, {"status": "failed"}) == 0
    assert engine.ledger("two").count(Workflow) == 0


@pytest.mark.proves("ledger:undo:compensates", "ledger:undo:again", "ledger:undo:own-last", "ledger:undo:changed-since")
def test_undo_restores_and_can_be_undone(engine: Engine) -> None:
    app = engine.app()
    workflow_id = begin(app)
    finish(app, workflow_id)
    undone = app.call("ledger_undo", {}, caller())
    assert undone["operation"] == "complete_workflow"
    assert engine.ledger().get(Workflow, workflow_id).status == "in_progress"
    undo = engine.ledger().undone_by(undone["undone"])
    assert undo is not None
    app.call("ledger_undo", {"op_id": undo.op_id}, caller())
    assert engine.ledger().get(Workflow, workflow_id).summary == "done"
    first = engine.ledger().events(EventQuery(limit=1))[0]
    with pytest.raises(Conflict, match="has changed since"):
        app.call("ledger_undo", {"op_id": first.op_id}, caller())
    assert engine.ledger().head() == 4
    assert engine.upkeep().verify() == []


@pytest.mark.proves("ledger:undo:compensates")
def test_undoing_a_beginning_removes_it_from_lists_and_search(engine: Engine) -> None:
    app = engine.app()
    workflow_id = begin(app, "short-lived")
    undone = app.call("ledger_undo", {}, caller())
    ledger = engine.ledger()
    assert ledger.find_one(Workflow, workflow_id) is None
    assert ledger.search(["short"], [], 10) == []
    undo = ledger.undone_by(undone["undone"])
    assert undo is not None
    app.call("ledger_undo", {"op_id": undo.op_id}, caller())
    assert ledger.get(Workflow, workflow_id).name == "short-lived"
    assert [hit.seq for hit in ledger.search(["short"], [], 10)] == [3]
    assert engine.upkeep().verify() == []


@pytest.mark.proves("ledger:undo:again", "ledger:undo:own-last")
def test_an_undo_that_came_by_import_and_did_not_fit_undoes_nothing(engine: Engine) -> None:
    workflow_id = begin(engine.app())
    engine.upkeep("two").merge(engine.upkeep().export())
    finish(engine.app(), workflow_id)
    app = engine.app("two")
    app.call("ledger_undo", {}, caller())
    assert len(engine.upkeep().merge(engine.upkeep("two").export())["conflicts"]) == 1  # type: ignore[arg-type]
    ledger = engine.ledger()
    start = ledger.events(EventQuery(limit=1))[0].op_id
    assert ledger.undone_by(start) is None
    assert engine.app().call("ledger_undo", {}, caller())["operation"] == "complete_workflow"
    assert engine.app().call("ledger_undo", {}, caller())["undone"] == start


def test_ops_that_claim_to_undo_each_other_end_the_search_for_the_last_one(engine: Engine) -> None:
    """As only a made-up import can hold them."""
    ledger = engine.ledger()
    for number, undone in ((1, "op-2"), (2, "op-1"), (3, "op-3")):
        ledger.write(
            an_op(number, undo_of=undone),
            [Workflow(id=f"wf-{number}-{part}", name="n", created_at=1) for part in range(2)],
        )
    assert [ledger.undone_by(f"op-{number}") is not None for number in (1, 2, 3)] == [True, False, True]
    assert ledger.last_op("a") is None


@pytest.mark.proves("ledger:search:words", "ledger:search:literal", "ledger:search:order")
def test_search_folds_accents_and_takes_wildcards_literally(engine: Engine) -> None:
    app = engine.app()
    begin(app, "Été à Orléans", description="ＦＵＬＬ width")
    begin(app, "認証ミドルウェア")
    begin(app, "100% done_now!")
    begin(app, "100 of done now")

    def names(words: str, kinds: tuple[str, ...] = ()) -> list[str]:
        return [hit.title for hit in engine.ledger().search(query_words(words), kinds, 10)]

    assert names("ete ORLÉANS") == names("full") == ["Été à Orléans"]
    assert names("認証") == names("ミドル") == ["認証ミドルウェア"]
    assert names("100%") == names("done_now") == names("now!") == ["100% done_now!"]
    assert names("100") == ["100 of done now", "100% done_now!"]
    assert names("100", kinds=("workflow",)) == names("100")
    assert names("100", kinds=("task",)) == names("absent") == []


@pytest.mark.proves("ledger:write:one-transaction")
def test_a_title_that_goes_away_leaves_the_search(engine: Engine) -> None:
    ledger = engine.ledger()
    ledger.write(an_op(1), [Workflow(id="wf-a", name="visible", created_at=1)])
    ledger.write(an_op(2), [ledger.get(Workflow, "wf-a").replace(name="")])
    assert ledger.search(["visible"], [], 10) == []
    assert engine.upkeep().verify() == []


def test_what_a_newer_release_keeps_in_a_body_survives_an_older_one(engine: Engine) -> None:
    app = engine.app()
    workflow_id = begin(app)
    workflow = engine.ledger().get(Workflow, workflow_id)

    class Newer(Workflow):
        colour: str = ""

    newer = Newer.load(workflow.id, 1, {**workflow.body(), "colour": "red"})
    engine.ledger().write(an_op(2), [newer])
    finish(app, workflow_id)
    stored = engine.ledger().get(Newer, workflow_id)
    assert (stored.colour, stored.status) == ("red", "completed")
    assert engine.upkeep().verify() == []


def test_a_removed_thing_is_gone_and_its_id_can_be_used_again(engine: Engine) -> None:
    ledger = engine.ledger()
    ledger.write(an_op(1), [Workflow(id="wf-a", name="first", created_at=1)])
    ledger.write(an_op(2), [Gone(entity=ledger.get(Workflow, "wf-a"))])
    assert ledger.find_one(Workflow, "wf-a") is None
    with pytest.raises(Conflict):
        ledger.write(an_op(3), [Gone(entity=Workflow(id="wf-a", name="first", created_at=1, version=1))])
    ledger.write(an_op(4), [Workflow(id="wf-a", name="second", created_at=1)])
    assert [event.kind for event in ledger.events(EventQuery())] == [
        "workflow.created",
        "workflow.deleted",
        "workflow.created",
    ]
    assert engine.upkeep().verify() == []


@pytest.mark.proves("ledger:events:wait")
def test_a_waiting_reader_wakes_when_another_thread_writes(engine: Engine) -> None:
    ledger = engine.ledger()
    waiting = threading.Event()

    def stop() -> bool:
        waiting.set()
        return False

    with ThreadPoolExecutor(1) as threads:
        found = threads.submit(ledger.next_events, EventQuery(), WAIT, stop)
        assert waiting.wait(WAIT)
        begin(engine.app())
        assert [event.seq for event in found.result(WAIT)] == [1]


@pytest.mark.proves("ledger:events:wait")
def test_a_reader_whose_time_is_over_gets_nothing(engine: Engine) -> None:
    ledger = engine.ledger()
    assert ledger.next_events(EventQuery(), 0.05, lambda: False) == []
    assert ledger.next_events(EventQuery(), WAIT, lambda: True) == []


@pytest.mark.proves("ledger:events:wait")
def test_a_watch_wakes_for_what_comes_after_it_was_quiet(engine: Engine) -> None:
    watch = engine.ledger().watch()
    while watch.wait(0.2):
        pass
    begin(engine.app())
    assert watch.wait(WAIT)
    watch.close()


@pytest.mark.proves("ledger:events:other-process")
def test_a_reader_in_another_process_wakes(engine: Engine) -> None:
    app = engine.app()
    command = [sys.executable, "-m", "tests.engines.process", "follow", *engine.address("one")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == "ready\n"
        for number in range(1, 4):
            begin(app)
            assert reader.stdout.readline() == f"{number}\n"
        reader.kill()


@pytest.mark.proves("ledger:seq:dense", "ledger:events:none-missed")
def test_a_reader_sees_every_event_of_many_writers_once_and_in_order(engine: Engine) -> None:
    writers, each = 6, 15
    total = writers * each

    def write(number: int) -> None:
        app = engine.app()
        for turn in range(each):
            begin(app, f"{number}.{turn}")

    def follow() -> list[int]:
        ledger, seen = engine.ledger(), [0]
        while len(seen) <= total:
            found = ledger.next_events(EventQuery(after=seen[-1], limit=7), WAIT, lambda: False)
            assert found, "the reader waited in vain"
            seen += [event.seq for event in found]
        return seen[1:]

    with ThreadPoolExecutor(writers + 2) as threads:
        readers = [threads.submit(follow) for _ in range(2)]
        list(threads.map(write, range(writers)))
        assert [reader.result(WAIT) for reader in readers] == [list(range(1, total + 1))] * 2
    assert engine.upkeep().verify() == []


@pytest.mark.proves("store:contract:both")
def test_stores_do_not_see_each_other(engine: Engine) -> None:
    begin(engine.app("one"), "first")
    begin(engine.app("two"), "second")
    assert engine.ledger("one").search(["second"], [], 10) == []
    assert (engine.ledger("one").head(), engine.ledger("two").head()) == (1, 1)


def test_a_text_no_database_can_keep_is_refused_before_it_gets_there(engine: Engine) -> None:
    for text in ("a\x00b", "a\ud800b"):
        with pytest.raises(Invalid):
            begin(engine.app(), text)


def test_facts_name_the_database_and_its_version(engine: Engine) -> None:
    begin(engine.app())
    facts = engine.upkeep().facts()
    assert str(facts["database"]).lower().startswith(engine.name)
    assert (facts["version"], facts["writable"]) == (len(STEPS), True)
    assert isinstance(facts["bytes"], int)
    assert facts["bytes"] > 0


def test_a_closed_store_opens_again_by_itself(engine: Engine) -> None:
    app = engine.app()
    begin(app)
    app.ledger.close()
    begin(app)
    assert engine.ledger().head() == 2
