from __future__ import annotations

import pytest

from tests.conftest import Call
from tests.faces.web.page.conftest import Page
from tests.faces.web.page.markup import Html


@pytest.fixture
def issue(page: Page, call: Call) -> Html:
    workflow_id = call("start_workflow", name="Add login")["workflow_id"]
    task_id = call("start_task", workflow_id=workflow_id, name="Setup JWT", goal="g")["task_id"]
    call("log_issue", task_id=task_id, type="other", description="No key", resolution="Made <b>one</b>")
    (event,) = call("event_list", kind="issue")["events"]
    return page.get(f"/thing?uri={event['subjects'][0]}")


@pytest.mark.proves("page:thing:readable")
def test_a_thing_is_shown_with_its_fields_and_links_by_name(issue: Html) -> None:
    facts = issue.one("dl.facts")
    links = {link.text: link["href"] for link in facts.all("a[href]")}
    assert links["workflow Add login"].startswith("/workflow/")
    assert any(name.startswith("task-1") or "Setup JWT" in name for name in links)
    assert "Made <b>one</b>" in facts.text


@pytest.mark.proves("page:thing:readable")
def test_what_happened_to_it_is_below(issue: Html) -> None:
    assert "issue: No key → Made <b>one</b>" in issue.one("#log li.event").text


def test_a_thing_with_a_view_of_its_own_is_shown_there(page: Page, call: Call) -> None:
    workflow_id = call("start_workflow", name="x")["workflow_id"]
    for name in (f"workflow://{workflow_id}", workflow_id):
        reply = page.fetch("GET", f"/thing?uri={name}")
        assert (reply.status, reply.headers["location"]) == (303, f"/workflow/{workflow_id}")
