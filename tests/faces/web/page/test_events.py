from __future__ import annotations

import pytest

from deedlog.app import App
from deedlog.faces.web.page import tail
from deedlog.testing import caller
from tests.conftest import Call
from tests.faces.web.page.conftest import Page
from tests.faces.web.page.markup import Element


def seqs(shown: Element) -> list[int]:
    return [int(row["data-seq"]) for row in shown.all("li.event")]


@pytest.mark.proves("page:events:tail")
def test_the_log_is_shown_newest_first_with_links_to_its_things(page: Page, call: Call) -> None:
    workflow_id = call("start_workflow", name="Add login")["workflow_id"]
    call("start_task", workflow_id=workflow_id, name="Setup JWT", goal="g")
    shown = page.get("/events")
    assert seqs(shown) == [3, 2, 1]
    first = shown.one("#event-1")
    assert "workflow Add login started" in first.text
    assert "tester" in first.one(".by").text
    assert first.one(".things a")["href"] == f"/workflow/{workflow_id}"
    assert "/session/session-1" in [link["href"] for link in shown.all(".what a")]


@pytest.mark.proves("page:events:filters")
def test_filters_are_in_the_address_and_stay_in_their_fields(page: Page, app: App, call: Call) -> None:
    call("start_workflow", name="one")
    app.call("start_workflow", {"name": "two"}, caller("someone"))
    shown = page.get("/events?actor=someone&kind=workflow&operation=start_workflow")
    assert seqs(shown) == [2]
    assert shown.one("input[name=actor]")["value"] == "someone"
    assert shown.one("option[selected]").text == "workflow"
    assert seqs(page.get("/events?kind=task")) == []


@pytest.mark.proves("page:events:filters")
def test_a_filter_that_can_match_nothing_is_told_beside_the_filters(page: Page) -> None:
    shown = page.get("/events?kind=workflow.chnged")
    assert "did you mean 'workflow.changed'?" in shown.one("main .refusal").text
    assert shown.one("option[selected]").text == "workflow.chnged"


@pytest.mark.proves("page:events:older")
def test_older_pages_follow_without_gaps(page: Page, call: Call) -> None:
    for number in range(150):
        call("start_workflow", name=str(number))
    seen: list[int] = []
    address = "/events"
    while address:
        shown = page.get(address)
        seen += seqs(shown)
        address = next((link["href"] for link in shown.all(".more a")), "")
    assert seen == list(range(150, 0, -1))


@pytest.mark.proves("page:events:permalink")
def test_an_event_has_an_address_that_shows_it_among_its_neighbours(page: Page, call: Call) -> None:
    for number in range(30):
        call("start_workflow", name=str(number))
    shown = page.get("/events?seq=7")
    assert shown.one("li[aria-current]")["data-seq"] == "7"
    assert shown.one("#change-7")["data-load"] == "/part/event/7"
    assert seqs(shown)[0] == 17
    assert shown.one("[data-with=events]")["data-tail"] == ""


@pytest.mark.proves("page:events:tail")
def test_an_open_tail_reads_only_what_came_since(page: Page, call: Call) -> None:
    for number in range(3):
        call("start_workflow", name=str(number))
    assert seqs(page.get("/part/events?after=1")) == [3, 2]
    assert seqs(page.get("/part/events?after=1&actor=nobody")) == []


@pytest.mark.proves("page:events:change")
def test_a_change_is_shown_field_by_field_and_raw(page: Page, call: Call) -> None:
    workflow_id = call("start_workflow", name="x")["workflow_id"]
    call("complete_workflow", workflow_id=workflow_id)
    shown = page.get("/part/event/2")
    rows = {row.one("th").text: [cell.text for cell in row.all("td")] for row in shown.all("tbody tr")}
    assert rows["status"] == ["in_progress", "completed"]
    assert rows["ended at"] == ["nothing", "2025-01-15T10:00:00Z"]
    assert '"kind": "workflow.changed"' in shown.one("pre").text
    page.get("/part/event/99", 404)


def test_what_workers_print_is_left_out_until_somebody_asks(page: Page, call: Call) -> None:
    call("start_workflow", name="x")
    assert "checked" not in page.get("/events").one("input[name=output]")
    assert "checked" in page.get("/events?output=1").one("input[name=output]")
    assert "checked" in page.get("/events?kind=output").one("input[name=output]")


def test_an_empty_log_tells_the_next_command(page: Page) -> None:
    assert "deedlog workflow start" in page.get("/events").one(".empty").text


def test_a_filter_that_finds_little_looks_back_a_bounded_way_and_further_when_asked(
    page: Page, app: App, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tail, "WINDOW", 5)
    app.call("start_workflow", {"name": "mine"}, caller("someone"))
    for number in range(7):
        call("start_workflow", name=str(number))
    shown = page.get("/events?actor=someone")
    assert seqs(shown) == []
    assert "Nothing that fits since event 4." in shown.one("main .empty").text
    assert seqs(page.get(shown.one("main .more a")["href"])) == [1]
