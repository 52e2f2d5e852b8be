"""The command that worker_command returns, run by a real shell, and names that end up in git and in folders."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.hostile_texts import NAMES, as_toml, files_under, texts
from tests.faces.cli.running import Cli

UNSTORABLE = ("nul", "half-surrogate", "megabyte")
EVERYTHING = [name for name in NAMES if name not in UNSTORABLE]
CLIENTS = {"claude-code": "claude", "codex": "codex", "gemini-cli": "gemini", "opencode": "opencode", "aider": "aider"}
FOLDER = 'it\'s "a" $(touch canary) `touch canary`; touch canary & é #'
ARGUMENTS, CONFIGURATION, GIT = 2, 3, 5
STAND_IN = """\
import json, os, sys
told = sys.stdin.read() if "--message-file" not in sys.argv else open(sys.argv[-1], newline="").read()
with open(os.environ["RECORD"], "w") as file:
    json.dump({"argv": sys.argv, "told": told, "folder": os.getcwd()}, file)
"""


class Bench:
    """A repository in a folder with a name of its own kind, and clients that write down what they are told."""

    def __init__(self, repo: Path, root: Path) -> None:
        self.repo = root / FOLDER
        shutil.move(repo, self.repo)
        self.home = root / "home"
        self.canary = root / "canary"
        self.record = root / "record.json"
        self.bin = root / "bin"
        for folder in (self.home, self.bin):
            folder.mkdir()
        (root / "stand_in.py").write_text(STAND_IN)
        for name in CLIENTS.values():
            program = self.bin / name
            program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{root}/stand_in.py" "$@"\n')
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
        self.cli = Cli(self.repo, self.home)
        self.before = set(files_under(root, without=(str(self.repo / ".git"), str(self.repo / ".deedlog"))))

    def call(self, *words: str, stdin: str = "") -> Any:
        done = self.cli.run(*words, "--json", stdin=stdin)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def task(self, title: str, description: str) -> int:
        number: int = self.call("task", "add", f"--title={title}", "--description=-", stdin=description)["id"]
        return number

    def run(self, command: str) -> dict[str, Any]:
        """What the client was told, when a shell that starts elsewhere runs the command."""
        environment = {"PATH": f"{self.bin}:{os.environ['PATH']}", "HOME": str(self.home), "RECORD": str(self.record)}
        done = subprocess.run(
            ["/bin/sh", "-c", command], cwd="/", env=environment, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")
        told: dict[str, Any] = json.loads(self.record.read_text())
        self.record.unlink()
        return told

    def nothing_happened(self) -> bool:
        root = self.repo.parent
        now = set(files_under(root, without=(str(self.repo / ".git"), str(self.repo / ".deedlog"))))
        made = {f"{FOLDER}/.deedlog", "home/.config", "home/.config/deedlog"}
        return now - self.before <= made


@pytest.fixture
def bench(repo: Path, tmp_path: Path) -> Bench:
    return Bench(repo, tmp_path)


def everything(canary: Path) -> str:
    return "\n".join(text for name, text in texts(canary).items() if name in EVERYTHING)


@pytest.mark.proves("worker:command:quoted")
@pytest.mark.parametrize("name", EVERYTHING)
def test_the_client_gets_the_prompt_and_the_shell_nothing_else(bench: Bench, name: str) -> None:
    text = texts(bench.canary)[name]
    answer = bench.call("worker", "command", str(bench.task(text[:500], text)), "--agent", "coder")
    told = bench.run(answer["command"])
    assert text.strip() in told["told"]
    assert told["told"].encode() == (bench.repo / answer["promptFile"]).read_bytes()
    assert told["folder"] == str(bench.repo / answer["worktree"])
    assert not any(text in word for word in told["argv"][1:])
    assert bench.nothing_happened()


@pytest.mark.proves("worker:command:quoted")
@pytest.mark.parametrize("client", CLIENTS)
def test_every_client_gets_it(bench: Bench, client: str) -> None:
    number = bench.task("t", text := everything(bench.canary))
    answer = bench.call("worker", "command", str(number), "--client", client, "--auto")
    told = bench.run(answer["command"])
    assert text in told["told"]
    assert bench.nothing_happened()


@pytest.mark.proves("worker:command:quoted")
def test_an_agent_s_own_command_gets_it_as_one_argument(bench: Bench) -> None:
    text = everything(bench.canary)
    words = ["claude", "--say", "x={prompt}!", "it's $(touch canary)", "{branch}", "{worktree}", "{prompt_file}", ""]
    bench.call("agent", "create", "own", "--command", json.dumps(words))
    answer = bench.call("worker", "command", str(bench.task("t", text)), "--agent", "own")
    told = bench.run(answer["command"])["argv"][1:]
    prompt = (bench.repo / answer["promptFile"]).read_bytes().decode().rstrip("\n")
    folder = str(bench.repo / answer["worktree"])
    branch = answer["task"]["branch"]
    assert told == ["--say", f"x={prompt}!", "it's $(touch canary)", branch, folder, ".deedlog/prompt.md", ""]
    assert text in prompt
    assert bench.nothing_happened()


@pytest.mark.proves("worker:command:quoted")
def test_a_supervised_worker_gets_it_as_one_argument(bench: Bench) -> None:
    text = everything(bench.canary)
    write_down = "import json, sys; json.dump(sys.argv[1:], open('record.json', 'w'))"
    words = [sys.executable, "-c", write_down, "{prompt}", "it's $(touch canary)"]
    bench.call("agent", "create", "own", "--command", json.dumps(words))
    number = bench.task(text[:500], text)
    worktree = bench.repo / bench.call("worker", "run", str(number), "--agent", "own")["worktree"]
    ended = bench.call("worker", "wait", str(number))["sessions"]
    assert [row["status"] for row in ended] == ["completed"], ended
    prompt = (worktree / ".deedlog/prompt.md").read_bytes().decode()
    assert json.loads((worktree / "record.json").read_text()) == [prompt, "it's $(touch canary)"]
    assert text in prompt
    assert bench.nothing_happened()


def is_toml(file: Path) -> bool:
    """Deedlog ignores a repository's file that is not, with a warning."""
    try:
        tomllib.loads(file.read_text())
    except tomllib.TOMLDecodeError:
        return False
    return True


@pytest.mark.parametrize("name", NAMES)
def test_a_branch_prefix_is_part_of_a_branch_s_name_or_refused(bench: Bench, name: str) -> None:
    text = texts(bench.canary)[name]
    number = bench.task("t", "")
    (bench.repo / ".deedlog").mkdir(exist_ok=True)
    (bench.repo / ".deedlog/config.toml").write_text(f"branch_prefix = {as_toml(text)}\n")
    done = bench.cli.run("worker", "command", str(number), "--json")
    refs = ["git", "-C", str(bench.repo), "for-each-ref", "--format=%(refname:short)", "refs/heads"]
    branches = set(subprocess.run(refs, capture_output=True, text=True, check=True).stdout.split("\n")) - {"", "main"}
    if done.returncode == 0:
        assert branches == {json.loads(done.stdout)["task"]["branch"]}
        assert branches == {
            f"{text}{number}-s1" if is_toml(bench.repo / ".deedlog/config.toml") else f"task-{number}-s1"
        }
    else:
        assert done.returncode in (ARGUMENTS, CONFIGURATION, GIT)
        assert done.stderr.startswith('{"error"')
        assert branches == set()
        assert not (bench.repo / ".deedlog/worktrees/task-1").exists()
    assert bench.nothing_happened()


def test_files_with_hostile_names_are_told_as_they_are(bench: Bench) -> None:
    number = bench.task("t", "")
    session = bench.call("session", "start", str(number), "coder")["sessionId"]
    known = texts(Path("canary"))
    names = [known[name].replace("/", "_") for name in EVERYTHING if name != "dots"]
    for name in names:
        (bench.repo / name).write_text("x\n")
    bench.call("session", "end", str(session), "--exit-code=0")
    changes = bench.call("task", "changes", f"task-{number}", "--all")
    assert {row["path"] for row in changes["changes"]} == set(names)
