"""Tasks, sessions and workers as people meet them on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.faces.cli.running import Cli


def answered(cli: Cli, *words: str) -> Any:
    return json.loads(cli.run(*words, "--json").stdout)


def work_outside_its_scope(cli: Cli, repo: Path, name: str) -> None:
    """Session 1, which has ended and changed a file it should not have."""
    cli.run("task", "add", "one")
    made = answered(cli, "worker", "command", "1", "--scope", '{"write": ["src/**"]}')
    (repo / made["worktree"] / name).write_text("x\n")
    cli.run("session", "end", "1", "0")


def test_a_hint_names_commands_not_tools(cli: Cli) -> None:
    cli.run("task", "add", "one")
    done = cli.run("task", "complete", "1", "success", "Did it.")
    assert done.stderr.endswith("hint: `deedlog session start` begins the work on a planned task\n")
    refused = json.loads(cli.run("task", "complete", "1", "success", "Did it.", "--json").stderr)
    assert refused["error"]["hint"].startswith("session_start begins")


def test_so_does_what_an_answer_tells_to_do_next(cli: Cli, repo: Path) -> None:
    work_outside_its_scope(cli, repo, "NEW.md")
    done = cli.run("worker", "done", "1", "--force")
    assert "restore:    `deedlog worker restore` brings the work tree of session 1 back\n" in done.stdout
    assert answered(cli, "worker", "done", "1")["restore"].startswith("worker_restore brings")


def test_a_refusal_names_the_files_it_is_about(cli: Cli, repo: Path) -> None:
    work_outside_its_scope(cli, repo, "NEW\x1b[2J.md")
    said = cli.run("worker", "done", "1").stderr
    assert said.splitlines() == [
        "error: session 1 changed 1 file(s) outside its scope: nothing was merged",
        "  NEW\\x1b[2J.md (read-only)",
        (
            "hint: a person approves it (`deedlog review list` shows the question), or:"
            " `deedlog worker done --force` merges it, `deedlog worker done --how discard --force` gives it up"
        ),
    ]
    assert "1 commit(s)" in cli.run("worker", "done", "1", "--how", "discard").stderr


def test_a_list_of_tasks_tells_what_they_wait_for_also_on_a_narrow_terminal(cli: Cli) -> None:
    title = "A title that is too long for a terminal, so that some of its end and some columns are left out"
    for _ in range(2):
        cli.run("task", "add", title)
    cli.run("task", "add", title, "--depends-on", "1", "--depends-on", "2")
    cli.run("task", "next", "--actor", "alice")
    _, shown = cli.on_terminal("task", "list")
    heading, third, *_, first = (line.split() for line in shown.splitlines()[:4])
    assert [name.strip("\x1b[01m") for name in heading][-3:] == ["priority", "waitingFor", "claimedBy"]
    assert third[-2:] == ["1,", "2"]
    assert first[-1] == "alice"


def test_without_a_terminal_columns_stand_in_the_order_of_the_rows(cli: Cli) -> None:
    cli.run("task", "add", "one")
    cli.run("task", "add", "two", "--depends-on", "1")
    heading = cli.run("task", "list").stdout.splitlines()[0].split()
    assert heading[-3:] == ["ready", "waitingFor", "updatedAt"]


def test_numbers_may_be_given_with_commas(cli: Cli) -> None:
    for title in "abc":
        cli.run("task", "add", title)
    assert cli.run("task", "depend", "3", "--add", "1,task-2", "--quiet").returncode == 0
    assert answered(cli, "task", "get", "3")["dependsOn"] == [1, 2]
    assert "--add: must be a whole number, not 'x'" in cli.run("task", "depend", "3", "--add", "1,x").stderr


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["session", "select", "task-1"], "sessionId: task-1 is a task, not a session"),
        (["task", "get", "session-1"], "id: session-1 is a session, not a task"),
        (["task", "add", "x", "--depends-on", "session-1"], "dependsOn: session-1 is a session, not a task"),
        (["task", "add", "Fix", "the", "login"], "put a text of several words in quotes"),
        (["agent", "import", "coder.yaml"], "a command reads a file where @ stands before its name"),
        (["worker", "stop", "1"], "task-1 has no worker that runs"),
        (["worker", "done", "1"], "task-1 has no worker"),
        (["worker", "restore", "1"], "task-1 has no work tree that was removed"),
    ],
)
def test_a_mistake_is_told_in_words_that_help(cli: Cli, words: list[str], complaint: str) -> None:
    cli.run("task", "add", "one")
    (cli.folder / "coder.yaml").write_text("name: mine\n")
    assert complaint in cli.run(*words).stderr


def test_help_tells_every_option_once(cli: Cli) -> None:
    assert cli.run("worker", "run", "--help").stdout.count("--idempotency-key") == 1


def test_what_cannot_be_undone_says_what_to_do_instead(cli: Cli) -> None:
    cli.run("task", "add", "one")
    cli.run("worker", "command", "1")
    cli.run("worker", "stop", "1")
    said = cli.run("undo").stderr
    assert said.startswith("error: worker_stop cannot be undone\nhint: `deedlog worker run` starts another worker; ")
    assert "`deedlog events` shows earlier ops" in said


def test_a_terminal_has_room_for_what_a_person_is_asked(cli: Cli, repo: Path) -> None:
    work_outside_its_scope(cli, repo, "NEW.md")
    _, shown = cli.on_terminal("review", "list")
    assert "May “one” also change NEW.md? It is outside of its scope." in shown


def test_a_status_is_no_option_and_the_hint_says_what_is(cli: Cli) -> None:
    cli.run("task", "add", "one")
    done = cli.run("task", "update", "1", "--status", "done")
    assert done.stderr.startswith("error: there is no option '--status' here\n")
    assert "`deedlog task done` and `deedlog task cancel`" in done.stderr
    assert "done" in cli.run("task", "done", "1", "--note", "By phone").stdout


def test_a_list_of_agents_tells_their_scope_in_words(cli: Cli) -> None:
    scope = {"read": ["**/*"], "write": ["docs/**", "*.md"], "exclude": []}
    cli.run("agent", "create", "author", "--scope", json.dumps(scope))
    _, shown = cli.on_terminal("agent", "list")
    assert "read **/*; write docs/**, *.md" in shown
    assert "{" not in shown
