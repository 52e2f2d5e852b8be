"""(i) a clarification begun over stdio: in repositories with 60,000 ignored or tracked files, and in a small one."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from benchmarks.measure import DEEDLOG, StdioServer, interleaved, report, seconds

MANY, IN_FOLDER = 60_000, 100
ASKED = {"name": "require_clarification", "arguments": {"user_intention": "Add authentication"}}


def repository(folder: Path, *, ignored: int = 0, tracked: int = 0) -> Path:
    """A small project with so many files beside it."""
    folder.mkdir()
    (folder / ".gitignore").write_text("junk/\n")
    (folder / "package.json").write_text('{"dependencies": {"express": "4"}}')
    for top, files in (("junk", ignored), ("src", tracked)):
        for number in range(files // IN_FOLDER):
            inside = folder / top / str(number)
            inside.mkdir(parents=True)
            for name in range(IN_FOLDER):
                (inside / f"{name}.js").touch()
    for words in (("init", "--quiet"), ("add", "--all")):
        subprocess.run(["git", "-C", str(folder), *words], check=True)
    return folder


def measure(folder: Path, rounds: int) -> None:
    places = {
        "small": repository(folder / "survey-small"),
        "ignored": repository(folder / "survey-ignored", ignored=MANY),
        "tracked": repository(folder / "survey-tracked", tracked=MANY),
    }
    with ExitStack() as open_servers:
        cases: dict[str, Callable[[], float]] = {}
        for name, place in places.items():
            server = open_servers.enter_context(StdioServer([DEEDLOG, "mcp", "serve"], place)).handshake()
            server.request("tools/call", ASKED)
            cases[name] = partial(seconds, partial(server.request, "tools/call", ASKED))
        found = interleaved(cases, rounds)
    for name in ("ignored", "tracked"):
        what = f"a clarification begun with {MANY:,} {name} files to one in a small repository"
        report(what, f"{found[name] / found['small']:.2f}", "<= 1.2")
    report("a clarification begun in a small repository", f"{found['small'] * 1000:.0f} ms", "<= 50 ms")
