"""Which values of a configuration are secrets, and the configuration without them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from deedlog.core.gate.approval import approval, approving, is_approved
from deedlog.core.gate.secrecy import HIDDEN, SET, line, literals, plain, shown
from deedlog.core.gate.server import Server, called

KEY = "ghp_" + "a1B2" * 9


@pytest.mark.parametrize(
    "fields",
    [
        {"env": {"ANYTHING": KEY}},
        {"env": {"GITHUB_TOKEN": "hunter2"}},
        {"env": {"DATABASE": "postgres://u:hunter2@h/db"}},
        {"args": ["--api-key", "hunter2"]},
        {"args": ["--api-key=hunter2"]},
        {"args": [KEY]},
        {"args": ["-e", "TOKEN=hunter2"]},
        {"args": ["https://h/?apiKey=hunter2"]},
        {"transport": "http", "url": "https://h/?apiKey=hunter2"},
        {"transport": "http", "url": "https://u:hunter2@h/"},
        {"transport": "http", "url": "https://h/", "headers": {"Authorization": "Bearer hunter2"}},
        {"transport": "http", "url": "https://h/", "headers": {"X-Api-Key": "hunter2"}},
    ],
)
@pytest.mark.proves("gate:secret:only-its-server")
def test_a_key_in_plain_text_is_found_and_never_shown(fields: dict[str, Any]) -> None:
    server = Server(**{"name": "x", "command": "run", **fields})
    assert plain(server)
    assert any(value in (KEY, "hunter2") for value in literals(server))
    told = json.dumps(shown(server)) + line(server)
    assert "hunter2" not in told
    assert KEY not in told


@pytest.mark.parametrize(
    "fields",
    [
        {"env": {"GITHUB_TOKEN": "${GITHUB_TOKEN}", "DEBUG": "1", "KEY_FILE": "/etc/key", "AUTH": "true"}},
        {"env": {"TOKEN": "YOUR_TOKEN"}},
        {"args": ["-y", "@modelcontextprotocol/server-everything", "--port", "80", "--token", "${T}"]},
        {"transport": "http", "url": "https://h/mcp?region=eu", "headers": {"Authorization": "Bearer ${T}"}},
    ],
)
def test_references_and_ordinary_values_are_no_secrets(fields: dict[str, Any]) -> None:
    assert plain(Server(**{"name": "x", "command": "run", **fields})) == []


def test_what_is_shown_has_references_and_no_values() -> None:
    server = Server(name="x", command="run", args=["--key", KEY, "a b"], env={"A": "${A}", "B": "odd", "C": "1 ${C}"})
    assert shown(server)["env"] == {"A": "${A}", "B": SET, "C": SET}
    assert line(server) == f"run --key '{HIDDEN}' 'a b'"


def test_an_approval_is_of_one_program_in_one_project() -> None:
    server = Server(name="x", command="run", args=["./a.sh"], brought=True)
    mark = approval(server, "/one")
    assert approval(server.replace(description="other", policy={"*": "deny"}), "/one") == mark
    assert approval(server.replace(args=["./b.sh"]), "/one") != mark
    assert approval(server.replace(env={"LD_PRELOAD": "x"}), "/one") != mark
    assert approval(server.replace(required=["GITHUB_TOKEN"]), "/one") != mark
    assert approval(server.replace(optional=["GITHUB_TOKEN"]), "/one") != mark
    assert approval(server.replace(boot=True), "/one") != mark
    assert approval(server.replace(call_seconds=9), "/one") != mark
    assert approval(server, "/two") != mark


def test_an_approval_of_a_server_of_the_catalogue_holds_in_every_project() -> None:
    server = Server(name="x", command="npx", args=["-y", "x@1.0.0"])
    assert approval(server, "/one") == approval(server, "/two")
    assert approval(server, "/one") != approval(server.replace(args=["-y", "x@1.0.1"]), "/one")


def test_approvals_of_several_projects_stand_beside_each_other() -> None:
    first = approving(None, "a")
    assert first == "a"
    both = approving(first, "b")
    assert is_approved(both, "a")
    assert is_approved(both, "b")
    assert approving(both, "a") == both
    assert not is_approved(None, "a")
    assert not is_approved({"a": 1}, "b")


@pytest.mark.parametrize(
    ("given", "ours"),
    [
        ("My Server", "my-server"),
        ("GitHub", "github"),
        ("a__b", "a-b"),
        ("@scope/x", "scope-x"),
        ("Été", "ete"),
        (" ", ""),
    ],
)
def test_servers_are_called_by_plain_names(given: str, ours: str) -> None:
    assert called(given) == ours


def test_a_name_in_another_script_becomes_one_that_stays_the_same() -> None:
    assert called("天気") == called("天気") != called("地図")
    assert called("天気").startswith("server-")


@pytest.mark.proves("gate:approval:shown")
def test_what_a_repository_wants_to_run_is_shown_whole() -> None:
    hidden_code = "PASSWORD=$(touch evil); api_key: aB3$(touch${IFS}evil)"
    server = Server(
        name="x",
        command="sh",
        args=["-c", hidden_code, KEY],
        env={"NODE_OPTIONS": "--require ./evil.js", "PATH": "${HOME}/evil:/bin", "TOKEN": "hunter2", "T": "${T}"},
        brought=True,
    )
    told = shown(server)
    assert told["args"] == ["-c", hidden_code, HIDDEN]
    assert told["env"] == {
        "NODE_OPTIONS": "--require ./evil.js",
        "PATH": "${HOME}/evil:/bin",
        "TOKEN": SET,
        "T": "${T}",
    }
    before = "NODE_OPTIONS='--require ./evil.js' PATH='${HOME}/evil:/bin' TOKEN='(set)' sh -c "
    assert line(server).startswith(before)
    assert hidden_code in line(server)
