"""An idempotency key among the arguments, on both databases."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from deedlog.app import App
from deedlog.core.errors import Conflict, DeedlogError, Denied, Invalid
from deedlog.operation import catalog
from deedlog.operation.define import Effect
from deedlog.operation.tool import full, short, with_key
from deedlog.testing import app_on, caller
from tests.engines.conftest import Engine

AT_ONCE = 8
WRITES = [op for op in catalog.load() if op.effect is not Effect.READ and op.is_tool]


def keyed(engine: Engine, **flags: Any) -> App:
    return app_on(engine.open(), **{"enable": ["idempotency"], **flags})


def call(app: App, name: str, /, **arguments: Any) -> Any:
    return app.call(name, arguments, caller())


@pytest.mark.proves("idempotency:echoed", "idempotency:replay")
def test_the_answer_carries_the_key_and_whether_it_was_given_before(engine: Engine) -> None:
    app = keyed(engine)
    first = call(app, "start_workflow", name="x", idempotency_key="k")
    assert (first["idempotent"], first["idempotency_key"]) == (False, "k")
    again = call(app, "start_workflow", name="x", idempotencyKey="k")
    assert again == {**first, "idempotent": True}
    assert len(call(app, "workflow_list")["workflows"]) == 1
    task = call(app, "task_create", title="x", idempotencyKey="t")
    assert (task["idempotent"], task["idempotencyKey"]) == (False, "t"), "as this family spells its names"


@pytest.mark.proves("idempotency:replay")
def test_of_calls_at_once_one_has_the_effect_and_all_get_its_answer(engine: Engine) -> None:
    apps = [keyed(engine) for _ in range(AT_ONCE)]
    ready = threading.Barrier(AT_ONCE)

    def create(app: App) -> Any:
        app.ledger.head()
        ready.wait()
        return call(app, "task_create", title="once", idempotency_key="k")

    with ThreadPoolExecutor(AT_ONCE) as threads:
        answers = list(threads.map(create, apps))
    assert sorted(answer.pop("idempotent") for answer in answers) == [False] + [True] * (AT_ONCE - 1)
    assert all(answer == answers[0] for answer in answers)
    assert len(call(apps[0], "task_list")["tasks"]) == 1


@pytest.mark.proves("idempotency:other-parameters")
def test_the_same_key_with_other_parameters_or_for_another_tool_is_refused(engine: Engine) -> None:
    app = keyed(engine)
    call(app, "start_workflow", name="x", idempotency_key="k")
    with pytest.raises(Conflict, match="used by another call"):
        call(app, "start_workflow", name="y", idempotency_key="k")
    with pytest.raises(Conflict, match="used by another call"):
        call(app, "task_create", title="x", idempotency_key="k")


@pytest.mark.proves("idempotency:off")
def test_with_the_module_off_the_argument_is_refused_and_nothing_happens(engine: Engine) -> None:
    app = keyed(engine, enable=[])
    with pytest.raises(Denied) as refusal:
        call(app, "start_workflow", name="x", idempotency_key="k")
    assert "--enable-idempotency" in refusal.value.hint
    assert call(app, "workflow_list")["workflows"] == []
    assert "idempotent" not in app.call("start_workflow", {"name": "x"}, caller(idempotency_key="k"))


@pytest.mark.parametrize("enable", [[], ["idempotency"]])
def test_null_is_no_key(engine: Engine, enable: list[str]) -> None:
    app = keyed(engine, enable=enable)
    for spelling in ("idempotency_key", "idempotencyKey"):
        assert "idempotent" not in call(app, "task_create", title="x", **{spelling: None})
    call(app, "workflow_list", idempotency_key=None)


def test_a_refusal_that_lists_the_inputs_names_the_key_where_it_is_one(engine: Engine) -> None:
    for enable, is_told in (([], False), (["idempotency"], True)):
        with pytest.raises(Invalid) as refusal:
            call(keyed(engine, enable=enable), "start_workflow", name="x", zebra=1)
        assert ("idempotency_key" in refusal.value.hint) is is_told


def test_what_changes_nothing_takes_no_key(engine: Engine) -> None:
    with pytest.raises(Invalid, match="changes nothing"):
        call(keyed(engine), "workflow_list", idempotency_key="k")


@pytest.mark.parametrize("key", ["", " ", "a\nb", "x" * 201, 5, True, {"a": 1}])
def test_a_key_that_is_none_is_refused(engine: Engine, key: object) -> None:
    app = keyed(engine)
    with pytest.raises(Invalid):
        call(app, "start_workflow", name="x", idempotency_key=key)
    with pytest.raises(Invalid):
        call(app, "start_workflow", name="x", idempotency_key="a", idempotencyKey="a")
    with pytest.raises(Invalid, match="differs"):
        app.call("start_workflow", {"name": "x", "idempotency_key": "a"}, caller(idempotency_key="b"))
    assert call(app, "workflow_list")["workflows"] == []


def test_what_would_leave_no_op_leaves_one_under_a_key(engine: Engine) -> None:
    app = keyed(engine)
    first = call(app, "capability_set", name="tracking", idempotency_key="k")
    assert (first["changed"], first["idempotent"]) == (False, False)
    assert call(app, "capability_set", name="tracking", idempotency_key="k")["idempotent"] is True


@pytest.mark.parametrize("op", WRITES, ids=lambda op: op.name)
def test_everything_that_changes_something_shows_the_key_while_the_module_is_on(op: Any) -> None:
    for described in (full(with_key(op)), short(with_key(op))):
        names = set(described["inputSchema"]["properties"]) | set(op.rare)
        assert names & {"idempotency_key", "idempotencyKey"}


def test_a_call_whose_effect_was_undone_is_not_told_that_it_is_done(engine: Engine) -> None:
    app = keyed(engine)
    first = call(app, "start_workflow", name="x", idempotency_key="k")
    call(app, "ledger_undo")
    with pytest.raises(Conflict, match="was undone") as refusal:
        call(app, "start_workflow", name="x", idempotency_key="k")
    assert "new key" in refusal.value.hint
    call(app, "ledger_undo", op_id=refusal.value.data["op_id"])
    assert call(app, "start_workflow", name="x", idempotency_key="k")["workflow_id"] == first["workflow_id"]


def test_two_keys_that_differ_in_one_call_are_refused(engine: Engine) -> None:
    app = keyed(engine)
    inner = {"name": "x", "idempotencyKey": "other"}
    with pytest.raises(Invalid, match="differs"):
        call(app, "mcp_call", name="start_workflow", arguments=inner, idempotency_key="k")
    assert call(app, "workflow_list")["workflows"] == []
    same = call(app, "mcp_call", name="start_workflow", arguments=inner, idempotency_key="other")
    assert same == {**call(app, "start_workflow", **inner), "idempotent": False}


def test_a_refusal_is_not_remembered(engine: Engine) -> None:
    app = keyed(engine)
    with pytest.raises(DeedlogError):
        call(app, "task_update", id=1, title="y", idempotency_key="k")
    call(app, "task_create", title="x")
    assert call(app, "task_update", id=1, title="y", idempotency_key="k")["idempotent"] is False


@pytest.mark.proves("idempotency:replay")
def test_processes_that_call_at_once_have_one_effect(repo: Path) -> None:
    command = [sys.executable, "-m", "deedlog", "task", "create", "once", "--idempotency-key", "k", "--json"]
    environment = {**os.environ, "DEEDLOG_ENABLE_IDEMPOTENCY": "1", "DEEDLOG_ACTOR": "tester"}
    started = [
        subprocess.Popen(command, cwd=repo, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(AT_ONCE)
    ]
    answers = [json.loads(process.communicate(timeout=120)[0]) for process in started]
    assert sorted(answer["idempotent"] for answer in answers) == [False] + [True] * (AT_ONCE - 1)
    assert len({answer["id"] for answer in answers}) == 1
