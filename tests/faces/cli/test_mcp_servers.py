"""Servers and their keys on the command line: `deedlog mcp add`, `deedlog mcp secret set`."""

from __future__ import annotations

import json
import os
import pty
from pathlib import Path
from stat import S_IMODE
from typing import Any

import pytest

from tests.faces.cli.running import COMMAND, Cli


def own(cli: Cli, name: str) -> Path:
    return Path(cli.environment["HOME"]) / ".config/deedlog" / name


def servers(cli: Cli) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(own(cli, "servers.json").read_text())["mcpServers"]
    return found


def test_a_server_is_added_as_one_would_say_it(cli: Cli) -> None:
    assert cli.run("mcp", "add", "clock", "sh", "run.sh", "fast").returncode == 0
    assert cli.run("mcp", "add", "docs", "--url", "https://h.invalid/mcp").returncode == 0
    assert cli.run("mcp", "add", "files", "--env", "KEY", "--", "sh", "-y", "@scope/files", "--x=1").returncode == 0
    assert servers(cli) == {
        "clock": {"command": "sh", "args": ["run.sh", "fast"], "cwd": str(cli.folder)},
        "docs": {"type": "http", "url": "https://h.invalid/mcp"},
        "files": {"command": "sh", "args": ["-y", "@scope/files", "--x=1"], "env": {"KEY": "${KEY}"}},
    }


def test_servers_are_listed_as_a_table_that_names_what_is_missing(cli: Cli) -> None:
    cli.run("mcp", "add", "tool", "sh", "--env", "TOOL_KEY")
    code, shown = cli.on_terminal("mcp", "environment", "--category", "other", columns=120)
    assert code == 0
    assert "missing-credentials" in next(line for line in shown.splitlines() if line.startswith("tool"))
    assert "TOOL_KEY" in shown


@pytest.mark.proves("gate:secret:private-file")
def test_a_key_is_read_from_standard_input_and_kept_in_a_private_file(cli: Cli) -> None:
    cli.run("mcp", "add", "tool", "sh", "--env", "TOOL_KEY")
    done = cli.run("mcp", "secret", "set", "TOOL_KEY", stdin="hunter2\n")
    assert done.returncode == 0
    assert "hunter2" not in done.stdout + done.stderr
    path = own(cli, "secrets.json")
    assert json.loads(path.read_text()) == {"TOOL_KEY": "hunter2"}
    assert S_IMODE(path.stat().st_mode) == 0o600
    shown = cli.run("mcp", "show", "tool", "--json").stdout
    assert json.loads(shown)["status"] == "available"
    assert "hunter2" not in shown
    assert json.loads(cli.run("mcp", "secret", "list", "--json").stdout) == {
        "secrets": [{"key": "TOOL_KEY", "kept": "file"}]
    }


def test_a_key_that_is_typed_is_not_seen(cli: Cli) -> None:
    pid, terminal = pty.fork()
    if pid == 0:
        try:
            os.chdir(cli.folder)
            os.execve(COMMAND[0], [*COMMAND, "mcp", "secret", "set", "TOOL_KEY"], cli.environment)
        finally:
            os._exit(99)
    shown = b""
    while b"TOOL_KEY: " not in shown:
        shown += os.read(terminal, 1024)
    os.write(terminal, b"hunter2\n")
    while b"is kept in" not in shown:
        shown += os.read(terminal, 1024)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    os.close(terminal)
    assert json.loads(own(cli, "secrets.json").read_text()) == {"TOOL_KEY": "hunter2"}
    assert b"hunter2" not in shown


def test_a_key_is_never_an_argument(cli: Cli) -> None:
    done = cli.run("mcp", "secret", "set", "TOOL_KEY", "hunter2", stdin="other")
    assert done.returncode == 2
    assert not own(cli, "secrets.json").exists()


@pytest.mark.parametrize(("key", "value"), [("TOOL_KEY", ""), ("TOOL_KEY", "\n"), ("A B", "x"), ("TOOL_KEY", "a\0b")])
def test_what_is_no_key_is_refused(cli: Cli, key: str, value: str) -> None:
    done = cli.run("mcp", "secret", "set", key, stdin=value)
    assert done.returncode == 2
    assert not own(cli, "secrets.json").exists()


def test_a_key_is_forgotten_again(cli: Cli) -> None:
    cli.run("mcp", "secret", "set", "TOOL_KEY", stdin="hunter2")
    near = cli.run("mcp", "secret", "remove", "TOOL_KEZ")
    assert near.returncode != 0
    assert "TOOL_KEY" in near.stderr
    assert cli.run("mcp", "secret", "remove", "TOOL_KEY").returncode == 0
    assert json.loads(own(cli, "secrets.json").read_text()) == {}


def test_a_file_of_keys_that_others_can_read_is_refused_and_doctor_tells_how_to_mend_it(cli: Cli) -> None:
    cli.run("mcp", "secret", "set", "TOOL_KEY", stdin="hunter2")
    own(cli, "secrets.json").chmod(0o644)
    (cli.folder / ".mcp.json").write_text("{")
    for words in (("list",), ("set", "OTHER"), ("remove", "TOOL_KEY")):
        done = cli.run("mcp", "secret", *words, stdin="x")
        assert done.returncode != 0
        assert "chmod 600" in done.stderr
    told = json.loads(cli.run("doctor", "--json").stdout)
    assert any("chmod 600" in warning for warning in told["warnings"])
    assert any(".mcp.json says nothing" in warning for warning in told["warnings"])
    assert told["ok"]


def test_names_of_servers_and_of_kept_keys_are_completed(cli: Cli) -> None:
    cli.run("mcp", "add", "my-tool", "sh")
    cli.run("mcp", "secret", "set", "TOOL_KEY", stdin="hunter2")
    assert cli.run("__complete", "--", "mcp", "remove", "my-").stdout == "my-tool\n"
    assert cli.run("__complete", "--", "mcp", "secret", "remove", "T").stdout == "TOOL_KEY\n"


def test_keys_are_the_users_also_outside_of_a_project(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    outside = Cli(tmp_path / "elsewhere", Path(cli.environment["HOME"]))
    assert outside.run("mcp", "secret", "set", "TOOL_KEY", stdin="hunter2").returncode == 0
    assert "TOOL_KEY" in cli.run("mcp", "secret", "list").stdout


def test_kept_keys_are_aligned_and_one_that_takes_the_place_of_another_says_so(cli: Cli) -> None:
    assert "place" not in cli.run("mcp", "secret", "set", "TOOL_KEY", stdin="hunter2").stdout
    assert "(in place of the one before)" in cli.run("mcp", "secret", "set", "TOOL_KEY", stdin="hunter3").stdout
    assert "(2 lines)" in cli.run("mcp", "secret", "set", "A", stdin="-----BEGIN\nx\n").stdout
    assert sorted(cli.run("mcp", "secret", "list").stdout.splitlines()) == [
        "A         file",
        "TOOL_KEY  file",
        "key       kept",
    ]


def test_a_policy_has_no_id_and_a_call_none_to_be_asked_for(cli: Cli) -> None:
    cli.run("mcp", "add", "tool", "sh")
    done = cli.run("mcp", "policy", "tool", "x*", "deny", "--quiet")
    assert (done.returncode, done.stdout) == (0, "")
    assert cli.run("mcp", "call", "mcp_environment", "--quiet").returncode == 2


def test_at_a_terminal_it_says_that_it_waits_for_a_client(cli: Cli) -> None:
    code, shown = cli.on_terminal("mcp", "serve", typed="\x04")
    assert code == 0
    assert "waiting for messages of an MCP client" in shown
