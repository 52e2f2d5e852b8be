"""`deedlog mcp call --server`: a tool of another server on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.engines.gateway.stub_server import stub
from tests.faces.cli.running import Cli


@pytest.fixture
def cli(cli: Cli, tmp_path: Path) -> Cli:
    folder = tmp_path / "home/.config/deedlog"
    folder.mkdir(parents=True)
    command, *args = stub("--just", "echo,fail,refuse")
    (folder / "servers.json").write_text(json.dumps({"mcpServers": {"stub": {"command": command, "args": args}}}))
    assert cli.run("mcp", "activate", "stub").returncode == 0
    return cli


@pytest.mark.proves("gate:call:frozen-lists")
def test_the_texts_of_a_result_are_shown_and_all_of_it_as_json(cli: Cli) -> None:
    words = ("mcp", "call", "echo", "--server", "stub", "--arguments", '{"a": 1}')
    done = cli.run(*words)
    assert (done.returncode, done.stdout) == (0, '{"a": 1}\n')
    assert json.loads(cli.run(*words, "--json").stdout)["x-unknown"] == "kept"


def test_a_tool_that_fails_ends_the_command_with_another_exit_code(cli: Cli) -> None:
    done = cli.run("mcp", "call", "stub__fail", "--arguments", '{"text": "no \\u001b[31mway"}')
    assert (done.returncode, done.stdout) == (6, "no \\x1b[31mway\n")


def test_what_a_server_says_when_it_refuses_is_beside_our_words(cli: Cli) -> None:
    done = cli.run("mcp", "call", "refuse", "--server", "stub", "--arguments", '{"text": "not today"}')
    assert done.returncode == 1
    assert done.stderr.splitlines()[:2] == ["stub said: not today", "error: stub refused tools/call"]


@pytest.fixture
def asked(cli: Cli) -> Cli:
    assert cli.run("mcp", "policy", "stub", "echo", "ask").returncode == 0
    return cli


ECHO = ("mcp", "call", "echo", "--server", "stub", "--arguments", '{"a": 1}')


@pytest.mark.parametrize(
    ("typed", "status"), [("y\n", 0), ("once\n", 0), ("\n", 6), ("n\n", 6), ("no\n", 6), ("what\n", 6)]
)
def test_who_types_a_call_that_the_policy_asks_about_is_asked(asked: Cli, typed: str, status: int) -> None:
    code, shown = asked.on_terminal(*ECHO, typed=typed)
    assert code == status
    assert "tester wants to call a tool of another MCP server" in shown
    assert "[y/N/always/never]" in shown
    assert ("the user did not let stub__echo through" in shown) == bool(status)
    assert asked.run(*ECHO).returncode == 6, "it was said for once"


@pytest.mark.parametrize(("typed", "first", "then"), [("always\n", 0, 0), ("never\n", 6, 6)])
def test_what_is_said_for_good_is_not_asked_again(asked: Cli, typed: str, first: int, then: int) -> None:
    assert asked.on_terminal(*ECHO, typed=typed)[0] == first
    code, shown = asked.on_terminal(*ECHO)
    assert code == then
    assert "wants to call" not in shown


def test_without_a_terminal_nobody_is_asked(asked: Cli) -> None:
    done = asked.run(*ECHO, stdin="y\n")
    assert done.returncode == 6
    assert "nobody could be asked about stub__echo" in done.stderr


@pytest.mark.proves("face:cli:readable")
def test_who_waits_for_a_server_sees_what_is_started(cli: Cli) -> None:
    for words, seen in (
        (("mcp", "test", "stub"), "starting stub: "),
        (("mcp", "call", "echo", "--server", "stub"), "calling stub"),
    ):
        code, shown = cli.on_terminal(*words)
        assert code == 0
        assert f"\r\x1b[K{seen}" in shown
        assert seen not in cli.run(*words).stderr


def test_what_a_program_said_before_it_ended_is_shown(cli: Cli) -> None:
    cli.run("mcp", "add", "broken", "sh", "nowhere.sh")
    done = cli.run("mcp", "test", "broken")
    assert done.returncode == 1
    assert "nowhere.sh" in done.stderr


def test_what_is_not_possible_in_its_state_has_one_exit_code(cli: Cli) -> None:
    assert cli.run("mcp", "deactivate", "stub").returncode == 0
    assert cli.run("mcp", "deactivate", "stub").returncode == 6
    done = cli.run("mcp", "call", "echo", "--server", "stub")
    assert done.returncode == 6
    assert "hint: mount it with `deedlog mcp activate stub`" in done.stderr
