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
