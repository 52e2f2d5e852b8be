from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from deedlog.core.errors import Invalid
from deedlog.faces.cli.connect.client import CLIENTS, merged
from deedlog.faces.cli.connect.edit import with_server
from deedlog.faces.cli.connect.reach import unreachable
from tests.faces.cli.running import Cli

ENTRY = {"command": "deedlog", "args": ["mcp", "serve"]}
OVER_HTTP = {"url": "http://127.0.0.1:4747/mcp", "http_headers": {"Authorization": "Bearer t"}}
FILES = {
    "claude-code": ".mcp.json",
    "gemini-cli": ".gemini/settings.json",
    "cursor": ".cursor/mcp.json",
    "vscode": ".vscode/mcp.json",
}


def tree(folder: Path) -> dict[str, bytes]:
    """Every file but those of the store."""
    files = [path for path in folder.rglob("*") if path.is_file() and "deedlog" not in path.parts]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.proves("project:init:prepares")
def test_a_repository_is_prepared_and_a_second_time_nothing_changes(cli: Cli) -> None:
    first = cli.run("init")
    assert first.returncode == 0, first.stderr
    assert (cli.folder / ".git/deedlog/ledger.db").is_file()
    assert (cli.folder / ".deedlog").is_dir()
    before = tree(cli.folder)
    assert b".deedlog" not in before[".git/info/exclude"]
    assert before[".deedlog/.gitignore"].endswith(b"*\n!/config.toml\n!/clarify.toml\n!/servers.json\n")
    assert cli.run("init").stdout == first.stdout
    assert tree(cli.folder) == before


@pytest.mark.proves("project:init:prepares")
def test_a_plain_folder_becomes_a_project_that_its_subfolders_find(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    (folder / "sub").mkdir(parents=True)
    cli = Cli(folder, tmp_path / "home")
    assert cli.run("workflow", "list").returncode == 3
    assert cli.run("init").returncode == 0
    assert cli.run("-C", "sub", "workflow", "start", "x").returncode == 0
    assert (folder / ".deedlog/store/ledger.db").is_file()
    assert not (folder / "sub/.deedlog").exists()


@pytest.mark.proves("store:place:untracked")
def test_the_configuration_that_an_earlier_version_hid_can_be_shared(cli: Cli) -> None:
    git = ["git", "-C", str(cli.folder)]
    rules = cli.folder / ".git/info/exclude"
    rules.parent.mkdir(exist_ok=True)
    rules.write_text("*.log\n/.deedlog/\n")
    first, second = cli.run("init"), cli.run("init")
    assert "its config.toml can be committed" in first.stderr
    assert "config.toml" not in second.stderr
    assert rules.read_text() == "*.log\n"
    (cli.folder / ".deedlog/config.toml").write_text('[areas]\nauth = ["src/auth/"]\n')
    subprocess.run([*git, "add", "--all"], check=True)
    staged = subprocess.run([*git, "diff", "--cached", "--name-only"], check=True, capture_output=True).stdout
    assert staged == b".deedlog/config.toml\n"


@pytest.mark.proves("project:init:shows-first")
def test_a_dry_run_shows_every_change_and_writes_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    cli = Cli(folder, tmp_path / "home")
    for more in ([], ["--http"]):
        done = cli.run("init", "--all", "--dry-run", *more)
        assert done.returncode == 0
        for file in (*FILES.values(), "config.toml"):
            assert f"{file}\n@@" in done.stderr
        assert '+      "command": ' in done.stderr or more
        assert list(folder.iterdir()) == []
        assert not (tmp_path / "home").exists()


def test_one_client_and_all_of_them_are_all_of_them(cli: Cli) -> None:
    done = cli.run("init", "--client", "codex", "--all", "--dry-run")
    assert all(f"{name}: " in done.stdout for name in CLIENTS)
    assert done.stderr.endswith("}\n\n")  # what follows is the summary


@pytest.mark.proves("project:init:clients")
@pytest.mark.parametrize("name", CLIENTS)
def test_each_client_gets_a_command_that_starts_the_server(cli: Cli, tmp_path: Path, name: str) -> None:
    done = cli.run("init", "--client", name, "--yes")
    assert done.returncode == 0, done.stderr
    entry = read_entry(cli, tmp_path, name)
    words = [entry["command"], *entry["args"]]
    assert words[-2:] == ["mcp", "serve"]
    assert entry.get("type") == ("stdio" if CLIENTS[name].typed else None)
    started = [word.replace("${workspaceFolder}", str(cli.folder)) for word in words]
    answer = subprocess.run(
        started,
        cwd=cli.folder if "-C" not in words else "/",
        env=cli.environment,
        input=b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n',
        stdout=subprocess.PIPE,
        check=True,
        timeout=30,
    )
    assert json.loads(answer.stdout)["result"]["tools"]
    assert "connected already" in cli.run("init", "--client", name, "--yes").stdout


PROGRAM = Path(sys.prefix, "bin/deedlog")


def started(cli: Cli, program: Path, *folders: Path) -> tuple[str, str]:
    """The command that `init` configures when it is started as this program with these folders on the path."""
    path = os.pathsep.join([*map(str, folders), os.defpath])
    words = [str(program), "init", "--client", "claude-code", "--yes"]
    done = subprocess.run(
        words, cwd=cli.folder, env={**cli.environment, "PATH": path}, capture_output=True, text=True, check=True
    )
    return json.loads((cli.folder / ".mcp.json").read_text())["mcpServers"]["deedlog"]["command"], done.stderr


@pytest.mark.proves("project:init:command")
def test_a_command_that_other_programs_may_not_find_is_named_in_full(cli: Cli, tmp_path: Path) -> None:
    others = tmp_path / "others"
    others.mkdir()
    (others / "deedlog").write_text("#!/bin/sh\n")
    (others / "deedlog").chmod(0o755)
    for folders in ([], [PROGRAM.parent], [others, PROGRAM.parent]):
        command, said = started(cli, PROGRAM, *folders)
        assert command == str(PROGRAM)
        assert f"{PROGRAM} is named in full" in said


@pytest.mark.proves("project:init:command")
def test_a_command_that_is_installed_for_every_program_is_named_shortly(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/deedlog").symlink_to(PROGRAM)
    command, said = started(cli, tmp_path / "bin/deedlog", tmp_path / "bin", PROGRAM.parent)
    assert command == "deedlog"
    assert "named in full" not in said


@pytest.mark.proves("project:init:command")
@pytest.mark.parametrize("name", CLIENTS)
def test_the_doctor_tells_when_a_client_s_command_is_gone(cli: Cli, tmp_path: Path, name: str) -> None:
    cli.run("init", "--client", name, "--yes")
    assert cli.run("doctor").stdout.endswith("all is well\n")
    file = tmp_path / "home/.codex/config.toml" if name == "codex" else cli.folder / FILES[name]
    file.write_text(file.read_text().replace(sys.executable, "/gone/python"))
    done = cli.run("doctor")
    assert done.returncode == 0
    warning = f"warning: {CLIENTS[name].title} cannot start Deedlog: /gone/python is not there ({file}); `deedlog init"
    assert warning in done.stdout
    cli.run("init", "--client", name, "--yes")
    assert cli.run("doctor").stdout.endswith("all is well\n")


@pytest.mark.parametrize(
    ("entry", "is_told"),
    [
        ({"command": "deedlog-that-nobody-has"}, True),
        ({"command": "tools/deedlog"}, True),
        ({"command": "sh"}, False),
        ({"command": "sh", "env": {"PATH": "/nowhere"}}, True),
        ({"command": "${workspaceFolder}/deedlog"}, False),
        ({"command": 5}, False),
        ({"url": "http://127.0.0.1:4747/mcp"}, False),
        ("odd", False),
    ],
)
def test_only_a_command_that_is_surely_missing_is_told(tmp_path: Path, entry: object, *, is_told: bool) -> None:
    (tmp_path / ".mcp.json").write_text(json.dumps({"mcpServers": {"deedlog": entry}}))
    (tmp_path / ".gemini").mkdir()
    (tmp_path / ".gemini/settings.json").write_text("{ not json")
    told = unreachable(str(tmp_path), {"HOME": str(tmp_path), "PATH": os.defpath})
    assert bool(told) is is_told


def read_entry(cli: Cli, home: Path, name: str) -> Any:
    if name == "codex":
        return tomllib.loads((home / "home/.codex/config.toml").read_text())["mcp_servers"]["deedlog"]
    return json.loads((cli.folder / FILES[name]).read_text())[CLIENTS[name].section]["deedlog"]


@pytest.mark.proves("project:init:clients", "secret:never-shown")
def test_over_http_each_client_gets_the_address_and_the_token(cli: Cli, tmp_path: Path) -> None:
    (cli.folder / ".mcp.json").write_text("{} // a comment")
    refused = cli.run("init", "--all", "--yes", "--http")
    assert refused.returncode == 3
    (cli.folder / ".mcp.json").write_text("{}")
    (cli.folder / ".mcp.json").chmod(0o644)
    done = cli.run("init", "--all", "--yes", "--http")
    assert done.returncode == 0
    token = cli.run("config", "get", "token").stdout.strip()
    assert len(token) == 64
    assert "Bearer (the token" in done.stderr
    assert token not in done.stderr + done.stdout + refused.stderr
    for name, client in CLIENTS.items():
        entry = read_entry(cli, tmp_path, name)
        assert entry["url"] == "http://127.0.0.1:4747/mcp"
        assert entry[client.headers] == {"Authorization": f"Bearer {token}"}
        assert "command" not in entry
    assert stat.S_IMODE((cli.folder / ".mcp.json").stat().st_mode) == 0o600
    assert cli.run("init", "--all", "--yes").returncode == 0
    assert all(set(read_entry(cli, tmp_path, name)) <= {"type", "command", "args"} for name in CLIENTS)


@pytest.mark.proves("secret:never-shown")
@pytest.mark.parametrize("tracked", [False, True])
def test_the_token_that_is_written_during_a_task_is_not_in_its_recorded_changes(cli: Cli, *, tracked: bool) -> None:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c"]
    file = cli.folder / ".mcp.json"
    if tracked:
        file.write_text("{}\n")
        subprocess.run([*git, "add", "."], cwd=cli.folder, check=True)
        subprocess.run([*git, "commit", "-qm", "a"], cwd=cli.folder, check=True)
    workflow = json.loads(cli.run("workflow", "start", "House", "--json").stdout)["workflow_id"]
    started = cli.run("task", "start", workflow, "Connect", "--goal", "Agents over HTTP", "--json")
    task = json.loads(started.stdout)["task_id"]
    assert cli.run("init", "--client", "claude-code", "--yes", "--http").returncode == 0
    token = cli.run("config", "get", "token").stdout.strip()
    assert token in file.read_text()
    listed = subprocess.run(["git", "status", "--short"], cwd=cli.folder, check=True, capture_output=True, text=True)
    assert (".mcp.json" in listed.stdout) == tracked
    shown = [cli.run("task", "changes", task, "--json").stdout, cli.run("task", "patch", task).stdout]
    assert cli.run("task", "complete", task, "success", "done").returncode == 0
    shown += [cli.run("task", "changes", task, "--json").stdout, cli.run("task", "patch", task).stdout]
    assert token not in "".join(shown)
    assert ("Bearer (hidden)" in shown[-1]) == tracked


@pytest.mark.proves("project:init:shows-first")
def test_on_a_terminal_each_client_is_asked_about_after_its_change_was_shown(cli: Cli, tmp_path: Path) -> None:
    code, shown = cli.on_terminal("init", typed="y\nn\nno\nyes\n\n")
    assert code == 0
    assert shown.index('+    "deedlog"') < shown.index("Write this into")
    assert shown.count("[y/N]") == 5
    assert (cli.folder / ".mcp.json").exists()
    assert (cli.folder / ".cursor/mcp.json").exists()
    assert not (cli.folder / ".vscode").exists()
    assert not (tmp_path / "home").exists()


def test_without_a_terminal_or_a_word_no_client_is_connected(cli: Cli) -> None:
    done = cli.run("init")
    assert "deedlog init --client" in done.stderr
    assert not (cli.folder / ".mcp.json").exists()
    refused = cli.run("init", "--all")
    assert refused.returncode == 2
    assert '"deedlog"' in refused.stderr
    assert not (cli.folder / ".mcp.json").exists()


@pytest.mark.proves("project:init:merges")
def test_a_file_that_cannot_be_merged_is_left_alone_with_the_text_to_paste(cli: Cli) -> None:
    file = cli.folder / ".mcp.json"
    file.write_text('{\n  // my servers\n  "mcpServers": {}\n}\n')
    done = cli.run("init", "--client", "claude-code", "--client", "gemini-cli", "--yes")
    assert done.returncode == 3
    assert file.read_text() == '{\n  // my servers\n  "mcpServers": {}\n}\n'
    assert '"mcpServers": {\n    "deedlog"' in done.stderr
    assert (cli.folder / ".gemini/settings.json").exists()


@pytest.mark.proves("project:init:merges")
def test_links_permissions_and_the_codex_home_are_respected(cli: Cli, tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles.json"
    kept.write_text("{}")
    kept.chmod(0o640)
    (cli.folder / ".mcp.json").symlink_to(kept)
    assert (
        cli.run("init", "--client", "claude-code", "--client", "codex", "--yes", CODEX_HOME=str(tmp_path)).returncode
        == 0
    )
    assert (cli.folder / ".mcp.json").is_symlink()
    assert "deedlog" in kept.read_text()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o640
    assert (tmp_path / "config.toml").is_file()
    assert not list(tmp_path.glob("*.tmp"))


def test_a_project_folder_that_cannot_be_made_is_said(cli: Cli) -> None:
    (cli.folder / ".deedlog").write_text("a file in its place")
    done = cli.run("init")
    assert done.returncode == 3
    assert ".deedlog cannot be made" in done.stderr


@pytest.mark.proves("project:init:merges")
def test_json_keeps_everything_else_its_indent_and_its_order() -> None:
    text = '{\n\t"z": [1.5, null],\n\t"mcpServers": {\n\t\t"other": {"command": "é"}\n\t},\n\t"a": "b"\n}\n'
    new = with_server("x.json", text, "mcpServers", ENTRY)
    found = json.loads(new)
    assert list(found) == ["z", "mcpServers", "a"]
    assert found["mcpServers"] == {"other": {"command": "é"}, "deedlog": ENTRY}
    assert '\n\t\t"other": {\n\t\t\t"command": "é"' in new
    assert with_server("x.json", new, "mcpServers", ENTRY) == new
    assert with_server("x.json", text.replace("\n", "\r\n"), "mcpServers", ENTRY) == new.replace("\n", "\r\n")


@pytest.mark.proves("project:init:merges")
@pytest.mark.parametrize(
    "text",
    ["[]", '{"mcpServers": []}', "{,}", '{"a": 1, "a": 2}', '{"a": 1,}', "/* x */ {}", "[" * 100_000, '"text"'],
)
def test_json_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(Invalid, match="is left alone") as refused:
        with_server("x.json", text, "mcpServers", ENTRY)
    assert '"deedlog"' in refused.value.hint


@pytest.mark.proves("project:init:merges")
def test_toml_keeps_comments_and_every_other_line() -> None:
    text = '# mine\nmodel = "x" # why\n\n[mcp_servers.other]\ncommand = "y"'
    new = with_server("x.toml", text, "mcp_servers", ENTRY)
    assert new == text + '\n\n[mcp_servers.deedlog]\ncommand = "deedlog"\nargs = ["mcp", "serve"]\n'
    assert with_server("x.toml", new, "mcp_servers", ENTRY) == new
    assert with_server("x.toml", "", "mcp_servers", ENTRY).startswith("[mcp_servers.deedlog]")


@pytest.mark.proves("project:init:merges")
def test_toml_replaces_only_the_transport_of_our_own_table() -> None:
    text = (
        '[mcp_servers."deedlog"] # ours\nurl = "old"\n# slow disk\nstartup_timeout_sec = 20\n'
        '[mcp_servers.deedlog.env]\nDEEDLOG_ACTOR = "me"\n[other]\ncommand = "stays"\n'
    )
    new = with_server("x.toml", text, "mcp_servers", ENTRY)
    assert tomllib.loads(new) == {
        "mcp_servers": {"deedlog": {**ENTRY, "startup_timeout_sec": 20, "env": {"DEEDLOG_ACTOR": "me"}}},
        "other": {"command": "stays"},
    }
    assert "# slow disk" in new
    assert "# ours" in new
    assert with_server("x.toml", new, "mcp_servers", ENTRY) == new
    with pytest.raises(Invalid, match="unusual way"):
        with_server("x.toml", new, "mcp_servers", OVER_HTTP)


@pytest.mark.proves("project:init:merges")
@pytest.mark.parametrize(
    "text",
    [
        "x = ",
        'mcp_servers = { other = { command = "x" } }',
        'mcp_servers = { deedlog = { command = "x" } }',
        '[mcp_servers]\ndeedlog.command = "x"',
        '[mcp_servers.deedlog]\nargs = [\n  "a",\n]\ncommand = "x"',
        'text = """\n[mcp_servers.deedlog]\n"""\n[mcp_servers]\ndeedlog = { command = "x" }',
        "mcp_servers = 5",
    ],
)
def test_toml_of_an_unusual_form_is_refused_rather_than_damaged(text: str) -> None:
    with pytest.raises(Invalid, match="is left alone") as refused:
        with_server("x.toml", text, "mcp_servers", ENTRY)
    assert "[mcp_servers.deedlog]" in refused.value.hint


def test_what_the_user_added_to_our_entry_stays() -> None:
    existing = {"command": "old", "args": ["mcp", "serve", "--enable-tx"], "env": {"A": "b"}, "alwaysLoad": True}
    assert merged(existing, ENTRY) == {**existing, "command": "deedlog"}
    by_module = {"command": "python", "args": ["-m", "deedlog", "mcp", "serve", "--enable-tx"]}
    assert merged(by_module, ENTRY)["args"] == ["mcp", "serve", "--enable-tx"]
    assert merged(ENTRY, by_module)["args"] == by_module["args"]
    assert merged({"command": "old", "args": ["other"]}, ENTRY) == ENTRY
    assert merged({"command": "old", "env": {"A": "b"}}, OVER_HTTP) == OVER_HTTP
    assert merged({"url": "old", "trust": True}, OVER_HTTP) == {"trust": True, **OVER_HTTP}
