from __future__ import annotations

import pytest

from deedlog.app import App
from deedlog.core.errors import Denied, Invalid, NotFound
from tests.conftest import Call


def names(answer: dict[str, list[dict[str, str]]]) -> list[str]:
    return [tool["name"] for tool in answer["tools"]]


@pytest.mark.proves("watch:tools-list:short")
def test_without_arguments_it_names_every_tool_that_is_on(app: App, call: Call) -> None:
    answer = call("mcp_tools")
    assert names(answer) == [op.name for op in app.operations() if op.is_tool]
    rows = {tool["name"]: tool for tool in answer["tools"]}
    assert rows["task_update"] == {"name": "task_update", "description": app.catalog["task_update"].summary}
    assert "tx_begin" not in rows, "it is off"


@pytest.mark.proves("watch:tools-list:short")
def test_a_tool_is_described_in_full_with_what_the_short_list_leaves_out(app: App, call: Call) -> None:
    (tool,) = call("mcp_tools", names=["complete_task"])["tools"]
    op = app.catalog["complete_task"]
    assert (tool["inputSchema"], tool["outputSchema"], tool["description"]) == (
        op.input_schema,
        op.output_schema,
        op.help,
    )
    assert tool["annotations"]["destructiveHint"] is False
    assert (tool["namespace"], tool["listed"]) == ("tracking", True)


def test_tools_are_found_by_namespace_and_by_words(call: Call) -> None:
    assert {tool["namespace"] for tool in call("mcp_tools", namespace="ledger")["tools"]} == {"ledger"}
    assert "ledger_undo" in names(call("mcp_tools", query="Undo op"))
    assert call("mcp_tools", query="nothing has these words")["tools"] == []
    assert call("mcp_tools", namespace="tx")["tools"] == []


def test_a_long_answer_comes_in_pages(app: App, call: Call) -> None:
    found: list[str] = []
    page = call("mcp_tools", query="a")
    while "next_cursor" in page:
        found += names(page)
        page = call("mcp_tools", query="a", cursor=page["next_cursor"])
    found += names(page)
    assert len(found) == len(set(found)) == sum("a" in f"{op.name} {op.help}" for op in app.operations() if op.is_tool)


def test_what_is_unknown_or_off_is_refused_with_the_nearest(call: Call) -> None:
    with pytest.raises(NotFound) as refusal:
        call("mcp_tools", names=["task_updat"])
    assert "task_update" in refusal.value.hint
    with pytest.raises(Denied) as off:
        call("mcp_tools", names=["tx_begin"])
    assert (off.value.data["capability"], "--enable-tx" in off.value.hint) == ("tx", True)
    with pytest.raises(Invalid) as wrong:
        call("mcp_tools", namespace="ledgers")
    assert "ledger" in wrong.value.hint
