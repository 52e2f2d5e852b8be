"""Rows that a table would cut where it matters: each with its whole text below it, or over the rows it holds."""

from __future__ import annotations

from typing import Any

import pytest

from deedlog.faces.cli.show import answer_lines
from deedlog.faces.cli.style import Style
from deedlog.faces.cli.terminal import width
from tests.faces.cli.running import Cli

ASKED = ("kind", "task_id", "question", "waiting_seconds", "actions", "id")
ITEM = {
    "id": "rev-1j9x2k3m4n5p6q7r",
    "kind": "scope",
    "question": "May “Add login” also change docs/login.md and README.md? They are outside of src/auth.",
    "waiting_seconds": 125,
    "task_id": "task-10",
    "actions": ["widen_scope", "approve", "send_back"],
    "uri": "review://rev-1j9x2k3m4n5p6q7r",
}
CARDS = ("task_id", "name", "attention")
BOARD = [
    {"name": "ready", "count": 2, "tasks": [{"task_id": "task-1", "name": "a"}, {"task_id": "task-20", "name": "b"}]},
    {"name": "blocked", "count": 0, "tasks": []},
    {"name": "review", "count": 9, "tasks": [{"task_id": "task-3", "name": "x" * 90, "attention": "merge"}]},
]


def shown(answer: Any, first: tuple[str, ...], columns: int | None = 80, whole: str = "question") -> list[str]:
    return list(answer_lines(answer, Style(columns, brief=True, whole=whole), first))


@pytest.mark.proves("face:cli:readable")
@pytest.mark.parametrize("columns", [40, 60, 80, 200])
def test_on_a_terminal_the_text_that_rows_are_about_is_never_cut(columns: int) -> None:
    found = shown({"items": [ITEM, ITEM], "total": 2}, ASKED, columns)
    assert all(width(line) <= columns for line in found)
    said = " ".join(" ".join(found).split())
    assert said.count(str(ITEM["question"])) == 2
    assert said.startswith("scope task-10 waiting 2m 05s widen_scope, approve, send_back rev-1j9x2k3m4n5p6q7r May")
    assert found[-1] == "total: 2"


def test_a_row_of_it_is_a_line_and_the_text_below() -> None:
    assert shown({"items": [ITEM]}, ASKED, 100) == [
        "scope  task-10  waiting 2m 05s  widen_scope, approve, send_back  rev-1j9x2k3m4n5p6q7r",
        f"  {ITEM['question']}",
    ]
    assert shown({"items": [{"id": "x", "question": "", "kind": "lease"}]}, ASKED) == ["lease  x"]


def test_where_there_is_no_terminal_it_is_a_table_as_ever() -> None:
    heading, row = shown({"items": [ITEM]}, ASKED, None)
    assert heading.split() == list(ASKED)
    assert str(ITEM["question"]) in row


@pytest.mark.proves("face:cli:escapes")
def test_a_text_of_many_lines_stays_below_its_row_and_cannot_act_on_the_terminal() -> None:
    row = {"id": "a\nb", "kind": "x", "question": "one\n\x1b[2Jtwo\n"}
    assert shown({"items": [row]}, ASKED) == ["x  a\\nb", "  one", "  \\x1b[2Jtwo"]


@pytest.mark.proves("face:cli:readable")
def test_rows_that_hold_rows_are_headings_over_them() -> None:
    found = shown({"columns": BOARD, "labels": ["web"], "workflows": [{"name": "w"}]}, CARDS, 40, "")
    assert found == [
        "  task_id  name                attention",
        "ready  count 2",
        "  task-1   a",
        "  task-20  b",
        "blocked  count 0",
        "review  count 9",
        f"  task-3   {'x' * 17}…  merge",
        "labels: web",
        "workflows:",
        "  name",
        "  w",
    ]


def test_the_board_of_a_project_can_be_read_on_a_terminal(cli: Cli) -> None:
    assert cli.run("task", "create", "Add the login page").returncode == 0
    _, text = cli.on_terminal("task", "board", NO_COLOR="1")
    lines = text.splitlines()
    place = lines.index("ready  count 1")
    assert lines[place + 1].split()[:4] == ["task-1", "Add", "the", "login"]
    assert "{" not in text
