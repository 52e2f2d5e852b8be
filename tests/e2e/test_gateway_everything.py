"""Every kind of thing that the reference server offers passes through us as it is, whoever asks and however."""

from __future__ import annotations

import gzip
import json
import re
import socket
import subprocess
import sys
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.e2e.conftest import ROOT, npm_installed, pip_installed
from tests.e2e.official import CLIENTS
from tests.e2e.others import DEEDLOG, NODE, Others, Premises, others, until  # noqa: F401  # a fixture

Json = dict[str, Any]
Steps = list[tuple[str, Json]]
FRONTS = [("python1", "legacy"), ("python2", "legacy"), ("python2", "modern")]
TEXT = "demo://resource/dynamic/text/{}"
ANSWERED = {"tools": "tools", "resources": "resources", "templates": "resourceTemplates", "prompts": "prompts"}


class Names(NamedTuple):
    """What the reference server's things are called here."""

    name: Callable[[str], str]
    uri: Callable[[str], str]


AS_THEY_ARE = Names(str, str)
MOUNTED = Names("everything__{}".format, "mcp://everything/{}".format)


def conversation(names: Names) -> Steps:
    """One thing after another, under the names that things have where they are asked."""

    def call(tool: str, **arguments: Any) -> tuple[str, Json]:
        return "call", {"name": names.name(tool), "arguments": arguments}

    def completed(argument: str, value: str, **ref: str) -> tuple[str, Json]:
        return "complete", {"ref": ref, "argument": {"name": argument, "value": value}}

    prompt, uri = names.name, names.uri
    team = completed("name", "", type="ref/prompt", name=prompt("completable-prompt"))
    team[1]["context"] = {"department": "Engineering"}
    return [
        ("tools", {}),
        ("resources", {}),
        ("templates", {}),
        ("prompts", {}),
        call("echo", message="hé 😀"),
        call("echo"),
        call("get-sum", a=1, b=2.5),
        call("get-tiny-image"),
        *[call("get-annotated-message", messageType=kind, includeImage=True) for kind in ("error", "success", "debug")],
        call("get-resource-links", count=4),
        call("get-resource-reference", resourceType="Text", resourceId=1),
        call("get-resource-reference", resourceType="Blob", resourceId=2),
        call("get-structured-content", location="Chicago"),
        call("gzip-file-as-resource", name="a.gz", data="data:text/plain,hello", outputType="resource"),
        call("gzip-file-as-resource", name="b.gz", data="data:text/plain,hello", outputType="resourceLink"),
        ("until", {"notice": "notifications/resources/list_changed"}),
        ("read", {"uri": uri("demo://resource/session/b.gz")}),
        call("trigger-long-running-operation", duration=0.3, steps=3),
        call("trigger-elicitation-request"),
        call("trigger-sampling-request", prompt="Say something.", maxTokens=7),
        ("read", {"uri": uri(TEXT.format(3))}),
        ("read", {"uri": uri("demo://resource/dynamic/blob/3")}),
        ("read", {"uri": uri("demo://resource/static/document/features.md")}),
        ("read", {"uri": uri("demo://nowhere")}),
        ("prompt", {"name": prompt("simple-prompt"), "arguments": {}}),
        ("prompt", {"name": prompt("args-prompt"), "arguments": {"city": "Paris", "state": "France"}}),
        ("prompt", {"name": prompt("args-prompt"), "arguments": {}}),
        ("prompt", {"name": prompt("resource-prompt"), "arguments": {"resourceType": "Text", "resourceId": "1"}}),
        completed("department", "E", type="ref/prompt", name=prompt("completable-prompt")),
        team,
        completed("resourceId", "1", type="ref/resource", uri=uri(TEXT.format("{resourceId}"))),
        ("level", {"level": "debug"}),
        call("toggle-simulated-logging"),
        ("subscribe", {"uri": uri(TEXT.format(5))}),
        call("toggle-subscriber-updates"),
        ("until", {"notice": "notifications/resources/updated"}),
    ]


def replayed(client: str, era: str, target: list[str], steps: Steps, folder: Path, environment: Json) -> Json:
    python = pip_installed("mcp1") / "python" if client == "python1" else sys.executable
    done = subprocess.run(
        [str(python), str(CLIENTS / "replay.py"), era, *target],
        cwd=folder,
        env=environment,
        input=json.dumps(steps),
        capture_output=True,
        text=True,
        check=False,
        timeout=150,
    )
    assert done.returncode == 0, done.stderr
    told: Json = json.loads(done.stdout)
    return told


@cache
def direct(client: str) -> Json:
    """What the server says when nobody is between."""
    folder = npm_installed("node", ROOT / "tests/node")
    server = Others(folder, folder).everything()
    environment = {"PATH": str(Path(NODE).parent), "HOME": str(folder)}
    target = [server["command"], *server["args"]]
    return replayed(client, "legacy", target, conversation(AS_THEY_ARE), folder, environment)


def as_there(value: Any) -> Any:
    """What came through, in the server's own names, without what differs from one moment or session to the next."""
    text = json.dumps(value).replace('"mcp://everything/', '"').replace('"everything__', '"')
    text = re.sub(r"created at [0-9:]+ [AP]M", "created then", text)
    text = re.sub(r"for session \S+", "for a session", text)
    return json.loads(re.sub(r'"blob": "UmVzb3VyY2U[^"]*"', '"blob": "a resource"', text))


def same(step: str, ours: Json, theirs: Json) -> None:
    """Results are the same; lists have theirs among ours; refusals have the code and none of the words."""
    ours, theirs = as_there(ours), as_there(theirs)
    if "error" in theirs:
        assert ours["error"]["code"] == theirs["error"]["code"]
        assert theirs["error"]["message"] not in ours["error"]["message"]
    elif step in ANSWERED:
        key = ANSWERED[step]
        known = {one["name"]: {**one, "_meta": None} for one in ours["result"][key]}
        for one in theirs["result"][key]:
            assert known.get(one["name"]) == {**one, "_meta": None}
    elif theirs["result"]:
        common = {"resultType", "ttlMs", "cacheScope", "_meta"}
        assert {k: v for k, v in ours["result"].items() if k not in common} == {
            k: v for k, v in theirs["result"].items() if k not in common
        }


def compared(through: Json, there: Json, era: str) -> None:
    for (step, _), ours, theirs in zip(conversation(AS_THEY_ARE), through["came"], there["came"], strict=True):
        same(step, ours, theirs)
    assert [questions(one) for one in through["asked"]] == [as_told(questions(one)) for one in there["asked"]]
    assert progress(through) == progress(there) == [(1, 3), (2, 3), (3, 3)]
    assert MOUNTED.uri(TEXT.format(5)) in [
        notice["params"]["uri"] for notice in through["notices"] if notice["method"].endswith("resources/updated")
    ]
    if era == "legacy":
        said = [str(notice["params"]["data"]) for notice in through["notices"] if notice["method"].endswith("/message")]
        assert any("level message" in text or "level-message" in text for text in said)


def questions(asked: Json) -> Json:
    return {"method": asked["method"], **{k: v for k, v in asked["params"].items() if k not in {"mode", "_meta"}}}


def as_told(question: Json) -> Json:
    """A person is told whose question it is."""
    if question["method"] != "elicitation/create":
        return question
    return {**question, "message": f"The MCP server everything asks:\n\n{question['message']}"}


def progress(told: Json) -> list[tuple[float, float]]:
    """As the callback of the SDK got it, without the word of ours that a server is being started."""
    notices = [notice["params"] for notice in told["notices"] if notice["method"] == "notifications/progress"]
    return [(one["progress"], one["total"]) for one in notices if "progressToken" not in one and one["total"]]


def activated(client: str, era: str, target: list[str], premises: Premises) -> Json:
    steps = [("call", {"name": "mcp_activate", "arguments": {"name": "everything"}}), *conversation(MOUNTED)]
    told = replayed(client, era, target, steps, premises.repo, premises.environment)
    mounted = told["came"].pop(0)["result"]
    assert not mounted.get("isError"), mounted
    return told


@pytest.fixture
def premises(tmp_path: Path, others: Others) -> Premises:  # noqa: F811
    return Premises(tmp_path, {"everything": others.everything()})


@pytest.mark.proves("gate:pass:everything")
@pytest.mark.parametrize(("client", "era"), FRONTS, ids=str)
def test_everything_passes_through_over_stdio(client: str, era: str, premises: Premises) -> None:
    compared(activated(client, era, [*DEEDLOG, "mcp", "serve"], premises), direct(client), era)


@pytest.mark.proves("gate:pass:everything")
@pytest.mark.parametrize(("client", "era"), FRONTS, ids=str)
def test_everything_passes_through_over_http(client: str, era: str, premises: Premises) -> None:
    with premises.http() as server:
        compared(activated(client, era, [f"http://127.0.0.1:{server.port}/mcp"], premises), direct(client), era)


@contextmanager
def listening(server: Json, manner: str, folder: Path) -> Iterator[int]:
    """The reference server as a server over HTTP: streamable, or the older SSE."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    environment = {"PATH": str(Path(NODE).parent), "HOME": str(folder), "PORT": str(port)}
    process = subprocess.Popen(
        [server["command"], *server["args"], manner], env=environment, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stderr
        for line in process.stderr:
            if str(port) in line:
                break
        yield port
    finally:
        process.kill()
        process.communicate()


@pytest.mark.proves("gate:pass:everything")
@pytest.mark.parametrize(("manner", "kind", "path"), [("streamableHttp", "http", "mcp"), ("sse", "sse", "sse")])
def test_everything_passes_through_from_a_server_over_http(
    manner: str,
    kind: str,
    path: str,
    others: Others,  # noqa: F811
    tmp_path: Path,
) -> None:
    with listening(others.everything(), manner, tmp_path) as port:
        premises = Premises(tmp_path, {"everything": {"type": kind, "url": f"http://127.0.0.1:{port}/{path}"}})
        compared(activated("python2", "legacy", [*DEEDLOG, "mcp", "serve"], premises), direct("python2"), "legacy")


def test_a_link_that_a_tool_gives_can_be_followed(premises: Premises) -> None:
    with premises.talker() as client:
        client.answer("mcp_activate", name="everything")
        data = {"name": "c.gz", "data": "data:text/plain,hello", "outputType": "resourceLink"}
        seen = len(client.notices)
        (link,) = client.call("everything__gzip-file-as-resource", **data)["content"]
        (content,) = client.request("resources/read", {"uri": link["uri"]})["contents"]
        assert gzip.decompress(b64decode(content["blob"])) == b"hello"
        client.heard("notifications/resources/list_changed", since=seen)
        assert link["uri"] in [one["uri"] for one in client.listed("resources")]


def test_a_server_sees_the_project_and_nothing_of_ours(others: Others, tmp_path: Path) -> None:  # noqa: F811
    mine = others.everything() | {"env": {"ITS_OWN_KEY": "its own"}}
    premises = Premises(tmp_path, {"everything": mine})
    premises.environment["SOMEBODY_ELSES_TOKEN"] = "hidden"
    with premises.talker() as client:
        client.answer("mcp_activate", name="everything")
        (seen,) = client.call("everything__get-env")["content"]
        environment = json.loads(seen["text"])
        assert environment["ITS_OWN_KEY"] == "its own"
        assert {"PATH", "HOME"} <= environment.keys()
        assert not {"SOMEBODY_ELSES_TOKEN", "DEEDLOG_TOKEN"} & environment.keys()
        (roots,) = client.call("everything__get-roots-list")["content"]
        assert premises.repo.as_uri() in roots["text"]


def test_a_cancelled_call_is_cancelled_there_too(premises: Premises) -> None:
    with premises.talker() as client:
        client.answer("mcp_activate", name="everything")
        arguments = {"duration": 600, "steps": 6000}
        params = {"name": "everything__trigger-long-running-operation", "arguments": arguments}
        number = client.begin("tools/call", {**params, "_meta": {"progressToken": "p"}})
        assert client.heard("notifications/progress")["params"]["progressToken"] == "p"
        client.notify("notifications/cancelled", {"requestId": number, "reason": "changed my mind"})
        until(lambda: "cancelled" in premises.cli("mcp", "calls", "--json"))
        assert not client.call("everything__echo", message="on we go").get("isError")
