"""`mcp_call` on the wire is a call of the other tool: its answer, its refusal, its progress, its end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deedlog.app import App
from deedlog.core.errors import Invalid
from deedlog.faces.mcp.refusal import MODULES, refused
from deedlog.testing import app_in
from tests.faces.mcp.speaking import Json, Speaker

PLUGIN = "tests.faces.mcp.plugin"


@pytest.fixture
def app(tmp_path: Path) -> App:
    return app_in(str(tmp_path / "store"), plugins=(PLUGIN,), agents_may=["*"])


@pytest.fixture(params=[False, True], ids=["legacy", "modern"])
def client(app: App, request: pytest.FixtureRequest) -> Speaker:
    speaker = Speaker(app, modern=request.param)
    if not request.param:
        speaker.initialize()
    return speaker


def through(tool: str, /, **arguments: object) -> Json:
    return {"name": "mcp_call", "arguments": {"name": tool, "arguments": arguments}}


@pytest.mark.proves("watch:mcp-call:forwards", "watch:answer:structured")
def test_the_answer_is_the_other_tool_s(client: Speaker) -> None:
    client.call("task_create", title="x")
    called = client.ask("tools/call", **through("task_get", id=1))
    assert called == client.call("task_get", id=1)
    assert json.loads(called["content"][0]["text"]) == called["structuredContent"]


@pytest.mark.proves("watch:mcp-call:forwards")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("start_task", {"workflow_id": "wf-none", "name": "x", "goal": "y"}),
        ("task_get", {"id": 99}),
        ("require_clarification", {}),
        ("graph_get", {"graph_id": "none"}),
        ("tx_begin", {"graph_id": "none"}),
        ("task_get", {}),
    ],
)
def test_a_refusal_has_the_other_tool_s_shape(client: Speaker, tool: str, arguments: Json) -> None:
    def outcome(**params: object) -> Json:
        reply = client.say(client.message("tools/call", **params))
        return {name: reply.get(name) for name in ("result", "error")}

    assert outcome(**through(tool, **arguments)) == outcome(name=tool, arguments=arguments)


def test_its_own_refusals_have_a_code(client: Speaker) -> None:
    itself = client.call("mcp_call", name="mcp_call", arguments={})
    assert json.loads(itself["content"][0]["text"])["code"] == "E-MCP-INVALID-INPUT"
    unknown = client.call("mcp_call", name="nothing", arguments={})
    assert json.loads(unknown["content"][0]["text"])["code"] == "E-MCP-NOTFOUND"


@pytest.mark.proves("watch:mcp-call:forwards")
def test_progress_is_told_and_a_call_that_waits_is_run_beside_and_cancelled(client: Speaker) -> None:
    reported = client.message("tools/call", **through("report_steps"), _meta={"progressToken": "p"})
    client.say(reported)
    assert client.notifications("notifications/progress")[0]["params"]["progressToken"] == "p"
    message = client.message("tools/call", **through("wait_for_end"))
    work = client.connection.take(message)
    assert work.waits
    client.connection.cancel(message["id"])
    assert work.run() is None


@pytest.mark.proves("capability:run-time:list-changed")
def test_all_lists_that_change_are_told_of(app: App) -> None:
    client = Speaker(app)
    client.initialize()
    client.call("capability_set", name="tracking", on=False)
    told = {message["method"] for message in client.heard}
    assert "notifications/tools/list_changed" in told
    assert "notifications/resources/list_changed" in told
    client.heard.clear()
    client.call("capability_set", name="idempotency")
    assert {message["method"] for message in client.heard} >= {"notifications/tools/list_changed"}
    schema = {tool["name"]: tool for tool in client.ask("tools/list")["tools"]}["task_create"]["inputSchema"]
    assert "idempotencyKey" in schema["properties"]


@pytest.mark.proves("error:001:brief")
@pytest.mark.parametrize("module", MODULES)
def test_a_refusal_of_a_module_is_brief(module: str) -> None:
    said = json.loads(refused(module, Invalid("long " * 100, hint="do this"))["content"][0]["text"])
    assert (said["ok"], said["hint"]) == (False, "do this")
    assert len(said["message"]) == 120
    assert said["message"].endswith("…")
