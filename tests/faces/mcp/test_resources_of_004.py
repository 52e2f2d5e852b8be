"""Memory, agents and tasks as MCP resources: read, listed, completed, subscribed to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from deedlog.core.caller import Kind
from deedlog.testing import app_in, caller
from tests.faces.mcp.speaking import Json, Speaker, until

each_era = pytest.mark.parametrize("modern", [False, True], ids=["legacy", "modern"])
UPDATED = "notifications/resources/updated"


def read(client: Speaker, uri: str) -> Json:
    (contents,) = client.ask("resources/read", uri=uri)["contents"]
    assert contents["uri"] == uri
    found: Json = contents
    return found


def listed(client: Speaker) -> dict[str, Json]:
    rows: list[Json] = []
    page: Json = {"nextCursor": None}
    while "nextCursor" in page:
        page = client.ask("resources/list", **({"cursor": page["nextCursor"]} if page["nextCursor"] else {}))
        rows += page["resources"]
    return {row.pop("uri"): row for row in rows}


def follow(client: Speaker, *uris: str) -> None:
    if client.modern:
        client.say(client.message("subscriptions/listen", notifications={"resourceSubscriptions": list(uris)}))
    else:
        for uri in uris:
            client.ask("resources/subscribe", uri=uri)


def told(client: Speaker) -> list[str]:
    return [note["params"]["uri"] for note in client.notifications(UPDATED)]


@each_era
@pytest.mark.proves("resource:project-memory")
def test_project_memory_is_the_text_of_the_preview(client: Speaker) -> None:
    client.call("memory_add", id="linter", category="tooling", title="Linter", summary="Biome", status="active")
    contents = read(client, "project://memory")
    assert contents["mimeType"] == "text/markdown"
    assert contents["text"] == client.call("memory_preview")["structuredContent"]["context"]
    assert "- Tooling: Biome\n" in contents["text"]


@each_era
@pytest.mark.proves("resource:agent")
def test_an_agent_is_its_definition_as_yaml(client: Speaker) -> None:
    contents = read(client, "agent://coder")
    assert contents["mimeType"] == "application/yaml"
    definition = client.call("agent_get", name="coder")["structuredContent"]
    parsed = yaml.safe_load(contents["text"])
    assert parsed == {name: definition[name] for name in parsed}
    assert list(parsed) == ["name", "description", "client", "model", "scope", "config", "promptContent"]


@each_era
@pytest.mark.parametrize(
    "uri", ["agent://nope", "agent://..", "agent://%2e%2e%2fetc", "agent://a/b", "agent://", "task://999"]
)
def test_what_is_not_there_is_refused_by_its_uri(client: Speaker, uri: str) -> None:
    error = client.refused("resources/read", uri=uri)
    assert (error["code"], error["data"]["uri"]) == (-32602 if client.modern else -32002, uri)


@each_era
@pytest.mark.parametrize("uri", ["task://abc", "task://1.5", "task://-1", "task://0", "task://NaN"])
def test_what_is_no_number_of_a_task_is_refused(client: Speaker, uri: str) -> None:
    assert client.refused("resources/read", uri=uri)["code"] == -32602


@each_era
@pytest.mark.proves("resource:templates")
def test_they_are_listed_and_named_as_the_document_has_it(client: Speaker) -> None:
    number = client.call("task_create", title="Add authentication")["structuredContent"]["id"]
    found = listed(client)
    memory = found["project://memory"]
    assert (memory["name"], memory["description"], memory["mimeType"]) == (
        "Memory Bank",
        "Memory Bank summary and references",
        "text/markdown",
    )
    assert found["agent://coder"] == {
        "name": "Agent: coder",
        "description": "Agent definition for coder",
        "mimeType": "application/yaml",
    }
    assert found[f"task://{number}"] == {
        "name": f"Task #{number}",
        "description": f"Task details for #{number}",
        "mimeType": "application/json",
    }
    templates = client.ask("resources/templates/list")["resourceTemplates"]
    assert {"task://{id}": "application/json", "agent://{name}": "application/yaml"}.items() <= {
        template["uriTemplate"]: template["mimeType"] for template in templates
    }.items()


@each_era
@pytest.mark.proves("resource:templates")
def test_their_variables_are_completed(client: Speaker) -> None:
    numbers = [client.call("task_create", title=f"t{n}")["structuredContent"]["id"] for n in range(12)]
    client.call("agent_create", name="coder-two")

    def completed(template: str, name: str, value: str) -> list[str]:
        ref = {"type": "ref/resource", "uri": template}
        answer = client.ask("completion/complete", ref=ref, argument={"name": name, "value": value})
        found: list[str] = answer["completion"]["values"]
        return found

    assert completed("agent://{name}", "name", "co") == ["coder", "coder-two"]
    assert completed("agent://{name}", "name", "") == ["coder", "coder-two", "planner", "reviewer", "writer"]
    begins = [str(number) for number in numbers if str(number).startswith("1")]
    assert sorted(completed("task://{id}", "id", "1")) == sorted(begins)


@each_era
@pytest.mark.proves("resource:templates")
def test_subscribers_are_told_by_the_uri_they_asked_for(client: Speaker, repo: Path, tmp_path: Path) -> None:
    """Whoever makes the change: here, an app of its own on the same store."""
    other = app_in(str(tmp_path / "store"), tree=str(repo))

    def call(name: str, /, **arguments: object) -> Json:
        answer: Json = other.call(name, arguments, caller())
        return answer

    number = call("task_create", title="Add authentication")["id"]
    uris = ["project://memory", "agent://coder", f"task://{number}", f"task://task-{number}", f"task://{number + 1}"]
    follow(client, *uris)
    call("memory_add", id="linter", category="tooling", title="Linter")
    until(lambda: told(client) == uris[:1])
    call("agent_edit", name="coder", model="opus")
    until(lambda: told(client) == uris[:2])
    call("task_update", id=number, title="Add authorisation")
    until(lambda: told(client) == uris[:4])
    assert call("task_create", title="It was asked for before it was there")["id"] == number + 1
    until(lambda: told(client) == uris)
    call("task_update", id=number + 1, priority="high")
    until(lambda: told(client) == [*uris, uris[-1]])
    call("agent_edit", name="writer", model="opus")
    call("agent_delete", name="coder")
    call("memory_archive", id="linter")
    until(lambda: told(client)[6:] == ["agent://coder", "project://memory"])
    client.dispatcher.close()
    assert len(told(client)) == 8


@each_era
@pytest.mark.proves("resource:task")
def test_a_task_is_its_details_as_json(client: Speaker) -> None:
    number = client.call("task_create", title="認証機能実装", priority="high", type="feature")["structuredContent"][
        "id"
    ]
    contents = read(client, f"task://{number}")
    assert contents["mimeType"] == "application/json"
    found = json.loads(contents["text"])
    assert (found["id"], found["title"], found["priority"], found["type"]) == (
        number,
        "認証機能実装",
        "high",
        "feature",
    )
    assert {"status", "assigneeType", "assigneeName", "selectedSessionId", "createdAt", "updatedAt"} <= set(found)
    assert "sessions" not in found


@each_era
@pytest.mark.parametrize(
    ("tool", "arguments", "code", "named"),
    [
        ("agent_get", {"name": "nope"}, -32002, {"agentId": "nope"}),
        ("agent_edit", {"name": "nope", "model": "x"}, -32002, {"agentId": "nope"}),
        ("agent_create", {"name": "coder"}, -32004, {"agentId": "coder"}),
        ("agent_create", {"name": "../x"}, -32007, {"field": "name"}),
        ("agent_import", {"yaml": "["}, -32007, {"field": "yaml"}),
        ("memory_get", {"id": "nope"}, -32010, {"memoryId": "nope"}),
        ("memory_add", {"id": "../x", "category": "rule", "title": "t"}, -32007, {"field": "id"}),
        ("memory_add", {"id": "x", "category": "rule"}, -32007, {"field": "title"}),
        ("memory_list", {"status": "open; rm -rf ~"}, -32007, {"field": "status"}),
    ],
)
def test_refusals_have_the_document_s_numbers(
    client: Speaker, tool: str, arguments: Json, code: int, named: Json
) -> None:
    error = client.refused("tools/call", name=tool, arguments=arguments)
    assert error["code"] == code
    assert named.items() <= error["data"].items()


def test_what_a_worker_prints_and_what_is_no_resource_is_no_news(repo: Path, tmp_path: Path) -> None:
    app = app_in(str(tmp_path / "store"), tree=str(repo), enable=["supervision"], agents_may=["*"])
    client = Speaker(app, modern=True)
    task = client.call("task_create", title="t")["structuredContent"]["id"]
    session = client.call("session_start", taskId=task, agent="coder")["structuredContent"]["sessionId"]
    wishes = {"resourcesListChanged": True, "resourceSubscriptions": [f"task://{task}"]}
    client.say(client.message("subscriptions/listen", notifications=wishes))
    line = {"at": 1, "stream": "stdout", "text": "x"}
    for _ in range(3):
        app.call("session_output", {"sessionId": session, "lines": [line]}, caller("deedlog", Kind.INTERNAL))
    client.call("memory_add", id="a", category="rule", title="t")
    client.call("agent_create", name="new")
    client.call("task_update", id=task, title="other")
    until(lambda: told(client))
    client.dispatcher.close()
    assert told(client) == [f"task://{task}"]
    assert len(client.notifications("notifications/resources/list_changed")) == 1
