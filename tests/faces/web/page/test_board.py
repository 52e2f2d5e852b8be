from __future__ import annotations

import pytest

from tests.conftest import Call
from tests.faces.web.page.conftest import Page

HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"


def add(call: Call, title: str, **more: object) -> int:
    return int(call("task_create", title=title, **more)["id"])


def cards(page: Page, address: str = "/board") -> dict[str, list[str]]:
    shown = page.get(address)
    columns = {column["data-column"]: column.all(".ticket") for column in shown.all("[data-column]")}
    return {name: [card["data-ref"] for card in found] for name, found in columns.items() if found}


@pytest.mark.proves("page:empty:next")
def test_an_empty_board_tells_the_next_command(page: Page) -> None:
    assert page.get("/board").one(".empty .command").text == "deedlog task add 'My first task'"


@pytest.mark.proves("page:board:columns")
def test_a_task_stands_in_its_column(page: Page, call: Call) -> None:
    first = add(call, "a")
    add(call, "b", dependsOn=[first])
    call("task_cancel", id=add(call, "c"))
    assert cards(page) == {"ready": ["task-1"], "blocked": ["task-2"], "cancelled": ["task-3"]}
    assert "task-1" in page.get("/board").one("#card-task-2").text


@pytest.mark.proves("page:board:filters")
def test_the_filters_are_in_the_address(page: Page, call: Call) -> None:
    workflow_id = call("start_workflow", name="Add login")["workflow_id"]
    add(call, "tokens", labels=["backend"], areas=["auth"], workflowId=workflow_id)
    add(call, "button", labels=["frontend"], assignee="coder")
    for asked, found in (
        ("label=backend", "task-1"),
        ("area=auth", "task-1"),
        (f"workflow_id={workflow_id}", "task-1"),
        ("agent=coder", "task-2"),
        ("text=BUTT", "task-2"),
    ):
        assert cards(page, f"/board?{asked}") == {"ready": [found]}, asked
        form = page.get(f"/board?{asked}").one("#filters")
        name, _, value = asked.partition("=")
        chosen = form.all(f"input[name={name}]") or form.all(f"select[name={name}] option[selected]")
        assert value in (chosen[0].attributes.get("value"), chosen[0].text)


def test_a_column_can_be_looked_at_alone(page: Page, call: Call) -> None:
    add(call, "a")
    call("task_done", id=add(call, "b"))
    assert cards(page, "/board?column=done") == {"done": ["task-2"]}
    assert cards(page, "/board?column=nonsense") == {"ready": ["task-1"], "done": ["task-2"]}


def test_more_of_a_long_column_is_shown_on_demand(page: Page, call: Call) -> None:
    for number in range(25):
        add(call, f"t{number}")
    call("task_done", id=25)
    shown = page.get("/board")
    assert len(shown.all("#column-ready .ticket")) == 20
    more = shown.one("#column-ready .more a")
    assert "4 left" in more.text
    whole = page.get(more["href"])
    assert len(whole.all("#column-ready .ticket")) == 24
    assert not whole.all(".more")


@pytest.mark.proves("page:board:moves")
def test_a_card_carries_the_moves_it_may_make(page: Page, call: Call) -> None:
    add(call, "a")
    call("task_cancel", id=add(call, "b"))
    shown = page.get("/board")
    assert shown.one("#card-task-1")["data-moves"] == "done=task/done=id cancelled=task/cancel=id"
    assert shown.one("#card-task-2")["data-moves"] == "ready=task/reopen=id"
    assert shown.one("#card-task-1 [data-move]")["aria-label"] == "Move task-1 to…"


@pytest.mark.proves("page:board:moves")
def test_every_move_there_is_leads_to_an_operation(page: Page, call: Call) -> None:
    from deedlog.core.column import COLUMNS, moves
    from deedlog.core.task import STATUSES, Task
    from deedlog.faces.web.page.views.board import _moves
    from deedlog.operation import catalog

    known = {op.path: op.input_schema["properties"] for op in catalog.load()}
    for column in COLUMNS:
        for status in STATUSES:
            offered = moves(Task(id="t", number=1, name="n", created_at=1, status=status), column)
            for move in _moves({"moves": offered}).split():
                _, path, name = move.split("=")
                assert name in known[f"/api/{path}"], move


@pytest.mark.proves("page:text:escaped")
def test_what_people_call_things_stays_text(page: Page, call: Call) -> None:
    add(call, HOSTILE, labels=[HOSTILE], assignee=HOSTILE)
    reply = page.fetch("GET", "/board")
    assert b"<script>alert" not in reply.body
    assert b"<img" not in reply.body
    assert reply.html.one("#card-task-1 .name").text == HOSTILE


def test_a_board_of_a_workflow_that_is_gone_is_refused_on_a_page(page: Page) -> None:
    assert page.get("/board?workflow_id=wf-none", 404).one(".refusal").text
