"""Work recorded from a shell, and read on a terminal."""

from __future__ import annotations

import json

import pytest

from tests.faces.cli.running import Cli


@pytest.fixture
def task_id(cli: Cli) -> str:
    """A task that has changed a file whose content would steer a terminal."""
    workflow = json.loads(cli.run("workflow", "start", "Add authentication", "--json").stdout)["workflow_id"]
    main = ("task", "start", workflow, "Implement authentication", "All of it")
    assert json.loads(cli.run(*main, "--json").stdout)["task_id"] == "task-1"
    part = ("task", "start", workflow, "Setup JWT", "Tokens", "--parent-task-id", "1", "--areas", "auth")
    assert cli.run(*part).stdout.startswith("task_id:       task-2\n")
    (cli.folder / "utils.ts").write_text("tab\there \x1b]0;evil\x07 é\n")
    words = ("task", "complete", "task-2", "success", "Tokens are verified", "--outcome.achievements", "it works")
    done = cli.run(*words, "--metadata.tests-status", "passed")
    assert (done.returncode, done.stderr) == (0, "")
    return "task-2"


@pytest.mark.proves("face:cli:object-parts")
def test_an_outcome_given_in_parts_is_recorded_as_one(cli: Cli, task_id: str) -> None:
    report = json.loads(cli.run("task", "report", task_id, "--json").stdout)
    assert report["outcome"] == {"summary": "Tokens are verified", "achievements": ["it works"]}
    assert report["metadata"] == {"tests_status": "passed"}


@pytest.mark.proves("face:cli:readable", "track:tree:read")
@pytest.mark.usefixtures("task_id")
def test_the_tree_is_drawn_on_80_columns(cli: Cli) -> None:
    _, shown = cli.on_terminal("task", "tree", NO_COLOR="1")
    lines = shown.splitlines()
    assert lines[3:] == [
        "tasks:",
        "  task_id   name                      status       duration  files  open_reviews",
        lines[5],
        lines[6],
    ]
    assert lines[5].startswith("  task-1    Implement authentication  in_progress  ")
    assert lines[6].startswith("  └ task-2  Setup JWT                 success      ")
    assert lines[6].endswith("1      1")
    assert max(map(len, lines)) <= 80


@pytest.mark.proves("face:cli:readable", "ledger:event:headline")
@pytest.mark.usefixtures("task_id")
def test_the_events_tell_on_80_columns_what_happened(cli: Cli) -> None:
    _, shown = cli.on_terminal("events", "--kind", "session.changed", NO_COLOR="1")
    heading, row, *_ = shown.splitlines()
    assert heading.split()[:3] == ["at", "actor", "text"]
    assert row.split(maxsplit=2)[1] == "tester"
    assert "  task-2 success: Tokens are verified" in row
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.proves("face:cli:readable", "track:review:queue")
def test_a_report_and_the_queue_can_be_read_on_a_terminal(cli: Cli, task_id: str) -> None:
    _, report = cli.on_terminal("task", "report", task_id, NO_COLOR="1")
    assert "\noutcome:\n  summary:      Tokens are verified\n  achievements: it works\n" in report
    assert "\nverification:\n  scope_match:      no\n  unexpected_files: utils.ts\n" in report
    assert max(map(len, report.splitlines())) <= 80
    _, queue = cli.on_terminal("review", "list", NO_COLOR="1")
    head, question = queue.splitlines()[:2]
    assert (head[:4], head.split()[1]) == ("rev-", task_id)
    assert "utils.ts" in question
    assert cli.run("review", "list", "--status", "closed").stderr == (
        "nothing matches; ask for less, or for something else\n"
    )


@pytest.mark.proves("face:cli:raw", "face:cli:escapes")
def test_a_patch_is_printed_as_it_is_but_cannot_steer_a_terminal(cli: Cli, task_id: str) -> None:
    assert "+tab\there \x1b]0;evil\x07 é\n" in cli.run("task", "patch", task_id).stdout
    code, shown = cli.on_terminal("task", "patch", task_id)
    assert code == 0
    assert "+tab    here \\x1b]0;evil\\x07 é\n" in shown
    assert "\x1b" not in shown


@pytest.mark.usefixtures("task_id")
def test_what_can_be_completed_is_completed(cli: Cli) -> None:
    shown = cli.run("__complete", "--", "task", "complete", "task-1", "success", "--outcome.").stdout
    assert "--outcome.next-steps" in shown.split()
    assert cli.run("__complete", "--", "task", "complete", "--metadata.tests-status", "").stdout.split() == [
        "failed",
        "not_run",
        "passed",
    ]
