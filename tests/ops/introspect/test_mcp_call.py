from __future__ import annotations

import pytest

from deedlog.app import App
from deedlog.core.errors import Denied, Invalid, NotFound
from deedlog.testing import caller
from tests.conftest import Call


def test_another_tool_answers_in_its_place_and_only_that_one_is_in_the_log(app: App, call: Call) -> None:
    task = call("task_create", title="x")
    done = call("mcp_call", name="task_update", arguments={"id": task["id"], "title": "y"})
    assert call("task_get", id=task["id"])["title"] == "y"
    assert done["id"] == task["id"]
    last = app.ledger.last_op("tester")
    assert last is not None
    assert last.operation == "task_update"


def test_the_caller_s_key_is_the_other_tool_s(app: App) -> None:
    arguments = {"name": "task_create", "arguments": {"title": "once"}}
    first = app.call("mcp_call", arguments, caller(idempotency_key="k"))
    assert app.call("mcp_call", arguments, caller(idempotency_key="k")) == first
    assert app.call("task_create", {"title": "once"}, caller(idempotency_key="k")) == first


def test_it_calls_neither_itself_nor_what_is_no_tool_or_off(call: Call) -> None:
    with pytest.raises(Invalid, match="itself"):
        call("mcp_call", name="mcp_call", arguments={"name": "mcp_info"})
    with pytest.raises(NotFound) as unknown:
        call("mcp_call", name="task_updat")
    assert "task_update" in unknown.value.hint
    with pytest.raises(NotFound, match="no tool"):
        call("mcp_call", name="guide_show")
    with pytest.raises(Denied) as off:
        call("mcp_call", name="tx_begin", arguments={})
    assert off.value.data == {"capability": "tx"}
    with pytest.raises(Invalid, match="tool: is required"):
        call("mcp_call")


def test_the_other_tool_checks_its_arguments(call: Call) -> None:
    with pytest.raises(Invalid, match="titel: is not known"):
        call("mcp_call", name="task_create", arguments={"titel": "x"})
