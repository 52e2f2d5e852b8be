from __future__ import annotations

import json
from pathlib import Path

import pytest

from deedlog import __version__
from deedlog.app import App
from deedlog.core.errors import Conflict
from deedlog.core.guide import BRIEF, GUIDE
from deedlog.faces.mcp import dispatch, resources
from deedlog.faces.mcp.protocol import encode
from deedlog.operation.catalog import function_of
from deedlog.testing import app_in, caller
from tests.faces.mcp.speaking import LEGACY, Json, Speaker, until

PLUGIN = "tests.faces.mcp.plugin"
ELICITATION: Json = {"elicitation": {}}


@pytest.fixture
def app(tmp_path: Path) -> App:
    return app_in(str(tmp_path / "store"), plugins=(PLUGIN,), agents_may=["*"])


@pytest.fixture
def client(app: App) -> Speaker:
    speaker = Speaker(app)
    speaker.initialize()
    return speaker


@pytest.mark.proves("face:mcp:legacy")
@pytest.mark.parametrize(
    ("wanted", "given"), [*((v, v) for v in LEGACY), ("2026-07-28", LEGACY[-1]), ("1999-01-01", LEGACY[-1])]
)
def test_initialize_agrees_on_the_client_s_revision_or_our_newest(app: App, wanted: str, given: str) -> None:
    answer = Speaker(app).initialize(wanted)
    assert answer["protocolVersion"] == given
    assert answer["serverInfo"] == {"name": "deedlog", "title": "Deedlog", "version": __version__}
    assert answer["capabilities"]["resources"] == {"subscribe": True, "listChanged": True}


@pytest.mark.proves("face:mcp:instructions")
def test_the_instructions_are_the_guide_in_brief_and_short_enough(client: Speaker) -> None:
    told = client.initialize()["instructions"]
    assert told.startswith(BRIEF)
    assert "# MCP Server Environment" in told
    assert len(told) <= 4000
    (message,) = client.ask("prompts/get", name="guide_show")["messages"]
    assert message["content"]["text"] == GUIDE


@pytest.mark.proves("face:mcp:bare-line")
def test_a_bare_request_is_answered_without_a_handshake(app: App) -> None:
    bare = Speaker(app)
    assert bare.say({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})["result"]["tools"]
    assert bare.call("start_workflow", name="x")["structuredContent"]["workflow_id"]


@pytest.mark.proves("face:mcp:annotations", "face:mcp:prompts")
def test_all_tools_are_the_operations_that_are_no_prompts(tmp_path: Path) -> None:
    app = app_in(str(tmp_path / "store"), plugins=(PLUGIN,), tools="all")
    client = Speaker(app)
    tools = {tool["name"]: tool for tool in client.ask("tools/list")["tools"]}
    assert list(tools) == [op.name for op in app.operations() if op.is_tool]
    start, read = tools["start_workflow"], tools["workflow_get"]
    op = app.catalog["start_workflow"]
    assert (start["inputSchema"], start["outputSchema"]) == (op.input_schema, op.output_schema)
    assert start["annotations"] == {
        "readOnlyHint": False,
        "destructiveHint": False,
        "idempotentHint": False,
        "openWorldHint": False,
    }
    assert read["annotations"]["readOnlyHint"] is True
    assert start["_meta"] == {"anthropic/alwaysLoad": True}
    assert "_meta" not in read
    assert "guide_show" not in tools


def test_long_lists_come_in_pages(app: App, client: Speaker) -> None:
    pattern = app.catalog["report_steps"]
    app.catalog.add(*(pattern.replace(name=f"step_{n}", words=f"step s{n}") for n in range(250)))
    names: list[str] = []
    cursor: Json = {}
    for _ in range(10):
        page = client.ask("tools/list", **cursor)
        names += [tool["name"] for tool in page["tools"]]
        if "nextCursor" not in page:
            break
        cursor = {"cursor": page["nextCursor"]}
    assert names == [op.name for op in app.operations() if op.is_tool and not op.further]
    for wrong in ("?", 5, "1" * 40):
        assert client.refused("tools/list", cursor=wrong)["code"] == -32602


@pytest.mark.proves("face:mcp:result")
def test_a_result_is_readable_text_and_the_same_as_data(client: Speaker) -> None:
    result = client.call("start_workflow", name="été 認証")
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    read = client.call("workflow_get", workflow_id=result["structuredContent"]["workflow_id"])
    text = read["content"][0]["text"]
    assert '"name": "été 認証"' in text
    assert len(text) == len(json.dumps(read["structuredContent"], ensure_ascii=False)), "as core/page.py counts"


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("start_workflow", {}, "VALIDATION_ERROR"),
        ("start_workflow", {"name": 2**70}, "VALIDATION_ERROR"),
        ("workflow_get", {"workflow_id": "wf-0"}, "NOT_FOUND"),
        ("ledger_undo", {}, "NOT_FOUND"),
        ("break_down", {}, "INTERNAL_ERROR"),
        ("ask_unmarked", {}, "INTERNAL_ERROR"),
    ],
)
def test_a_refusal_is_a_result_the_agent_can_read(app: App, tool: str, arguments: dict[str, object], code: str) -> None:
    client = Speaker(app, capabilities=ELICITATION)
    client.initialize()
    result = client.call(tool, **arguments)
    said = json.loads(result["content"][0]["text"])
    assert result["isError"] is True
    assert "structuredContent" not in result
    assert (said["error"], said["code"]) == (True, code)
    assert {"message", "kind", "hint"} <= set(said)
    assert "a bug" not in said["message"]


def test_an_operation_that_is_switched_off_is_not_listed_and_refused(tmp_path: Path) -> None:
    client = Speaker(app_in(str(tmp_path), disable=["tracking"]))
    assert "start_workflow" not in {tool["name"] for tool in client.ask("tools/list")["tools"]}
    said = json.loads(client.call("start_workflow", name="x")["content"][0]["text"])
    assert (said["code"], said["capability"]) == ("DENIED", "tracking")


@pytest.mark.parametrize("name", ["start_workflwo", "guide_show", "x" * 10_000, ""])
def test_an_unknown_tool_is_an_error_with_the_document_s_word(client: Speaker, name: str) -> None:
    error = client.refused("tools/call", name=name, arguments={})
    assert (error["code"], error["data"]["code"]) == (-32602, "UNKNOWN_TOOL")
    assert len(encode(error)) < 500


@pytest.mark.proves("operation:people:no-tool")
def test_what_is_for_people_is_no_tool_and_names_its_command(app: App, client: Speaker) -> None:
    pattern = app.catalog["workflow_list"]
    app.catalog.add(pattern.replace(name="flow_list", words="flow list", people=True))
    assert "flow_list" not in {tool["name"] for tool in client.ask("tools/list")["tools"]}
    error = client.refused("tools/call", name="flow_list", arguments={})
    assert (error["code"], error["data"]["code"]) == (-32602, "UNKNOWN_TOOL")
    assert "`deedlog flow list`" in error["data"]["hint"]


@pytest.mark.proves("operation:people:no-tool")
def test_a_hint_spells_what_is_for_people_as_a_command(app: App, client: Speaker) -> None:
    def refuse(*_: object, **__: object) -> Json:
        raise Conflict("no", hint="adr_verify says more; read_architecture helps")

    app.catalog.add(app.catalog["workflow_list"].replace(name="flow_check", words="flow check", run=refuse))
    said = json.loads(client.call("flow_check")["content"][0]["text"])
    assert said["hint"] == "`deedlog adr verify` says more; read_architecture helps"


@pytest.mark.proves("operation:people:no-tool")
def test_what_is_for_people_can_still_be_a_resource(app: App, client: Speaker) -> None:
    pattern = app.catalog["workflow_get"]
    more = {"resource": "flow://{workflow_id}", "run": function_of(pattern), "people": True}
    app.catalog.add(pattern.replace(name="flow_get", words="flow get", **more))
    workflow_id = client.call("start_workflow", name="x")["structuredContent"]["workflow_id"]
    (content,) = client.ask("resources/read", uri=f"flow://{workflow_id}")["contents"]
    assert json.loads(content["text"])["name"] == "x"
    assert f"flow://{workflow_id}" in {row["uri"] for row in client.ask("resources/list")["resources"]}


def test_an_unknown_tool_is_told_the_nearest(client: Speaker) -> None:
    assert "start_workflow" in client.refused("tools/call", name="start_workflwo")["data"]["hint"]


MALFORMED = [
    ("text", -32600),
    (5, -32600),
    (None, -32600),
    ({}, -32600),
    ({"id": 1, "method": "ping"}, -32600),
    ({"jsonrpc": "1.0", "id": 1, "method": "ping"}, -32600),
    ({"jsonrpc": "2.0", "id": None, "method": "ping"}, -32600),
    ({"jsonrpc": "2.0", "id": 1.5, "method": "ping"}, -32600),
    ({"jsonrpc": "2.0", "id": True, "method": "ping"}, -32600),
    ({"jsonrpc": "2.0", "id": {}, "method": "ping"}, -32600),
    ({"jsonrpc": "2.0", "id": 1, "method": 5}, -32600),
    ({"jsonrpc": "2.0", "id": 1}, -32600),
    ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}, -32602),
    ({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {}}, -32602),
    ({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "workflow_list", "arguments": []}}, -32602),
    ({"jsonrpc": "2.0", "id": 1, "method": "no/such"}, -32601),
    ([], -32600),
    ([{"jsonrpc": "2.0", "id": 1, "method": "ping"}], -32600),
]


@pytest.mark.parametrize(("message", "code"), MALFORMED)
def test_a_malformed_message_gets_one_error(client: Speaker, message: object, code: int) -> None:
    assert client.say(message)["error"]["code"] == code


def test_what_asks_for_no_reply_gets_none_and_does_nothing(client: Speaker) -> None:
    arguments = {"name": "start_workflow", "arguments": {"name": "x"}}
    assert client.say({"jsonrpc": "2.0", "method": "tools/call", "params": arguments}) is None
    assert client.say({"jsonrpc": "2.0", "method": "notifications/whatever"}) is None
    assert client.say({"jsonrpc": "2.0", "id": "deedlog-9", "result": {}}) is None
    assert client.call("workflow_list")["structuredContent"]["workflows"] == []


def test_only_the_revision_that_has_batches_takes_them(app: App) -> None:
    client = Speaker(app)
    client.initialize("2025-03-26")
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert client.say([ping, {"jsonrpc": "2.0", "method": "notifications/x"}]) == [
        {"jsonrpc": "2.0", "id": 1, "result": {}}
    ]
    assert client.say([{"jsonrpc": "2.0", "method": "notifications/x"}]) is None
    assert client.say([])["error"]["code"] == -32600
    assert [reply["error"]["code"] for reply in client.say([5, "x"])] == [-32600, -32600]


def test_a_bug_in_taking_a_message_in_is_an_error_of_that_message(
    app: App, client: Speaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(resources, "found", broken)
    error = client.refused("resources/read", uri="note://fixed")
    assert (error["code"], error["message"]) == (-32603, "internal error")
    assert "a bug" in error["data"]["hint"]
    assert client.ask("ping") == {}


@pytest.mark.parametrize("tool", ["say_nan", "say_object", "leave"])
def test_an_answer_that_cannot_be_sent_is_an_error_of_its_request(client: Speaker, tool: str) -> None:
    assert client.refused("tools/call", name=tool)["code"] == -32603
    assert client.ask("ping") == {}


def test_a_batch_in_a_batch_is_no_message(app: App) -> None:
    client = Speaker(app)
    client.initialize("2025-03-26")
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    assert [reply.get("result", reply.get("error", {}).get("code")) for reply in client.say([[ping], ping])] == [
        -32600,
        {},
    ]


@pytest.mark.proves("face:mcp:actor")
@pytest.mark.parametrize(
    ("name", "setting", "actor"),
    [
        ("codex", "", "codex"),
        ("codex", "anna", "anna"),
        ("", "", "mcp"),
        ("a\nb\x1b[1m  c", "", "a b-[1m c"),
        ("anna/1", "", "anna-1"),
        ("x" * 99, "", "x" * 80),
    ],
)
def test_the_client_s_name_begins_the_actor(app: App, name: str, setting: str, actor: str) -> None:
    client = Speaker(app, actor=setting)
    client.initialize(name=name)
    client.call("start_workflow", name="x")
    assert client.call("event_list")["structuredContent"]["events"][0]["actor"].split("/")[0] == actor


@pytest.mark.proves("face:mcp:actor")
def test_key_and_cause_come_beside_the_arguments(app: App, client: Speaker) -> None:
    meta = {"deedlog/idempotency-key": "k1", "deedlog/cause": "issue 2"}
    call = {"name": "start_workflow", "arguments": {"name": "x"}, "_meta": meta}
    assert client.ask("tools/call", **call) == client.ask("tools/call", **call)
    (event,) = client.call("event_list")["structuredContent"]["events"]
    assert app.ledger.op(event["op_id"]).cause == "issue 2"
    for wrong in ("", 5, "x" * 201, "a\nb"):
        bad = client.ask("tools/call", **call | {"_meta": {"deedlog/idempotency-key": wrong}})
        assert bad["isError"]
        assert "idempotency_key: " in bad["content"][0]["text"]


@pytest.mark.proves("face:mcp:resources")
def test_resources_are_listed_in_pages_and_read(client: Speaker) -> None:
    ids = [client.call("start_workflow", name=f"w{n}")["structuredContent"]["workflow_id"] for n in range(120)]
    rows: list[Json] = []
    cursor: Json = {}
    while True:
        page = client.ask("resources/list", **cursor)
        rows += page["resources"]
        if "nextCursor" not in page:
            break
        cursor = {"cursor": page["nextCursor"]}
    assert "note://fixed" in [row["uri"] for row in rows]
    workflows = [row for row in rows if row["uri"].startswith("workflow://")]
    assert [row["uri"] for row in workflows] == [f"workflow://{i}" for i in reversed(ids)]
    assert workflows[-1]["name"] == "w0"
    templates = client.ask("resources/templates/list")["resourceTemplates"]
    assert "workflow://{workflow_id}" in [template["uriTemplate"] for template in templates]
    (contents,) = client.ask("resources/read", uri=f"workflow://{ids[0]}")["contents"]
    assert (contents["mimeType"], json.loads(contents["text"])["name"]) == ("application/json", "w0")
    assert client.ask("resources/read", uri="note://fixed")["contents"] == [
        {"uri": "note://fixed", "mimeType": "text/plain", "text": "a note"}
    ]


@pytest.mark.proves("face:mcp:resources")
@pytest.mark.parametrize("uri", ["workflow://wf-0", "workflow://a/b", "nothing://x", "", "workflow://"])
def test_an_unknown_resource_is_refused_by_its_uri(client: Speaker, uri: str) -> None:
    error = client.refused("resources/read", uri=uri)
    assert (error["code"], error["data"]["uri"]) == (-32002, uri)


def test_a_uri_is_decoded_once(client: Speaker) -> None:
    assert "wf/%2F" in client.refused("resources/read", uri="workflow://wf%2F%252F")["message"]


@pytest.mark.proves("face:mcp:subscriptions")
def test_a_subscriber_learns_of_each_change_once_and_in_order(app: App, tmp_path: Path, client: Speaker) -> None:
    """Whoever makes the change: here, an app of its own on the same store."""
    other = app_in(str(tmp_path / "store"))
    ids = [other.call("start_workflow", {"name": str(n)}, caller())["workflow_id"] for n in range(3)]
    for workflow_id in ids[:2]:
        client.ask("resources/subscribe", uri=f"workflow://{workflow_id}")
    client.ask("resources/unsubscribe", uri=f"workflow://{ids[1]}")
    for workflow_id in ids:
        other.call("complete_workflow", {"workflow_id": workflow_id}, caller())
    other.call("ledger_undo", {}, caller())
    other.call("ledger_undo", {}, caller())
    other.call("ledger_undo", {}, caller())
    until(lambda: len(client.notifications("notifications/resources/updated")) >= 2)
    client.dispatcher.close()
    assert [note["params"]["uri"] for note in client.notifications("notifications/resources/updated")] == [
        f"workflow://{ids[0]}"
    ] * 2
    assert client.refused("resources/subscribe", uri="nothing://x")["code"] == -32002


@pytest.mark.proves("face:mcp:subscriptions")
def test_a_burst_of_changes_is_told_without_a_gap_or_a_repetition(app: App, client: Speaker) -> None:
    workflow_id = client.call("start_workflow", name="x")["structuredContent"]["workflow_id"]
    client.ask("resources/subscribe", uri=f"workflow://{workflow_id}")
    with client.dispatcher.feed._lock:  # all of it is there before any of it is told
        for _ in range(120):
            client.call("complete_workflow", workflow_id=workflow_id)
            client.call("ledger_undo")
    until(lambda: len(client.notifications("notifications/resources/updated")) >= 240)
    client.call("complete_workflow", workflow_id=workflow_id)
    until(lambda: len(client.notifications("notifications/resources/updated")) >= 241)
    client.dispatcher.close()
    assert len(client.notifications("notifications/resources/updated")) == 241


@pytest.mark.proves("face:mcp:list-changed")
def test_clients_learn_when_lists_change(app: App, client: Speaker) -> None:
    silent = Speaker(app)
    tool, prompt, note = (app.catalog[name] for name in ("report_steps", "review", "fixed_note"))
    app.catalog.add(tool.replace(name="another", words="another tool"))
    assert [message["method"] for message in client.heard] == ["notifications/tools/list_changed"]
    app.catalog.remove(prompt.name, note.name, "never there")
    assert {message["method"] for message in client.heard[1:]} == {
        f"notifications/{kind}/list_changed" for kind in ("tools", "prompts", "resources")
    }
    client.connection.close()
    app.catalog.remove("another")
    assert len(client.heard) == 4
    assert silent.heard == []


@pytest.mark.proves("face:mcp:prompts")
def test_prompts_take_text_for_every_argument(client: Speaker) -> None:
    prompts = {prompt["name"]: prompt for prompt in client.ask("prompts/list")["prompts"]}
    assert prompts["review"]["arguments"] == [
        {"name": "depth", "description": "How deep", "required": True},
        {"name": "count", "description": "How many", "required": False},
    ]
    got = client.ask("prompts/get", name="review", arguments={"depth": "deep", "count": "3"})
    assert got["messages"] == [{"role": "user", "content": {"type": "text", "text": "deep 3"}}]
    for wrong in ({}, {"depth": "deep", "count": "many"}, {"depth": "shallow"}):
        assert client.refused("prompts/get", name="review", arguments=wrong)["code"] == -32602
    assert client.refused("prompts/get", name="start_workflow")["code"] == -32602


@pytest.mark.proves("face:mcp:completion")
def test_arguments_are_completed(client: Speaker) -> None:
    def completed(ref: dict[str, str], name: str, value: str) -> object:
        return client.ask("completion/complete", ref=ref, argument={"name": name, "value": value})["completion"]

    prompt = {"type": "ref/prompt", "name": "review"}
    assert completed(prompt, "depth", "qui") == {"values": ["quick", "quiet"], "hasMore": False}
    assert completed(prompt, "count", "") == {"values": [], "hasMore": False}
    template = {"type": "ref/resource", "uri": "workflow://{workflow_id}"}
    ids = [client.call("start_workflow", name=f"w{n}")["structuredContent"]["workflow_id"] for n in range(101)]
    assert completed(template, "workflow_id", ids[5]) == {"values": [ids[5]], "hasMore": False}
    assert completed(template, "workflow_id", "wf-") == {"values": ids[:0:-1], "hasMore": True}
    for ref in ({"type": "ref/prompt", "name": "nope"}, {"type": "ref/resource", "uri": "x://{y}"}, {}):
        argument = {"name": "y", "value": ""}
        assert client.refused("completion/complete", ref=ref, argument=argument)["code"] == -32602
    assert client.refused("completion/complete", ref=prompt)["code"] == -32602


@pytest.mark.proves("face:mcp:completion")
def test_completion_looks_through_a_few_pages_and_says_that_there_are_more(client: Speaker) -> None:
    ids = [client.call("start_workflow", name=f"w{n}")["structuredContent"]["workflow_id"] for n in range(251)]
    ref = {"type": "ref/resource", "uri": "workflow://{workflow_id}"}
    for sought, values, more in ((ids[0], [], True), (ids[1], [ids[1]], True)):
        argument = {"name": "workflow_id", "value": sought}
        found = client.ask("completion/complete", ref=ref, argument=argument)["completion"]
        assert found == {"values": values, "hasMore": more}


@pytest.mark.proves("face:mcp:progress")
def test_progress_and_log_reach_who_asked_for_them(client: Speaker) -> None:
    client.ask("tools/call", name="report_steps", _meta={"progressToken": "p"})
    assert [m["params"] for m in client.notifications("notifications/progress")] == [
        {"progressToken": "p", "progress": 1, "total": 2, "message": "half"},
        {"progressToken": "p", "progress": 2, "total": 2},
    ]
    assert [m["params"]["level"] for m in client.notifications("notifications/message")] == ["warning"]
    client.heard.clear()
    client.ask("logging/setLevel", level="debug")
    client.ask("tools/call", name="report_steps", _meta={"progressToken": True})
    assert [m["params"]["level"] for m in client.heard] == ["debug", "warning"]
    assert client.refused("logging/setLevel", level="loud")["code"] == -32602


@pytest.mark.proves("face:mcp:cancel")
def test_a_cancelled_request_stops_unanswered_and_others_go_on(client: Speaker) -> None:
    message = client.message("tools/call", name="wait_for_end")
    running = client.beside(message)
    until(lambda: client.notifications("notifications/message"))
    assert client.say({**message, "method": "ping"})["error"]["code"] == -32600
    assert client.ask("ping") == {}
    strange: list[object] = [None, [], 99, "x"]
    for wrong in strange:
        client.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": wrong}})
    client.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": message["id"]}})
    assert running.reply() is None


@pytest.mark.proves("face:mcp:cancel")
def test_a_request_can_be_cancelled_before_it_runs(client: Speaker) -> None:
    work = client.connection.take(client.message("tools/call", name="wait_for_end"))
    assert work.waits
    client.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": client._next}})
    assert work.run() is None


def test_only_so_many_calls_may_wait_but_others_are_answered(app: App, client: Speaker) -> None:
    """However many connections they come by."""
    other = Speaker(app)
    other.dispatcher = client.dispatcher
    other.connection = dispatch.Connection(client.dispatcher, other.heard.append)
    running = [speaker.beside(speaker.message("tools/call", name="wait_for_end")) for speaker in [client, other] * 32]
    assert client.refused("tools/call", name="wait_for_end")["code"] == -32000
    assert client.refused("tools/call", name="event_list", arguments={"waitMs": 1})["data"]["hint"]
    assert client.ask("ping") == {}
    assert client.call("event_list", wait_ms=0)["structuredContent"]["events"] == []
    other.connection.close()
    client.connection.close()
    assert [one.reply()["result"]["structuredContent"] for one in running] == [{"text": "over"}] * 64
    assert client.call("ask_name")["structuredContent"] == {"text": "nobody"}


@pytest.mark.proves("face:mcp:ask")
def test_an_operation_asks_by_a_request_of_ours(app: App) -> None:
    client = Speaker(app, capabilities=ELICITATION)
    client.initialize()
    running = client.beside(client.message("tools/call", name="ask_name"))
    (question,) = until(lambda: client.notifications("elicitation/create"))
    assert question["params"]["message"] == "Your name?"
    reply = {"action": "accept", "content": {"name": "Ada"}}
    client.say({"jsonrpc": "2.0", "id": question["id"], "result": reply})
    assert running.reply()["result"]["structuredContent"] == {"text": str(reply)}


@pytest.mark.proves("face:mcp:ask")
def test_a_client_that_cannot_be_asked_is_not(client: Speaker) -> None:
    assert client.call("ask_name")["structuredContent"] == {"text": "nobody"}
    assert client.heard == []


@pytest.mark.proves("face:mcp:ask", "face:mcp:cancel")
def test_a_question_ends_with_an_error_the_request_the_connection_or_after_a_while(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Speaker(app, capabilities=ELICITATION)
    client.initialize()
    refusing = client.beside(client.message("tools/call", name="ask_name"))
    (question,) = until(lambda: client.notifications("elicitation/create"))
    client.say({"jsonrpc": "2.0", "id": question["id"], "error": {"code": -1, "message": "no"}})
    assert refusing.reply()["result"]["structuredContent"] == {"text": "nobody"}

    cancelled = client.beside(client.message("tools/call", name="ask_name"))
    until(lambda: len(client.notifications("elicitation/create")) == 2)
    client.say({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": client._next}})
    assert cancelled.reply() is None

    monkeypatch.setattr(dispatch, "ANSWER_SECONDS", 0.01)
    silent = client.beside(client.message("tools/call", name="ask_name"))
    assert silent.reply()["result"]["structuredContent"] == {"text": "nobody"}
    withdrawn = [one["params"]["requestId"] for one in client.notifications("notifications/cancelled")]
    assert withdrawn == [one["id"] for one in client.notifications("elicitation/create")[1:]]
    monkeypatch.undo()

    left = client.beside(client.message("tools/call", name="ask_name"))
    until(lambda: len(client.notifications("elicitation/create")) == 4)
    client.connection.close()
    assert left.reply()["result"]["structuredContent"] == {"text": "nobody"}
