"""What an agent pays for before it has done anything: the default list, as it is sent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deedlog.testing import app_in
from tests.faces.mcp.speaking import Speaker

MOST_CHARACTERS = 12_000


@pytest.mark.proves("watch:tools-list:short")
@pytest.mark.parametrize("modern", [False, True], ids=["legacy", "modern"])
def test_the_whole_answer_to_tools_list_is_short(tmp_path: Path, *, modern: bool) -> None:
    client = Speaker(app_in(str(tmp_path / "store")), modern=modern)
    listed = client.ask("tools/list")
    assert len(json.dumps(listed, separators=(",", ":"), ensure_ascii=False)) <= MOST_CHARACTERS
    tools = {tool["name"]: tool for tool in listed["tools"]}
    assert set(tools["complete_task"]) == {"name", "description", "inputSchema", "annotations", "_meta"}
    assert tools["complete_task"]["annotations"] == {"destructiveHint": False}
    assert tools["task_list"]["annotations"] == {"readOnlyHint": True}
    assert "annotations" not in tools["worker_run"], "the protocol's defaults hold: it may destroy"
    assert "metadata" not in tools["complete_task"]["inputSchema"]["properties"]


def test_what_the_list_leaves_out_is_accepted(tmp_path: Path) -> None:
    client = Speaker(app_in(str(tmp_path / "store")))
    made = client.call("task_create", title="x", labels="a,b", complexity=3)["structuredContent"]
    assert made["labels"] == ["a", "b"]
    again = client.call("task_update", id=made["id"], title="y")["structuredContent"]
    assert again["title"] == "y", "a tool that is not listed is called by its name"


def test_all_of_it_is_there_where_it_is_asked_for(tmp_path: Path) -> None:
    app = app_in(str(tmp_path / "store"), tools="all")
    tools = {tool["name"]: tool for tool in Speaker(app).ask("tools/list")["tools"]}
    assert set(tools) == {op.name for op in app.operations() if op.is_tool}
    assert tools["complete_task"]["inputSchema"] == app.catalog["complete_task"].input_schema
    assert tools["complete_task"]["outputSchema"] == app.catalog["complete_task"].output_schema


def test_an_input_whose_description_only_repeats_its_name_is_not_described(tmp_path: Path) -> None:
    client = Speaker(app_in(str(tmp_path / "store")))
    tools = {tool["name"]: tool["inputSchema"]["properties"] for tool in client.ask("tools/list")["tools"]}
    assert tools["log_decision"]["task_id"] == {"type": "string"}
    assert tools["start_task"]["areas"]["description"] == "Code areas this task will touch"
    (described,) = client.call("mcp_tools", names=["log_decision"])["structuredContent"]["tools"]
    assert described["inputSchema"]["properties"]["task_id"]["description"] == "Task ID"
