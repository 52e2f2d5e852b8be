"""The demo of the tracker: what it shows is what happened, and nothing is left of it."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from deedlog.faces.cli.demo import plain_git, report
from deedlog.faces.cli.demo.scratch import Scratch
from deedlog.faces.cli.style import Style
from deedlog.faces.cli.terminal import width
from tests.faces.cli.running import COMMAND, DEADLINE, Cli

Json = dict[str, Any]
IDS = re.compile(r"(?<![\w-])(wf|dec|iss|ms|rev|session)-[0-9a-z]{16}\b")
SECONDS = re.compile(r"((?:success|issue|scope|manual_review) +)\d+s?(?=  )")  # of a task, of a review that waits
WARNING = "⚠️ 1 file(s) modified outside declared scope (auth, api)"
BEFORE = "it was like this before the start"
UNTRACKED = "git diff does not look at untracked files"
ARRIVED = "a merge brought it: somebody else did this"


@pytest.fixture
def outside(tmp_path: Path) -> Cli:
    """`deedlog` in an empty folder that is no project, with a place for temporary files of its own."""
    for name in ("empty", "tmp"):
        (tmp_path / name).mkdir()
    return Cli(tmp_path / "empty", tmp_path / "home", TMPDIR=str(tmp_path / "tmp"))


def left_behind(cli: Cli) -> list[Path]:
    return [*cli.folder.parent.joinpath("tmp").iterdir(), *cli.folder.iterdir()]


def found(cli: Cli, *words: str) -> Json:
    done = cli.run("demo", "track", "--json", *words)
    assert (done.returncode, done.stderr) == (0, "")
    answer: Json = json.loads(done.stdout)
    return answer


def wrong(task: Json) -> dict[str, tuple[str, str]]:
    rows = [(kind, row) for kind in ("blamed", "missed", "mistaken") for row in task["git"][kind]]
    return {row["path"]: (kind, row["why"]) for kind, row in rows}


def verdicts(task: Json) -> dict[str, tuple[str, str]]:
    return {row["path"]: (row["status"], row.get("scope", row["by"])) for row in task["changes"]}


@pytest.mark.proves("track:demo:worked-example")
def test_it_runs_both_flows_over_mcp_and_finds_what_the_agent_did(outside: Cli) -> None:
    answer = found(outside)
    assert left_behind(outside) == []
    tasks = {task["task_id"]: task for task in answer["tasks"]}
    assert [(task["name"], task["status"], task["areas"]) for _, task in sorted(tasks.items())] == [
        ("Setup JWT middleware", "success", ["auth", "middleware"]),
        ("Implement authentication", "success", []),
        ("Setup JWT middleware", "partial_success", ["auth", "api"]),
        ("Create login route", "success", ["login", "session"]),
    ]
    assert verdicts(tasks["task-1"]) == {
        "package.json": ("modified", "companion"),
        "src/auth/jwt.ts": ("added", "in"),
        "src/middleware/auth.ts": ("added", "in"),
        "src/utils/old-jwt.ts": ("deleted", "in"),
        "tests/auth.test.ts": ("added", "in"),
    }
    assert verdicts(tasks["task-2"]) == {
        "docs/login.md": ("added", "task"),
        "src/api.ts": ("added", "subtask"),
        "src/auth/jwt.ts": ("modified", "subtask"),
        "src/billing/invoice.ts": ("added", "arrived"),
        "src/routes/login.ts": ("added", "subtask"),
        "src/session.ts": ("deleted", "subtask"),
        "src/utils.ts": ("modified", "subtask"),
    }
    assert verdicts(tasks["task-3"])["src/utils.ts"] == ("modified", "out")
    assert tasks["task-3"]["verification"] == {
        "scope_match": False,
        "unexpected_files": ["src/utils.ts"],
        "warnings": [WARNING],
        "reasons": ["src/utils.ts: no declared area (auth, api) covers it"],
    }
    assert all(tasks[name]["verification"]["scope_match"] for name in ("task-1", "task-2", "task-4"))
    assert {name: task["lines"] for name, task in tasks.items()} == {
        "task-1": {"added": 9, "deleted": 2},
        "task-2": {"added": 10, "deleted": 2},
        "task-3": {"added": 6, "deleted": 1},
        "task-4": {"added": 1, "deleted": 1},
    }
    assert [(row["task_id"], row["reason"], row["status"]) for row in answer["reviews"]] == [
        ("task-3", "issue", "open"),
        ("task-3", "scope", "open"),
        ("task-4", "manual_review", "open"),
    ]
    one, other = answer["trees"]
    assert [row["task_id"] for row in one["tasks"]] == ["task-1"]
    assert [row["task_id"] for row in other["tasks"][0]["children"]] == ["task-3", "task-4"]
    assert {one["status"], other["status"]} == {"completed"}


@pytest.mark.proves("track:demo:worked-example")
def test_it_tells_where_two_plain_diffs_would_have_been_wrong(outside: Cli) -> None:
    tasks = {task["task_id"]: task for task in found(outside)["tasks"]}
    assert {name: wrong(task) for name, task in tasks.items()} == {
        "task-1": {
            "README.md": ("blamed", BEFORE),
            "notes.txt": ("blamed", BEFORE),
            "src/middleware/auth.ts": ("mistaken", "added, not modified"),
            "tests/auth.test.ts": ("missed", UNTRACKED),
        },
        "task-2": {
            "docs/login.md": ("missed", UNTRACKED),
            "src/billing/invoice.ts": ("blamed", ARRIVED),
            "src/middleware/auth.ts": ("blamed", BEFORE),
            "src/routes/login.ts": ("missed", UNTRACKED),
        },
        "task-3": {"src/middleware/auth.ts": ("blamed", BEFORE)},
        "task-4": {
            "src/billing/invoice.ts": ("blamed", ARRIVED),
            "src/middleware/auth.ts": ("blamed", BEFORE),
            "src/routes/login.ts": ("missed", UNTRACKED),
            "src/utils.ts": ("blamed", BEFORE),
        },
    }


def test_where_git_is_right_it_is_said_to_be_right() -> None:
    same = plain_git.compared({"a": "added"}, [{"path": "a", "status": "added", "by": "task"}], [], [])
    assert same == {"claims": {"a": "added"}, "blamed": [], "missed": [], "mistaken": []}
    assert report._claims(same) == "By git diff: 1 files, the same."


def without_ids(cli: Cli) -> str:
    done = cli.run("demo", "track")
    assert (done.returncode, done.stderr) == (0, "")
    return SECONDS.sub(r"\1_", IDS.sub(r"\1-_", done.stdout))


def test_it_tells_the_same_every_time_and_each_call_in_a_line(outside: Cli) -> None:
    text = without_ids(outside)
    assert text == without_ids(outside)
    calls = [json.dumps(step) for step in found(outside)["story"] if "tool" in step]
    tools = ("start_workflow", "start_task", "log_decision", "log_issue", "log_milestone", "complete_task")
    assert len([line for line in text.splitlines() if line.startswith(tuple(f"  {tool}" for tool in tools))]) == len(
        calls
    )
    assert all(any(f'"tool": "{tool}"' in call for call in calls) for tool in tools)
    assert f"  complete_task   task-3: partial_success → 3 files, +6 -1 lines; {WARNING}\n" in text
    assert "    blamed  src/billing/invoice.ts  a merge brought it: somebody else did this\n" in text
    assert "  ├ task-3  Setup JWT middleware" in text
    assert "  task-3  scope          " in text
    assert "  deedlog task patch task-3\n" in text
    assert left_behind(outside) == []


@pytest.mark.proves("face:cli:readable")
@pytest.mark.parametrize("columns", [40, 80, 130])
def test_it_fits_a_terminal_and_is_coloured_only_there(outside: Cli, columns: int) -> None:
    code, shown = outside.on_terminal("demo", "track", columns=columns)
    assert code == 0
    assert "\x1b[1mWaiting for a person\x1b[0m" in shown
    plain = re.sub(r"\x1b\[\d*m", "", shown)
    commands = plain.index("Look around")
    assert [line for line in plain[:commands].splitlines() if width(line) > columns] == []
    assert "src/billing/invoice.ts" in plain
    _, without = outside.on_terminal("demo", "track", columns=columns, NO_COLOR="1")
    assert "\x1b" not in without
    assert left_behind(outside) == []


def test_a_long_verdict_stands_below_where_there_is_no_room_beside() -> None:
    rows = [("added", "src/a.ts", "because of this and of that")]
    assert list(report._rows(rows, Style(40))) == ["  added src/a.ts", "    because of this and of that"]
    assert list(report._rows(rows, Style())) == ["  added  src/a.ts  because of this and of that"]


@pytest.mark.proves("track:demo:worked-example")
def test_kept_it_can_be_looked_at_with_the_commands_it_names(outside: Cli) -> None:
    answer = found(outside, "--folder", "../kept", "--keep")
    kept = outside.folder.parent / "kept"
    assert answer["folder"] == str(kept.resolve())
    change, *commands = map(shlex.split, answer["next"])
    assert change == ["cd", answer["folder"]]
    there = Cli(kept, outside.folder.parent / "home")
    for program, *words in commands:
        assert program == "deedlog"
        done = there.run(*words)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout
    assert len(json.loads(there.run("review", "list", "--json").stdout)["reviews"]) == 2
    assert there.run("doctor").returncode == 0
    actors = {event["actor"] for event in json.loads(there.run("events", "--json").stdout)["events"]}
    assert {actor.partition("/")[0] for actor in actors} == {"scripted-agent", "tester"}
    authors = subprocess.run(
        ["git", "-C", str(kept), "log", "--format=%an %aI"], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    assert authors[-1] == "Owner 2026-01-15T10:00:00+00:00"
    assert left_behind(outside) == []


def test_settings_that_lead_elsewhere_are_said(outside: Cli) -> None:
    done = outside.run("demo", "track", "--keep", "--json", DEEDLOG_STORE=str(outside.folder.parent / "own"))
    answer = json.loads(done.stdout)
    assert answer["note"].startswith("your own settings name another store")
    assert not (outside.folder.parent / "own").exists()
    assert Path(answer["folder"], ".git/deedlog/ledger.db").is_file()


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.proves("track:demo:worked-example")
def test_neither_the_repository_one_stands_in_nor_the_user_s_settings_matter(cli: Cli, tmp_path: Path) -> None:
    assert cli.run("workflow", "start", "mine").returncode == 0
    home = tmp_path / "home"
    (home / ".config/deedlog").mkdir(parents=True)
    (home / ".config/deedlog/config.toml").write_text('disable = ["tracking"]\nactor = "me"\n')
    (home / ".gitconfig").write_text("[diff]\n\tnoprefix = true\n[commit]\n\tgpgSign = true\n[user]\n\tname = me\n")
    before = tree(tmp_path)
    leaked = {
        "GIT_DIR": str(cli.folder / ".git"),
        "GIT_INDEX_FILE": "/nowhere",
        "DEEDLOG_DATABASE_URL": "postgresql://x",
    }
    done = cli.run("demo", "track", "--json", TMPDIR=str(tmp_path), **leaked)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(json.loads(done.stdout)["tasks"]) == 4
    assert tree(tmp_path) == before


@pytest.mark.proves("face:cli:exit-codes")
def test_what_it_cannot_do_without_or_will_not_touch_is_refused(outside: Cli, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").touch()
    for words, path, code, complaint in (
        ([], "/nowhere", 5, "there is no git on this machine"),
        (["--folder", str(tmp_path / "full")], os.environ["PATH"], 2, "is not empty"),
        (["--folder", str(tmp_path / "full/file")], os.environ["PATH"], 2, "cannot be used"),
    ):
        done = outside.run("demo", "track", *words, PATH=path)
        assert (done.returncode, done.stdout) == (code, "")
        assert complaint in done.stderr
        assert "\nhint: " in done.stderr
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["file"]
    assert left_behind(outside) == []


def test_a_git_that_fails_is_said_and_nothing_is_left(outside: Cli, tmp_path: Path) -> None:
    program = tmp_path / "bin/git"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexit 129\n")
    program.chmod(0o755)
    done = outside.run("demo", "track", PATH=f"{program.parent}:/usr/bin:/bin")
    assert done.returncode == 5
    assert "git init failed in the scratch repository (exit code 129)" in done.stderr
    assert left_behind(outside) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted_it_leaves_nothing(outside: Cli, tmp_path: Path, number: signal.Signals) -> None:
    """A git that waits holds it in the middle of its work."""
    reached, endless = tmp_path / "reached", tmp_path / "endless"
    for pipe in (reached, endless):
        os.mkfifo(pipe)
    program = tmp_path / "bin/git"
    program.parent.mkdir()
    program.write_text(
        '#!/bin/sh\ncase "$*" in *merge*) echo > "$REACHED"; exec cat "$ENDLESS";; esac\n'
        'PATH="${PATH#*:}" exec git "$@"\n'
    )
    program.chmod(0o755)
    more = {"PATH": f"{program.parent}:{os.environ['PATH']}", "REACHED": str(reached), "ENDLESS": str(endless)}
    process = subprocess.Popen(
        [*COMMAND, "demo", "track"],
        cwd=outside.folder,
        env={**outside.environment, **more},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with open(endless, "r+b", buffering=0):
        assert reached.read_text() == "\n"
        process.send_signal(number)
        out, errors = process.communicate(timeout=DEADLINE)
    assert (process.returncode, out, errors) == (128 + number, b"", b"")
    assert left_behind(outside) == []


def test_a_folder_that_was_there_stays_and_is_empty(outside: Cli, tmp_path: Path) -> None:
    (tmp_path / "given").mkdir()
    found(outside, "--folder", str(tmp_path / "given"))
    found(outside, "--folder", str(tmp_path / "new"))
    assert list((tmp_path / "given").iterdir()) == []
    assert not (tmp_path / "new").exists()


def test_what_cannot_be_removed_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr("deedlog.faces.cli.demo.scratch.TRIES", 1)
    monkeypatch.setattr("shutil.rmtree", lambda *_, **__: None)
    with Scratch(str(tmp_path / "stays")) as scratch:
        scratch.write("folder/file", "x")
    assert capsys.readouterr().err == f"warning: {scratch.folder} could not be removed\n"


@pytest.mark.proves("face:cli:help", "face:cli:completion")
def test_the_demos_are_listed_explained_and_completed(outside: Cli) -> None:
    listed = outside.run("demo")
    assert (listed.returncode, listed.stderr) == (0, "")
    assert "deedlog demo track  Watch a scripted agent" in listed.stdout
    assert [row["demo"] for row in json.loads(outside.run("demo", "--json").stdout)["demos"]] == [
        "deedlog demo track",
        "deedlog demo page",
    ]
    assert outside.run("demo", "--help").stdout.startswith("Usage: deedlog demo")
    assert "--keep" in outside.run("demo", "track", "--help").stdout
    assert outside.run("__complete", "--", "demo", "").stdout.split() == ["page", "track"]
    assert outside.run("__complete", "--", "demo", "track", "--k").stdout.split() == ["--keep"]
    assert outside.run("demo", "trak").returncode == 2
