"""What `app.call` promises, whatever the operation."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from deedlog.app import App, Unexpected
from deedlog.core.caller import ANYONE
from deedlog.core.errors import Conflict, DeedlogError, Denied, Invalid, NotFound, Unavailable
from deedlog.operation.define import Effect, Operation
from deedlog.testing import START, app_in, caller
from tests.conftest import Call


def operation_that(run: Any, effect: Effect = Effect.WRITE) -> Operation:
    return Operation(
        name="thing_do",
        help="Do it.",
        effect=effect,
        capability="tracking",
        callers=ANYONE,
        words="thing do",
        input_schema={"type": "object", "properties": {}, "additionalProperties": False},
        output_schema={"type": "object"},
        run=run,
    )


@pytest.mark.proves("app:call:unknown")
def test_an_unknown_operation_is_named_with_the_nearest_one(call: Call) -> None:
    with pytest.raises(NotFound, match="'start_workfow'") as refusal:
        call("start_workfow", name="x")
    assert refusal.value.hint == "did you mean 'start_workflow'?"


@pytest.mark.proves("capability:off:unlisted-and-refused")
def test_an_operation_of_a_capability_that_is_off_is_not_listed_and_refused(tmp_path: Any) -> None:
    app = app_in(str(tmp_path), disable=["tracking"])
    assert "start_workflow" not in [op.name for op in app.operations()]
    with pytest.raises(Denied, match="switched off") as refusal:
        app.call("start_workflow", {"name": "x"}, caller())
    assert refusal.value.hint == "it is switched off by a flag, --disable-…; without that, --enable-tracking"


@pytest.mark.proves("capability:flag:unknown")
def test_an_unknown_capability_is_refused_with_the_nearest_name(tmp_path: Any) -> None:
    with pytest.raises(Invalid, match="no capability 'trakcing'") as refusal:
        app_in(str(tmp_path), enable=["trakcing"])
    assert refusal.value.hint == "did you mean 'tracking'?"


@pytest.mark.proves("ledger:write:racing")
def test_of_two_racing_writers_one_wins_and_the_other_learns_of_it(app: App, call: Call) -> None:
    workflow_id = call("start_workflow", name="x")["workflow_id"]
    both_have_read = threading.Barrier(2)
    ledger = app.ledger
    write = ledger.write

    def late_write(op: Any, values: Any, **more: Any) -> Any:
        both_have_read.wait(timeout=20)
        return write(op, values, **more)

    ledger.write = late_write  # type: ignore[method-assign]
    outcomes: list[object] = []

    def end(status: str) -> None:
        try:
            answer = app.call("complete_workflow", {"workflow_id": workflow_id, "status": status}, caller(status))
            outcomes.append(answer["status"])
        except DeedlogError as refusal:
            outcomes.append(refusal)

    writers = [threading.Thread(target=end, args=(status,)) for status in ("completed", "failed")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(timeout=20)
    (lost,) = [outcome for outcome in outcomes if isinstance(outcome, Conflict)]
    (won,) = [outcome for outcome in outcomes if isinstance(outcome, str)]
    assert f"ended as {won}" in lost.message
    assert call("workflow_get", workflow_id=workflow_id)["status"] == won
    assert [e["kind"] for e in call("event_list")["events"]] == ["workflow.created", "workflow.changed"]


@pytest.mark.proves("ledger:key:same-call-once")
def test_a_repeated_call_with_its_key_happens_once(app: App, call: Call) -> None:
    first = app.call("start_workflow", {"name": "x"}, caller(idempotency_key="k"))
    again = app.call("start_workflow", {"name": "x"}, caller("other", idempotency_key="k"))
    assert again == first
    assert len(call("workflow_list")["workflows"]) == 1


@pytest.mark.proves("ledger:key:other-arguments")
def test_a_key_used_for_another_call_is_refused(app: App) -> None:
    app.call("start_workflow", {"name": "x"}, caller(idempotency_key="k"))
    for name in ("y", "z"):
        with pytest.raises(Conflict, match="used by another call"):
            app.call("start_workflow", {"name": name}, caller(idempotency_key="k"))


@pytest.mark.proves("ledger:key:same-call-once")
def test_a_keyed_call_that_finds_its_work_done_by_itself_gets_the_answer(app: App, call: Call) -> None:
    """Four at once have looked for the key in vain; then one is done before the others read what there is to do."""
    call("start_workflow", name="x")
    all_have_looked, one_is_done = threading.Barrier(4, timeout=20), threading.Event()
    op_by_key = app.ledger.op_by_key

    def looked(idempotency_key: str) -> Any:
        found = op_by_key(idempotency_key)
        if not one_is_done.is_set() and all_have_looked.wait() > 0:
            assert one_is_done.wait(20)
        return found

    app.ledger.op_by_key = looked  # type: ignore[method-assign]

    def undo(_: int) -> Any:
        try:
            return app.call("ledger_undo", {}, caller(idempotency_key="k"))
        except DeedlogError as refusal:
            return refusal
        finally:
            one_is_done.set()

    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(undo, range(4)))
    assert answers == [answers[0]] * 4
    assert answers[0]["operation"] == "start_workflow"
    assert app.ledger.head() == 2


@pytest.mark.proves("app:caller:checked")
@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ({"actor": ""}, "actor: must not be empty"),
        ({"actor": "x" * 201}, "actor: has 201 characters"),
        ({"actor": "a\udcffb"}, "actor: has a NUL or half"),
        ({"actor": "a\x1b[1mb"}, "actor: has a line break or another control"),
        ({"cause": "two\nlines"}, "cause: has a line break"),
        ({"cause": "x" * 501}, "cause: has 501 characters"),
        ({"cause": "a\x00b"}, "cause: has a NUL"),
        ({"idempotency_key": ""}, "idempotency_key: must not be empty"),
        ({"idempotency_key": " "}, "idempotency_key: must not be empty"),
        ({"idempotency_key": "x" * 100_000}, "idempotency_key: has 100000 characters"),
        ({"idempotency_key": 5}, "idempotency_key: must be text"),
    ],
)
def test_what_a_caller_says_beside_the_arguments_is_checked(
    app: App, call: Call, said: dict[str, Any], complaint: str
) -> None:
    for name, arguments in {"start_workflow": {"name": "x"}, "workflow_list": {}}.items():
        with pytest.raises(Invalid, match=f"^{complaint}") as refusal:
            app.call(name, arguments, caller(**{"actor": "tester", **said}))
        assert refusal.value.data == {"field": next(iter(said))}
    assert call("event_list")["events"] == []


@pytest.mark.proves("app:caller:checked")
def test_ordinary_text_of_any_script_may_be_said(app: App, call: Call) -> None:
    said = caller("Änne 👩‍💻", cause="Ticket\u00a0日本", idempotency_key="k" * 200)
    app.call("start_workflow", {"name": "x"}, said)
    assert call("event_list")["events"][0]["actor"] == "Änne 👩‍💻"


@pytest.mark.proves("app:call:always-an-op")
def test_a_write_that_changes_none_of_our_tables_still_leaves_an_op(app: App, call: Call) -> None:
    app.catalog.add(operation_that(lambda ctx: {"done": True}))
    assert call("thing_do") == {"done": True}
    (event,) = call("event_list")["events"]
    assert (event["kind"], event["operation"]) == ("thing_do.called", "thing_do")


@pytest.mark.proves("app:call:read-writes-nothing")
def test_a_read_that_writes_is_a_bug_and_writes_nothing(app: App, call: Call) -> None:
    app.catalog.add(operation_that(lambda ctx: ctx.commit(answer={}), Effect.READ))
    with pytest.raises(Unexpected, match="thing_do failed unexpectedly"):
        call("thing_do")
    assert call("event_list")["events"] == []


@pytest.mark.proves("app:call:bug-hidden")
def test_a_bug_in_an_operation_is_reported_not_shown(app: App, call: Call) -> None:
    app.catalog.add(operation_that(lambda ctx: 1 / 0))
    with pytest.raises(Unexpected) as refusal:
        call("thing_do")
    assert "division" not in refusal.value.message
    assert "ZeroDivisionError" in refusal.value.hint


@pytest.mark.proves("operation:name:unique")
def test_two_operations_cannot_have_one_name(app: App) -> None:
    app.catalog.add(operation_that(None))
    with pytest.raises(Conflict, match="already an operation"):
        app.catalog.add(operation_that(None))


def test_two_operations_cannot_be_one_command(app: App) -> None:
    with pytest.raises(Conflict, match="workflow_list already is `deedlog workflow list`"):
        app.catalog.add(operation_that(None).replace(words="workflow list"))
    app.catalog.remove("workflow_list")
    app.catalog.add(operation_that(None).replace(name="other", words="workflow list"))


def test_moments_of_one_process_never_repeat(app: App) -> None:
    assert app.now() < app.now() < app.now()


def test_moments_differ_between_threads_too(app: App) -> None:
    class Slow(int):
        """A moment during which another thread may come."""

        def __add__(self, other: int) -> Slow:
            time.sleep(0.0005)
            return Slow(int(self) + other)

    app._last = Slow(START)
    with ThreadPoolExecutor(8) as threads:
        moments = list(threads.map(lambda _: int(app.now()), range(200)))
    assert len(set(moments)) == 200


def test_threads_that_need_the_store_at_once_open_one(tmp_path: Path) -> None:
    opened: list[object] = []
    app = app_in(str(tmp_path))
    open_ledger = app.engines.ledger
    all_are_there = threading.Barrier(6)

    def slowly() -> Any:
        opened.append(1)
        time.sleep(0.05)
        return open_ledger()

    app.engines = app.engines.replace(ledger=slowly)

    def come(_: int) -> int:
        all_are_there.wait(timeout=20)
        return id(app.ledger)

    with ThreadPoolExecutor(6) as threads:
        assert len(set(threads.map(come, range(6)))) == 1
    assert len(opened) == 1
    app.close()
    assert app.ledger.head() == 0


class Unreachable:
    """Workers of whose dead supervisors nothing can be settled."""

    host = "here"

    def lost(self) -> list[int]:
        return [7]

    def reap(self, number: int) -> None:
        raise Unavailable(f"session {number} cannot be settled")


def test_what_cannot_be_settled_keeps_nobody_from_reading(tmp_path: Path) -> None:
    app = app_in(str(tmp_path))
    workers: Any = Unreachable
    app.engines = app.engines.replace(workers=workers)
    reported: list[BaseException] = []

    def report(error: BaseException) -> str:
        reported.append(error)
        return ""

    app.report = report
    assert app.call("task_list", {}, caller()) == {"tasks": []}
    assert "session 7 cannot be settled" in str(reported[0])
