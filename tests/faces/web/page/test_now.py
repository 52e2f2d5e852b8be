from __future__ import annotations

import re

import pytest

from tests.conftest import Call
from tests.faces.web.page.conftest import Page

MOST_BYTES = 200_000
HOSTILE = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"


def begin(call: Call, name: str = "Verify tokens") -> str:
    workflow_id = call("start_workflow", name="Add login")["workflow_id"]
    return str(call("start_task", workflow_id=workflow_id, name=name, goal="g")["task_id"])


@pytest.mark.proves("page:empty:next")
def test_a_newcomer_is_told_the_next_commands(page: Page) -> None:
    shown = page.get("/")
    commands = [code.text for code in shown.all("#welcome .command")]
    assert commands[0] == "deedlog init"
    assert len(commands) == 3
    assert not shown.all(".big")


def test_the_counts_lead_to_what_they_count(page: Page, call: Call) -> None:
    begin(call)
    call("task_create", title="ready")
    failed = call("start_task", workflow_id=call("start_workflow", name="w")["workflow_id"], name="f", goal="g")
    issue = {"type": "other", "description": "Which key server?", "resolution": "guessed"}
    call("log_issue", task_id=failed["task_id"], **issue, requires_human_review=True)
    call("complete_task", task_id=failed["task_id"], status="failed", outcome={"summary": "no"})
    counts = {link["href"]: link.text for link in page.get("/").all(".big a")}
    assert counts["/board?column=ready"].startswith("1")
    assert counts["/board?column=in_progress"].startswith("1")
    for address, told in counts.items():
        if address.startswith("/board"):
            column = page.get(address).one(f"#column-{address.rpartition('=')[2]}")
            assert told.startswith(column.one("h2 .count").text)


@pytest.mark.proves("page:now:running")
def test_what_runs_is_shown_with_its_progress(page: Page, call: Call) -> None:
    task_id = begin(call)
    call("log_milestone", task_id=task_id, message="tokens are verified", progress=60)
    row = page.get("/").one("#run-session-1")
    assert row.one("progress")["value"] == "60"
    assert "tokens are verified" in row.text
    assert row.one(f'.name[href="/task/{task_id}"]').text == "Verify tokens"


def test_what_waits_for_a_person_is_shown_with_its_question(page: Page, call: Call) -> None:
    task_id = begin(call)
    issue = {"type": "other", "description": "Which key server?", "resolution": "guessed"}
    call("log_issue", task_id=task_id, **issue, requires_human_review=True)
    row = page.get("/").one(".waits [data-row]")
    assert "Which key server?" in row.text
    assert row.one(".chip").text == "Question"
    assert row.one("[data-decisive]")["href"].startswith("/review")


@pytest.mark.proves("page:now:finished")
def test_what_finished_is_shown_with_its_outcome(page: Page, call: Call) -> None:
    task_id = begin(call)
    call("complete_task", task_id=task_id, status="partial_success", outcome={"summary": "Expiry is open."})
    row = page.get("/").one(f"#ended-{task_id}")
    assert "partial success" in row.text
    assert "Expiry is open." in row.text


def test_a_workflow_has_a_bar_of_its_tasks_that_can_be_read_aloud(page: Page, call: Call) -> None:
    workflow_id = call("start_workflow", name="Add login")["workflow_id"]
    for title in ("a", "b", "c"):
        call("task_create", title=title, workflowId=workflow_id)
    call("task_done", id=1)
    bar = page.get("/").one(f"#flow-{workflow_id} svg")
    assert bar["aria-label"] == "1 done, 2 open"
    assert [(part["class"], part["x"]) for part in bar.all("rect")[1:]] == [("done", "0"), ("open", "33.3333")]


@pytest.mark.proves("page:text:escaped")
def test_what_agents_say_stays_text(page: Page, call: Call) -> None:
    task_id = begin(call, HOSTILE)
    call("log_milestone", task_id=task_id, message=HOSTILE, progress=1)
    reply = page.fetch("GET", "/")
    assert b"<script>alert" not in reply.body
    assert b"<img" not in reply.body
    assert HOSTILE in reply.html.one("#run-session-1").text


@pytest.mark.proves("page:first:small")
def test_the_first_view_with_all_its_files_stays_small(page: Page, call: Call) -> None:
    for number in range(30):
        task_id = begin(call, f"task number {number} with a name of ordinary length")
        call("log_milestone", task_id=task_id, message="a milestone of ordinary length", progress=10)
        if number % 2:
            call("complete_task", task_id=task_id, status="success", outcome={"summary": "It does what it shall. " * 5})
    first = page.fetch("GET", "/")
    size, known, asked = len(first.body), set[str](), [b"/"]
    bodies = [first.body]
    while bodies:
        body = bodies.pop()
        asked = re.findall(rb'(?:href|src)="(/static/[^"#]+)', body)
        edition = re.search(rb"/static/[^/]+/", first.body).group()  # type: ignore[union-attr]
        asked += [edition + name for name in re.findall(rb'(?:from|import\(|URL\() ?[`"]\.?/?([\w/]+\.js)', body)]
        asked += [edition + name + b".js" for name in re.findall(rb'data-with="(\w+)"', body)]
        for address in asked:
            if address.decode() not in known:
                known.add(address.decode())
                reply = page.fetch("GET", address.decode())
                assert reply.status == 200, address
                size += len(reply.body)
                bodies.append(reply.body)
    assert len(known) > 8
    assert size < MOST_BYTES, size


def test_the_next_command_is_one_that_works(page: Page, call: Call) -> None:
    call("task_create", title="Done already")
    call("task_cancel", id=1)
    assert "deedlog task add" in page.get("/").one(".runs").text
    call("task_create", title="Ready")
    assert "deedlog worker run 2" in page.get("/").one(".runs").text
