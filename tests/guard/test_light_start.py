"""What a command and the stdio server may not import before something needs it: each costs every start."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engines.gateway.stub_server import stub

SDK = {"mcp", "mcp_types", "pydantic", "pydantic_core", "anyio", "httpx2", "httpcore2", "keyring"}
NEVER = SDK | {"starlette", "uvicorn", "psycopg", "httpx", "rich", "click", "jinja2"}
HEAVY = NEVER | {
    "argparse",
    "asyncio",
    "concurrent.futures",
    "ctypes",
    "dataclasses",
    "difflib",
    "email",
    "gettext",
    "http",
    "inspect",
    "locale",
    "logging",
    "pathlib",
    "shutil",
    "ssl",
    "subprocess",
    "tempfile",
    "tomllib",
    "traceback",
    "urllib",
    "uuid",
}
ONLY_WITH_A_STORE = {"apsw", "hashlib", "_hashlib", "socket", "typing", "datetime"}
LISTING = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n'
OPENING = (
    b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",'
    b'"capabilities":{},"clientInfo":{"name":"guard","version":"1"}}}\n'
    b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
)
PROBE = """
import json, os, sys
sys.argv[0] = "deedlog"
from deedlog.faces.cli.main import main
code = main()
os.write(int(os.environ["REPORT"]), json.dumps([code, sorted(sys.modules)]).encode())
"""


def imported(folder: Path, *words: str, stdin: bytes = b"", answer: bytes = b"") -> set[str]:
    """The modules that are loaded when the command is over; its input ends after a line that has `answer` in it."""
    reading, writing = os.pipe()
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "USER": "t", "LANG": "en_US.UTF-8"}
    with os.fdopen(reading, "rb") as report:
        try:
            process = subprocess.Popen(
                [sys.executable, "-c", PROBE, *words],
                cwd=folder,
                env={**environment, "REPORT": str(writing)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pass_fds=[writing],
            )
        finally:
            os.close(writing)
        with process:
            assert process.stdin
            assert process.stdout
            process.stdin.write(stdin)
            process.stdin.flush()
            assert not answer or any(answer in line for line in process.stdout)
            process.communicate(timeout=60)
        code, modules = json.loads(report.read())
    assert code == 0
    return set(modules)


def heavy(modules: set[str], denied: set[str]) -> list[str]:
    return sorted(name for name in modules if name in denied or name.split(".")[0] in denied)


@pytest.mark.proves("face:cli:light")
@pytest.mark.parametrize(
    "words",
    [
        ["workflow", "list", "--json"],
        ["workflow", "list"],
        ["workflow", "start", "x", "--json"],
        ["events"],
        ["search", "x"],
        ["undo"],
        ["task", "add", "x", "--json"],
        ["task", "list"],
        ["task", "next", "--json"],
        ["task", "get", "1", "--json"],
        ["task", "update", "1", "--priority", "high"],
        ["session", "list", "--quiet"],
        ["agent", "list", "--json"],
        ["memory", "list"],
    ],
    ids=" ".join,
)
def test_a_plain_command_imports_nothing_heavy(repo: Path, words: list[str]) -> None:
    assert imported(repo, "workflow", "start", "one")
    assert imported(repo, "task", "add", "one")
    assert heavy(imported(repo, *words), HEAVY) == []


@pytest.mark.proves("face:cli:light")
@pytest.mark.parametrize(
    "words", [["--help"], ["--version"], ["workflow", "start", "--help"], ["config"]], ids=" ".join
)
def test_help_opens_no_store(repo: Path, words: list[str]) -> None:
    assert heavy(imported(repo, *words), HEAVY | ONLY_WITH_A_STORE) == []


@pytest.mark.proves("face:cli:light")
@pytest.mark.parametrize("lines", [LISTING, OPENING + LISTING], ids=["bare", "after initialize"])
def test_the_stdio_server_lists_its_tools_before_anything_heavy_or_a_store(repo: Path, lines: bytes) -> None:
    assert heavy(imported(repo, "mcp", "serve", stdin=lines), HEAVY | {"apsw", "hashlib", "_hashlib", "typing"}) == []


@pytest.mark.proves("face:cli:light")
def test_the_stdio_server_calls_a_tool_without_anything_heavy(repo: Path) -> None:
    call = (
        b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"start_workflow","arguments":{"name":"x"}}}\n'
    )
    assert heavy(imported(repo, "mcp", "serve", stdin=LISTING + call), HEAVY) == []


def configure(repo: Path, *options: str) -> None:
    """A server that is a program, and one over HTTP that nobody reaches."""
    program, *arguments = stub(*options)
    here, far = {"command": program, "args": arguments}, {"type": "http", "url": "http://127.0.0.1:1/"}
    file = repo / ".config/deedlog/servers.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"mcpServers": {"stub": here, "far": far}}))


def test_a_stdio_server_that_has_mounted_a_program_has_no_sdk(repo: Path) -> None:
    record = repo / "record"
    configure(repo, "--record", str(record))
    call = (
        b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"mcp_activate","arguments":{"name":"stub"}}}\n'
    )
    modules = imported(repo, "mcp", "serve", stdin=OPENING + LISTING + call, answer=b'"id":2')
    assert '"tools/list"' in record.read_text()
    assert heavy(modules, NEVER | {"asyncio", "ssl"}) == []


@pytest.mark.parametrize(
    "words",
    [["mcp", "activate", "stub"], ["mcp", "call", "echo", "--server", "stub"], ["mcp", "environment", "--json"]],
    ids=" ".join,
)
def test_the_sdk_is_loaded_for_servers_over_http_alone(repo: Path, words: list[str]) -> None:
    configure(repo)
    assert heavy(imported(repo, "mcp", "activate", "stub"), NEVER | {"asyncio", "ssl"}) == []
    assert heavy(imported(repo, *words), NEVER | {"asyncio", "ssl"}) == []


def test_the_guard_would_notice() -> None:
    assert heavy({"json", "asyncio.events", "typing"}, HEAVY) == ["asyncio.events"]
