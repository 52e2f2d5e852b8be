"""Hostile texts in every place that tools and commands take one: refused in words, or read back as they were."""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deedlog import bootstrap, settings
from deedlog.app import App
from deedlog.faces.cli.terminal import REORDERING
from deedlog.testing import caller
from tests.e2e.hostile_texts import NAMES, PLACES, Call, files_under, texts, whole_task
from tests.e2e.processes import StdioServer
from tests.faces.cli.running import Cli

VALIDATION_ERROR = -32007
ARGUMENTS = 2  # the exit code of a command that was told something wrong
UNSTORABLE = ("nul", "half-surrogate", "megabyte")
TAKE_ANYTHING = {"description", "new description", "agent prompt", "memory content"}
LONGEST_WORD = 100_000  # Linux takes no longer argument of a program


class Refused(Exception):
    """A tool call that was answered by an error."""


class Agent:
    """A client of a real server, whose calls are refused in words or succeed."""

    def __init__(self, server: StdioServer) -> None:
        self._server = server
        self._number = 0

    def __call__(self, tool: str, /, **arguments: Any) -> Any:
        self._number += 1
        params = {"name": tool, "arguments": arguments}
        self._server.send({"jsonrpc": "2.0", "id": self._number, "method": "tools/call", "params": params})
        reply = self._server.receive()
        if "error" in reply:
            assert reply["error"]["code"] == VALIDATION_ERROR, (tool, reply)
            assert len(reply["error"]["message"]) < 500
            raise Refused(reply["error"]["message"])
        assert not reply["result"].get("isError"), (tool, reply)
        return reply["result"]["structuredContent"]


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    """A file that only a text taken for a command or a path would make."""
    return tmp_path / "canary"


@pytest.fixture
def call(repo: Path) -> Iterator[Call]:
    with StdioServer([sys.executable, "-m", "deedlog", "mcp", "serve"], repo, os.environ) as server:
        yield Agent(server)


@pytest.fixture
def command(repo: Path, tmp_path: Path) -> Cli:
    (tmp_path / "home").mkdir()
    return Cli(repo, tmp_path / "home")


def outside(repo: Path) -> set[str]:
    """What there is beside our own folders."""
    return set(files_under(repo.parent, without=(str(repo / ".git"), str(repo / ".deedlog"))))


@pytest.mark.proves("text:hostile:data")
@pytest.mark.parametrize("name", NAMES)
def test_through_mcp_it_is_stored_as_it_is_or_refused(call: Call, repo: Path, canary: Path, name: str) -> None:
    text, before = texts(canary)[name], outside(repo)
    changed, refused = [], set()
    for place in PLACES:
        try:
            read = place.put(call, text)
        except Refused:
            refused.add(place.name)
            continue
        if read != place.expected(text):
            changed.append((place.name, str(read)[:200]))
    assert changed == []
    assert refused >= TAKE_ANYTHING if name in UNSTORABLE else not refused & TAKE_ANYTHING
    assert outside(repo) - before <= {"repo/.deedlog"}
    assert set(files_under(repo / ".deedlog/memory")) <= {".lock", ".exported", "rule", "rule/an-entry.md"}


def harmless(shown: str) -> bool:
    """Whether a terminal that shows it only shows it."""
    hidden = {"Cc", "Cs", "Zl", "Zp"}
    return not any((unicodedata.category(c) in hidden and c != "\n") or c in REORDERING for c in shown)


def as_word(text: str) -> bool:
    """Whether a program can be given it as an argument at all."""
    return "\0" not in text and "\ud800" not in text and len(text) < LONGEST_WORD


def entered(command: Cli, text: str, folder: Path) -> dict[str, int]:
    """Put a text into every kind of place by commands; what each of them ended with."""
    file = folder / "text"
    file.write_bytes(text.encode(errors="surrogatepass"))
    given = {
        "description": command.run("task", "add", "by-file", "--description", f"@{file}"),
        "content": command.run("memory", "add", "by-file", "rule", "t", "--content", f"@{file}"),
        "prompt": command.run("agent", "create", "by-stdin", "--prompt-content", "-", stdin=file.read_bytes()),
    }
    file.unlink()
    if as_word(text):
        given |= {
            "title": command.run("task", "add", f"--title={text}"),
            "labels": command.run(
                "task", "add", "by-word", f"--labels=@{text}" if text[0] == "@" else f"--labels={text}"
            ),
            "id": command.run("memory", "add", f"--id={text}", "rule", "by-id"),
            "category": command.run("memory", "add", "by-category", f"--category={text}", "by-category"),
        }
    assert all(harmless(done.stdout) and harmless(done.stderr) for done in given.values())
    return {place: done.returncode for place, done in given.items()}


def stored(app: App) -> dict[str, Any]:
    """What those places hold."""

    def call(name: str, /, **arguments: Any) -> Any:
        return app.call(name, arguments, caller())

    tasks = [whole_task(call, row["id"]) for row in call("task_list")["tasks"]]
    memories = [call("memory_get", id=row["id"]) for row in call("memory_list")["memories"]]
    return {
        "description": [task["description"] for task in tasks if task["title"] == "by-file"],
        "content": [memory["content"] for memory in memories if memory["id"] == "by-file"],
        "prompt": [call("agent_get", name=row["name"])["promptContent"] for row in call("agent_list")["agents"]],
        "title": [task["title"] for task in tasks],
        "labels": [",".join(task["labels"]) for task in tasks if task["title"] == "by-word"],
        "id": [memory["id"] for memory in memories],
        "category": [memory["category"] for memory in memories],
    }


@pytest.mark.proves("text:hostile:data")
@pytest.mark.parametrize("name", NAMES)
def test_by_commands_it_is_stored_as_it_is_or_refused(
    command: Cli, repo: Path, tmp_path: Path, canary: Path, name: str
) -> None:
    text, before = texts(canary)[name], outside(repo)
    ended = entered(command, text, tmp_path)
    assert set(ended.values()) <= {0, ARGUMENTS}
    app = bootstrap.build(settings.load(str(repo), {}, {}))
    found = stored(app)
    app.close()
    expected = {place: [text] for place in ended} | {"labels": [",".join(dict.fromkeys(text.split(",")))]}
    missing = [place for place, code in ended.items() if code == 0 and not set(expected[place]) <= set(found[place])]
    assert missing == []
    assert outside(repo) - before <= {"repo/.deedlog"}


@pytest.mark.proves("text:hostile:data")
@pytest.mark.parametrize("name", ["escapes", "right-to-left", "separators", "carriage-return", "lines"])
def test_a_terminal_only_shows_it(command: Cli, canary: Path, name: str) -> None:
    text = texts(canary)[name]
    command.run("task", "add", f"--title={text}", f"--description={text}", f"--assignee={text}")
    command.run("memory", "add", "an-entry", "rule", f"--title={text}", f"--summary={text}", "--status=active")
    for words in (["task", "list"], ["task", "get", "1"], ["memory", "list"], ["memory", "preview"], ["events"]):
        code, shown = command.on_terminal(*words, NO_COLOR="1")
        assert code == 0
        assert harmless(shown), words
    assert harmless(command.run("task", "list").stdout)


def test_an_argument_that_is_no_text_is_refused(command: Cli) -> None:
    done = command.run("task", "add", os.fsdecode(b"a\xffb"))
    assert (done.returncode, done.stdout) == (ARGUMENTS, "")
    assert harmless(done.stderr)
