"""Lists that are longer than one answer."""

from __future__ import annotations

import json

import pytest

from deedlog.faces.cli.explain import explained
from deedlog.faces.cli.operate import beside, comes_in_pages
from deedlog.operation import catalog
from deedlog.testing import app_in, caller
from tests.faces.cli.running import Cli

COUNT = 130
pytestmark = pytest.mark.proves("face:cli:all-pages")


@pytest.fixture
def names(cli: Cli) -> list[str]:
    """The names of more workflows than one page has, newest first."""
    app = app_in(str(cli.folder / ".git/deedlog"))
    for number in range(COUNT):
        app.call("start_workflow", {"name": f"number-{number}"}, caller())
    app.close()
    return [f"number-{number}" for number in reversed(range(COUNT))]


def shown(text: str) -> list[str]:
    return [line.split()[1] for line in text.splitlines()[1:]]


def test_a_list_that_was_cut_says_how_to_go_on(cli: Cli, names: list[str]) -> None:
    done = cli.run("workflow", "list", "--limit", "100")
    assert shown(done.stdout) == names[:100]
    more, cursor = done.stderr.strip().rsplit(" ", 1)
    assert more == "more: --all, or --cursor"
    rest = cli.run("workflow", "list", "--cursor", cursor)
    assert (shown(rest.stdout), rest.stderr) == (names[100:], "")


@pytest.mark.parametrize("words", [[], ["--limit", "7"]])
def test_all_pages_are_one_table(cli: Cli, names: list[str], words: list[str]) -> None:
    done = cli.run("workflow", "list", "--all", *words)
    assert (done.returncode, done.stderr) == (0, "")
    assert shown(done.stdout) == names
    _, on_terminal = cli.on_terminal("workflow", "list", "--all", *words, NO_COLOR="1")
    assert [line.split()[1] for line in on_terminal.splitlines() if line.startswith("wf-")] == names
    assert on_terminal.count("workflow_id") == 1


def test_for_a_program_all_pages_are_one_answer(cli: Cli, names: list[str]) -> None:
    answer = json.loads(cli.run("workflow", "list", "--all", "--json", "--limit", "50").stdout)
    assert [row["name"] for row in answer.pop("workflows")] == names
    assert answer == {}
    page = json.loads(cli.run("workflow", "list", "--json", "--limit", "50").stdout)
    assert page["next_cursor"]


def test_all_files_of_a_task_are_shown_with_what_stands_beside_them(cli: Cli) -> None:
    workflow_id = json.loads(cli.run("workflow", "start", "x", "--json").stdout)["workflow_id"]
    cli.run("task", "start", workflow_id, "n", "g")
    paths = [f"file-{number:03}.txt" for number in range(COUNT)]
    for path in paths:
        (cli.folder / path).write_text("x\n")
    assert cli.run("task", "complete", "task-1", "success", "done").returncode == 0
    lines = cli.run("task", "changes", "task-1", "--all", "--limit", "50").stdout.splitlines()
    assert [line.split()[0] for line in lines[1 : COUNT + 1]] == paths
    assert lines[COUNT + 1 : COUNT + 3] == ["counts:", f"  added:       {COUNT}"]


def test_where_there_is_nothing_all_of_it_says_so(cli: Cli) -> None:
    done = cli.run("review", "list", "--all")
    assert (done.returncode, done.stdout) == (0, "")
    assert "nothing" in done.stderr


def test_every_list_with_a_cursor_has_the_option_and_what_is_raw_needs_none() -> None:
    paged = {op.name for op in catalog.load() if comes_in_pages(op)}
    assert {"workflow_list", "review_list", "task_changes"} <= paged
    assert "task_patch" not in paged
    for op in catalog.load():
        assert ("all" in beside(op)["properties"]) == (op.name in paged)
        assert ("--all " in explained(op)) == (op.name in paged)
