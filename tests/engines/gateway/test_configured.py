"""Servers read from every file in which people keep them, and merged."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from deedlog.core.gate.approval import approval
from deedlog.core.gate.secrecy import shown
from deedlog.core.gate.server import CATALOGUE, Server
from deedlog.gateway.configuration.configured import Configured
from deedlog.gateway.places import Places

KNOWN = [
    Server(name="memory", description="Remembers", category="core", core=True, command="npx", args=["-y", "@m/memory"]),
    Server(
        name="github",
        description="Repositories",
        category="dev-tools",
        command="npx",
        args=["-y", "@m/github"],
        required=["GITHUB_TOKEN"],
        tools=["create_issue"],
    ),
    Server(
        name="docs",
        description="Documents",
        category="search",
        transport="http",
        url="https://d.invalid/mcp",
        auth="oauth",
    ),
]


class Home:
    """A user's home, a project and their files."""

    def __init__(self, folder: Path) -> None:
        self.home, self.root = folder / "home", folder / "repo"
        for each in (self.home, self.root):
            each.mkdir()
        self.environment = {"PATH": os.environ["PATH"]}
        self.places = Places(
            root=str(self.root),
            store=str(folder / "store"),
            state=str(self.root / ".deedlog"),
            user=str(self.home / ".config/deedlog"),
            home=str(self.home),
            environment=self.environment,
        )
        self.configured = Configured(self.places, lambda: KNOWN, ("http://127.0.0.1:4747",))

    def put(self, path: str, content: Any) -> Path:
        where = (self.home if path.startswith("~/") else self.root) / path.removeprefix("~/")
        where.parent.mkdir(parents=True, exist_ok=True)
        where.write_text(content if isinstance(content, str) else json.dumps(content))
        return where

    def server(self, name: str) -> Server:
        return next(server for server in self.configured.servers() if server.name == name)

    def names(self) -> list[str]:
        return [server.name for server in self.configured.servers()]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


def run(*words: str, **more: Any) -> dict[str, Any]:
    return {"command": words[0], "args": list(words[1:]), **more}


def servers(**named: Any) -> dict[str, Any]:
    return {"mcpServers": named}


def test_without_any_file_there_is_the_catalogue_by_category(home: Home) -> None:
    assert home.names() == ["memory", "docs", "github"]
    assert home.configured.warnings() == []
    assert {server.source for server in home.configured.servers()} == {CATALOGUE}


@pytest.mark.proves("gate:catalogue:merged")
@pytest.mark.parametrize(
    ("path", "content", "launch"),
    [
        (
            "~/.config/deedlog/servers.json",
            servers(x=run("a", "b")),
            {"transport": "stdio", "command": "a", "args": ["b"]},
        ),
        (
            "~/.claude.json",
            servers(x={"type": "http", "url": "https://h/mcp"}),
            {"transport": "http", "url": "https://h/mcp"},
        ),
        (
            "~/.config/Claude/claude_desktop_config.json",
            servers(x=run("a", env={"K": "v"})),
            {"transport": "stdio", "command": "a", "env": {"K": "v"}},
        ),
        (
            "~/Library/Application Support/Claude/claude_desktop_config.json",
            servers(x=run("a")),
            {"transport": "stdio", "command": "a"},
        ),
        (
            "~/.cursor/mcp.json",
            servers(x={"url": "https://h/sse", "headers": {"A": "Bearer ${env:T}"}}),
            {"transport": "sse", "url": "https://h/sse", "headers": {"A": "Bearer ${env:T}"}},
        ),
        (
            "~/.config/Code/User/mcp.json",
            '{ // mine\n "servers": {"x": {"type": "stdio", "command": "a", "args": ["//b", ], }, }, }',
            {"transport": "stdio", "command": "a", "args": ["//b"]},
        ),
        (
            "~/.codex/config.toml",
            '[mcp_servers.x]\ncommand = "a"\nargs = ["b"]\nenv_vars = ["Z"]\n[mcp_servers.x.env]\nK = "v"\n',
            {"transport": "stdio", "command": "a", "args": ["b"], "env": {"K": "v", "Z": "${Z}"}},
        ),
        (
            "~/.codex/config.toml",
            '[mcp_servers.x]\nurl="https://h/mcp"\nbearer_token_env_var="T"\nhttp_headers.A="b"\nenv_http_headers.C="D"',
            {
                "transport": "http",
                "url": "https://h/mcp",
                "headers": {"A": "b", "C": "${D}", "Authorization": "Bearer ${T}"},
            },
        ),
        (
            "~/.gemini/settings.json",
            servers(x={"httpUrl": "https://h/mcp", "headers": {"A": "b"}, "trust": True}),
            {"transport": "http", "url": "https://h/mcp", "headers": {"A": "b"}},
        ),
        (
            "~/.gemini/settings.json",
            servers(x={"url": "https://h/events", "type": "sse"}),
            {"transport": "sse", "url": "https://h/events"},
        ),
    ],
)
def test_servers_are_read_where_the_user_keeps_them(
    home: Home, path: str, content: Any, launch: dict[str, Any]
) -> None:
    written = home.put(path, content)
    before = written.read_bytes(), sorted(home.home.rglob("*"))
    found = home.server("x")
    assert found.launch == launch
    assert found.source == str(written)
    assert found.trusted
    assert (written.read_bytes(), sorted(home.home.rglob("*"))) == before


def test_the_url_of_gemini_is_an_event_stream_unless_it_says_otherwise(home: Home) -> None:
    home.put("~/.gemini/settings.json", servers(x={"url": "https://h/events"}, y={"url": "https://h/", "type": "http"}))
    assert (home.server("x").transport, home.server("y").transport) == ("sse", "http")


PROJECT_FILES = [
    (".deedlog/servers.json", servers(x=run("a"))),
    (".mcp.json", servers(x=run("a"))),
    (".cursor/mcp.json", servers(x=run("a"))),
    (".vscode/mcp.json", {"servers": {"x": run("a", type="stdio")}}),
    (".gemini/settings.json", servers(x=run("a"))),
    (".codex/config.toml", '[mcp_servers.x]\ncommand = "a"\n'),
]


@pytest.mark.proves("gate:catalogue:merged")
@pytest.mark.parametrize(("path", "content"), PROJECT_FILES)
def test_what_a_repository_brings_is_trusted_once_it_is_approved_of(home: Home, path: str, content: Any) -> None:
    home.put(path, content)
    found = home.server("x")
    assert not found.trusted
    mark = approval(found, str(home.root))
    home.put("~/.config/deedlog/servers.json", {"approved": {"x": mark}})
    assert home.server("x").trusted
    home.put(
        path, content.replace('"a"', '"b"') if isinstance(content, str) else json.dumps(content).replace('"a"', '"b"')
    )
    assert not home.server("x").trusted


@pytest.mark.proves("gate:approval:repository")
@pytest.mark.parametrize("more", [{"required": ["GITHUB_TOKEN"]}, {"boot": True}, {"callSeconds": 9}])
def test_what_was_approved_of_cannot_say_more_later(home: Home, more: Any) -> None:
    home.put(".mcp.json", servers(x=run("a")))
    home.put("~/.config/deedlog/servers.json", {"approved": {"x": approval(home.server("x"), str(home.root))}})
    assert home.server("x").trusted
    home.put(".mcp.json", servers(x=run("a", **more)))
    assert not home.server("x").trusted


def test_an_approval_covers_the_keys_that_the_catalogue_knows_of(home: Home) -> None:
    home.put(".mcp.json", servers(github=run("npx", "-y", "@m/github")))
    theirs = home.configured.candidates("github")[0]
    assert (theirs.required, theirs.trusted) == (["GITHUB_TOKEN"], False)
    home.put("~/.config/deedlog/servers.json", {"approved": {"github": approval(theirs, str(home.root))}})
    assert (home.server("github").trusted, home.server("github").brought) == (True, True)


@pytest.mark.parametrize("name", ["x", "memory"])
def test_no_server_of_a_repository_is_one_that_cannot_be_deactivated(home: Home, name: str) -> None:
    home.put(".mcp.json", servers(**{name: run("a", core=True)}))
    theirs = home.configured.candidates(name)[0]
    home.put("~/.config/deedlog/servers.json", {"approved": {name: approval(theirs, str(home.root))}})
    assert (home.server(name).trusted, home.server(name).core) == (True, False)


@pytest.mark.parametrize(
    ("url", "headers", "is_told"),
    [
        ("http://mcp.invalid/mcp", {"Authorization": "Bearer ${T}"}, True),
        ("http://mcp.invalid/mcp?key=${T}", {}, True),
        ("http://mcp.invalid/mcp", {}, False),
        ("https://mcp.invalid/mcp", {"Authorization": "Bearer ${T}"}, False),
        ("http://127.0.0.1:80/mcp", {"Authorization": "Bearer ${T}"}, False),
        ("http://localhost/mcp", {"Authorization": "Bearer ${T}"}, False),
        ("http://[::1]:8080/mcp", {"Authorization": "Bearer ${T}"}, False),
    ],
)
def test_keys_that_would_be_sent_unencrypted_are_warned_of(
    home: Home, url: str, headers: dict[str, str], *, is_told: bool
) -> None:
    home.put("~/.config/deedlog/servers.json", servers(x={"url": url, "headers": headers}))
    assert [warning for warning in home.configured.warnings() if "unencrypted" in warning] == (
        ["x is sent its keys unencrypted: its address begins with http://"] if is_told else []
    )


def test_a_repository_cannot_approve_of_its_own_servers(home: Home) -> None:
    home.put(".deedlog/servers.json", servers(x=run("a")))
    mark = approval(home.server("x"), str(home.root))
    home.put(".deedlog/servers.json", {**servers(x=run("a")), "approved": {"x": mark}})
    assert not home.server("x").trusted


def test_the_first_place_that_names_a_server_counts(home: Home) -> None:
    home.put("~/.gemini/settings.json", servers(x=run("gemini"), y=run("gemini")))
    home.put("~/.claude.json", {**servers(x=run("claude")), "projects": {str(home.root): servers(z=run("mine"))}})
    assert (home.server("x").command, home.server("y").command, home.server("z").command) == (
        "claude",
        "gemini",
        "mine",
    )
    home.put("~/.config/deedlog/servers.json", servers(x=run("ours")))
    assert home.server("x").command == "ours"
    assert [server.command for server in home.configured.candidates("X")] == ["ours", "claude", "gemini"]


def test_what_claude_code_keeps_for_this_project_comes_before_what_it_has_for_all(home: Home) -> None:
    projects = {str(home.root): {**servers(x=run("here")), "disabledMcpServers": ["y"]}, "/other": servers(o=run("o"))}
    home.put("~/.claude.json", {**servers(x=run("everywhere"), y=run("y")), "projects": projects})
    assert home.server("x").command == "here"
    assert home.server("y").disabled
    assert "o" not in home.names()


@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("~/.claude.json", lambda root: {"projects": {root: {"disabledMcpjsonServers": ["x"]}}}),
        (".claude/settings.local.json", lambda root: {"disabledMcpjsonServers": ["x"]}),
        ("~/.claude/settings.json", lambda root: {"disabledMcpjsonServers": ["x"]}),
    ],
)
def test_what_claude_code_was_told_to_leave_off_is_disabled(home: Home, path: str, content: Any) -> None:
    home.put(".mcp.json", servers(x=run("a"), y=run("b")))
    home.put(path, content(str(home.root)))
    assert (home.server("x").disabled, home.server("y").disabled) == (True, False)


def test_an_untrusted_server_never_takes_the_place_of_a_trusted_one(home: Home) -> None:
    home.put(".mcp.json", servers(github=run("evil"), x=run("evil")))
    home.put("~/.cursor/mcp.json", servers(x=run("mine")))
    assert home.server("x").command == "mine"
    assert home.server("github").source == CATALOGUE
    assert len([warning for warning in home.configured.warnings() if "which is not used" in warning]) == 2
    assert [server.command for server in home.configured.candidates("github")] == ["evil", "npx"]


@pytest.mark.parametrize(
    ("path", "content", "told"),
    [
        (".mcp.json", "{", "not JSON"),
        (".mcp.json", "[]", "not an object"),
        (".mcp.json", {"mcpServers": []}, "not an object"),
        (".mcp.json", servers(x=5), "not an object"),
        (".mcp.json", servers(x={}), "neither command nor url"),
        (".mcp.json", servers(x={"type": "ws", "url": "ws://h"}), "type"),
        (".mcp.json", servers(x=run("a", "\0")), "null character"),
        (".mcp.json", servers(x={"command": "a", "args": "b"}), "not a list"),
        (".mcp.json", servers(x={"command": "a", "env": []}), "not an object"),
        ("~/.codex/config.toml", "[[[", "not TOML"),
    ],
)
def test_a_broken_file_is_a_warning_and_everything_else_is_still_read(
    home: Home, path: str, content: Any, told: str
) -> None:
    broken = home.put(path, content)
    home.put("~/.cursor/mcp.json", servers(good=run("a")))
    assert "good" in home.names()
    assert "x" not in home.names()
    [warning] = home.configured.warnings()
    assert str(broken) in warning
    assert told in warning
    home.put(path, "" if path.endswith("toml") else {})
    assert home.configured.warnings() == []


def test_files_that_are_no_files_are_warned_of_not_waited_for(home: Home) -> None:
    os.mkfifo(home.root / ".mcp.json")
    (home.root / ".cursor/mcp.json").mkdir(parents=True)
    (home.root / ".vscode").write_text("a file")
    (home.home / ".cursor").mkdir()
    (home.home / ".cursor/mcp.json").write_bytes(b"\xff\xfe")
    assert home.names() == ["memory", "docs", "github"]
    assert len(home.configured.warnings()) == 3


@pytest.mark.parametrize(
    "entry",
    [
        run("deedlog", "mcp", "serve"),
        run("/usr/local/bin/deedlog", "-C", "/x", "mcp", "serve"),
        run("python3", "-m", "deedlog", "mcp", "serve"),
        run("uvx", "deedlog@latest", "mcp", "serve"),
        run("uv", "run", "--with", "deedlog[http]", "deedlog", "mcp", "serve"),
        {"type": "http", "url": "http://127.0.0.1:4747/mcp"},
    ],
)
def test_deedlog_itself_is_left_out_under_whatever_name(home: Home, entry: dict[str, Any]) -> None:
    home.put("~/.claude.json", servers(anything=entry, other=run("python3", "-m", "deedlogger")))
    assert "anything" not in home.names()
    assert "other" in home.names()


def test_names_become_plain_and_of_two_alike_the_first_counts(home: Home) -> None:
    home.put("~/.claude.json", servers(**{"My Server": run("a"), "my_server": run("b"), "GitHub": run("gh")}))
    assert (home.server("my-server").command, home.server("my-server").title) == ("a", "My Server")
    assert home.server("github").command == "gh"
    [warning] = home.configured.warnings()
    assert "my-server is left out" in warning


def test_the_catalogue_completes_what_a_file_has(home: Home) -> None:
    home.put(
        "~/.claude.json",
        servers(github=run("npx", "@m/github@1.2"), memory=run("mine"), docs={"url": "https://e.invalid"}),
    )
    github, memory, docs = (home.server(name) for name in ("github", "memory", "docs"))
    assert (github.description, github.category, github.required) == ("Repositories", "dev-tools", ["GITHUB_TOKEN"])
    assert github.tools == ["create_issue"]
    assert memory.core
    assert (docs.description, docs.auth) == ("Documents", "")


def test_an_entry_of_ours_without_a_command_adds_to_the_server_of_that_name(home: Home) -> None:
    home.put("~/.claude.json", servers(x=run("a", env={"A": "1"})))
    added = {"env": {"B": "${B}"}, "policy": {"delete_*": "deny"}, "boot": True, "callSeconds": 9, "required": ["B"]}
    home.put("~/.config/deedlog/servers.json", servers(x=added, github={"disabled": True}, nobody={"disabled": True}))
    found = home.server("x")
    assert (found.command, found.env, found.boot, found.call_seconds) == ("a", {"A": "1", "B": "${B}"}, True, 9)
    assert (found.policy, found.required) == ({"delete_*": "deny"}, ["B"])
    assert home.server("github").disabled
    assert home.configured.warnings() == []


def test_a_repository_may_only_take_away(home: Home) -> None:
    home.put("~/.claude.json", servers(x=run("a"), y=run("b", disabled=True)))
    overlay = {"boot": True, "env": {"LD_PRELOAD": "x"}, "policy": {"read": "allow", "delete": "deny"}}
    home.put(".deedlog/servers.json", servers(x=overlay, y={"disabled": False}, github={"disabled": True}))
    found = home.server("x")
    assert (found.env, found.boot, found.policy, found.trusted) == ({}, False, {"delete": "deny"}, True)
    assert home.server("y").disabled
    assert home.server("github").disabled
    home.put("~/.config/deedlog/servers.json", servers(github={"disabled": False}))
    assert not home.server("github").disabled


def test_switches_and_limits_of_other_programs_count(home: Home) -> None:
    toml = '[mcp_servers.off]\ncommand = "a"\nenabled = false\n[mcp_servers.x]\ncommand = "a"\ntool_timeout_sec = 7\n'
    home.put("~/.codex/config.toml", toml + 'enabled_tools = ["read"]\ndisabled_tools = ["write"]\n')
    gemini = servers(g=run("a", timeout=5000, excludeTools=["rm(path)"]), no=run("b"), n=run("c", disabled=True))
    home.put("~/.gemini/settings.json", {**gemini, "mcp": {"excluded": ["no"]}})
    assert home.server("off").disabled
    assert home.server("no").disabled
    assert home.server("n").disabled
    assert home.server("x").policy == {"*": "deny", "read": "allow", "write": "deny"}
    assert (home.server("x").call_seconds, home.server("g").call_seconds) == (7, 5)
    assert home.server("g").policy == {"rm": "deny"}


def test_what_gemini_was_told_to_disable_is_disabled(home: Home) -> None:
    home.put("~/.gemini/settings.json", servers(x=run("a"), y=run("b")))
    assert not home.server("x").disabled
    home.put("~/.gemini/mcp-server-enablement.json", {"x": {"enabled": False}, "y": {"enabled": True}, "z": 5})
    assert (home.server("x").disabled, home.server("y").disabled) == (True, False)
    home.put("~/.gemini/mcp-server-enablement.json", "{")
    assert not home.server("x").disabled


def test_folders_inputs_and_files_of_variables_of_editors_are_understood(home: Home) -> None:
    inputs = [
        {"id": "region", "type": "promptString", "default": "eu"},
        {"id": "key", "password": True, "default": "x"},
    ]
    env = {"API_KEY": "${input:key}", "REGION": "${input:region}", "HOME_DIR": "${userHome}/a"}
    entry = run("a", "${workspaceFolder}/b", "--k=${input:key}", env=env, envFile="${workspaceFolder}/.env")
    home.put("~/.config/Code/User/mcp.json", {"servers": {"x": entry}, "inputs": inputs})
    home.put(".env", "export FROM_FILE='one two'\nREGION=us\n# no\nPLAIN=p # why\n")
    found = home.server("x")
    assert found.args == [f"{home.root}/b", "--k=${input:key}"]
    assert found.env == {
        "FROM_FILE": "one two",
        "REGION": "eu",
        "PLAIN": "p",
        "API_KEY": "${API_KEY}",
        "HOME_DIR": f"{home.home}/a",
    }
    home.put(".env", "FROM_FILE=three\n")
    assert home.server("x").env["FROM_FILE"] == "three"


def test_files_are_read_again_only_when_they_changed(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    home.put("~/.claude.json", servers(x=run("a")))
    first = home.configured.servers()
    monkeypatch.setattr("deedlog.gateway.configuration.tolerant.read", lambda path: pytest.fail(f"{path} was read"))
    assert home.configured.servers() is first
    monkeypatch.undo()
    home.put("~/.claude.json", servers(y=run("longer")))
    assert "y" in home.names()
    shutil.rmtree(home.home)
    assert "y" not in home.names()


def test_what_other_programs_configure_is_told_apart_from_ours(home: Home) -> None:
    home.put("~/.config/deedlog/servers.json", servers(ours=run("a"), x=run("mine")))
    home.put(".mcp.json", servers(x=run("b"), z=run("c")))
    assert [(server.name, server.command) for server in home.configured.elsewhere()] == [("x", "b"), ("z", "c")]


def test_without_a_home_the_project_is_still_read(home: Home) -> None:
    home.put(".mcp.json", servers(x=run("a")))
    alone = Configured(home.places.replace(home=""), lambda: KNOWN)
    assert "x" in [server.name for server in alone.servers()]


@pytest.mark.proves("gate:approval:shown")
@pytest.mark.parametrize("name", ["~/.aws/credentials", "{home}/.aws/credentials", "../home/.aws/credentials", "link"])
def test_a_repository_reads_no_variables_of_the_user(home: Home, name: str) -> None:
    path = home.put("~/.aws/credentials", "aws_secret_access_key=wJalr\n")
    (home.root / "link").symlink_to(path)
    home.put(".mcp.json", servers(x=run("a", envFile=name.format(home=home.home)), y=run("a")))
    assert "x" not in home.names()
    assert "y" in home.names()
    [warning] = home.configured.warnings()
    assert "envFile is not in the project" in warning
    home.put("~/.cursor/mcp.json", servers(x=run("a", envFile=str(path))))
    assert home.server("x").env == {"aws_secret_access_key": "wJalr"}


def test_the_file_that_a_repository_takes_variables_from_is_told(home: Home) -> None:
    home.put(".env", "A=b\n")
    home.put(".mcp.json", servers(x=run("a", envFile="${workspaceFolder}/.env")))
    assert home.server("x").env == {"A": "b"}
    assert shown(home.server("x"))["envFile"] == str(home.root / ".env")
