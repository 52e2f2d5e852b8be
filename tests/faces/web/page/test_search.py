from __future__ import annotations

import pytest

from deedlog.faces.web.page.marking import marked
from tests.conftest import Call
from tests.faces.web.page.conftest import Page


@pytest.fixture
def task_id(call: Call) -> str:
    workflow_id = call("start_workflow", name="Add login")["workflow_id"]
    found: str = call("start_task", workflow_id=workflow_id, name="Setup login tokens", goal="g")["task_id"]
    said = {"category": "library_choice", "chosen": "jsonwebtoken", "reasoning": "login needs it"}
    call("log_decision", task_id=found, question="Which library?", **said)
    return found


@pytest.mark.proves("page:search:grouped")
def test_hits_are_grouped_by_kind_with_the_words_marked(page: Page, task_id: str) -> None:
    shown = page.get("/search?q=LOGIN")
    names = [heading.text for heading in shown.all("main h2")]
    assert {"Workflows 1", "Tasks 1", "Decisions 1"} <= set(names)
    assert {mark.text for mark in shown.all(".name mark")} == {"login"}
    assert task_id in shown.one("section[aria-labelledby=kind-decision]").text


@pytest.mark.proves("page:search:grouped")
def test_one_kind_alone(page: Page, task_id: str) -> None:
    shown = page.get("/search?q=login&kind=decision")
    assert [heading.text for heading in shown.all("main h2")] == ["Decisions 1"]


@pytest.mark.proves("page:search:jumps")
def test_what_is_named_exactly_is_gone_to_at_once(page: Page, task_id: str) -> None:
    reply = page.fetch("GET", f"/search?q={task_id}")
    assert (reply.status, reply.headers["location"].startswith("/task/")) == (303, True)
    assert "Setup login tokens" in page.get("/search?q=1").one("section[aria-labelledby=jumps]").text
    assert "Nothing has “task-99”" in page.get("/search?q=task-99").one(".empty").text


def test_what_finds_nothing_helps(page: Page, task_id: str) -> None:
    assert "Fewer or shorter words" in page.get("/search?q=zebra").one(".empty").text
    assert "press / anywhere" in page.get("/search").one(".empty").text
    assert "no kind 'taks'" in page.get("/search?q=login&kind=taks").one(".refusal").text
    assert page.get("/search?q=zebra&kind=task").one("a.button")["href"] == "/search?q=zebra&all=1"


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("Été et été", ["ete"], "<mark>Été</mark> et <mark>été</mark>"),
        ("<b>bold</b>", ["b"], "&lt;<mark>b</mark>&gt;<mark>b</mark>old&lt;/<mark>b</mark>&gt;"),
        ("認証を追加", ["認証"], "<mark>認証</mark>を追加"),
        ("straße", ["strasse"], "<mark>straße</mark>"),
        ("nothing here", ["zebra"], "nothing here"),
        ("", ["a"], ""),
        ("overlap", ["over", "verl"], "<mark>overl</mark>ap"),
    ],
)
def test_words_are_marked_as_they_were_written(text: str, words: list[str], expected: str) -> None:
    assert str(marked(text, words)) == expected
