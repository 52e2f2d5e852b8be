from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256

import pytest

from tests.conftest import Call
from tests.faces.web.page.conftest import Page
from tests.faces.web.page.markup import Html

HOSTILE = "<img src=//evil.example onerror=alert(1)>"


@pytest.fixture
def workflow_id(call: Call) -> str:
    wf = str(call("start_workflow", name=f"Move {HOSTILE}", description="No cookie is left")["workflow_id"])
    task = call("start_task", workflow_id=wf, name=HOSTILE, goal=HOSTILE)["task_id"]
    call("log_decision", task_id=task, category="other", question=HOSTILE, chosen=HOSTILE, reasoning="r")
    call("log_milestone", task_id=task, message=HOSTILE, progress=10)
    call("complete_task", task_id=task, status="success", outcome={"summary": HOSTILE, "achievements": [HOSTILE]})
    return wf


@pytest.mark.proves("page:export:html")
def test_a_report_is_one_file_that_loads_nothing_and_runs_nothing(page: Page, workflow_id: str) -> None:
    reply = page.fetch("GET", f"/workflow/{workflow_id}/report.html")
    assert reply.headers["content-disposition"] == f'attachment; filename="deedlog-{workflow_id}.html"'
    text = reply.body.decode()
    shown = Html.of(reply.body)
    assert not [each for each in shown if each.tag in ("script", "link", "img", "iframe", "object")]
    assert not re.search(r"(?:src|href)=\"(?!#)", text), "all links lead to parts of the file"
    assert "url(" not in text.replace("url(#tl-hatch)", "")
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)
    assert style
    digest = b64encode(sha256(style[1].encode()).digest()).decode()
    policy = shown.one("meta[http-equiv=Content-Security-Policy]")["content"]
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}'")
    assert " style=" not in text


def test_its_links_lead_to_what_is_in_it(page: Page, workflow_id: str) -> None:
    shown = page.get(f"/workflow/{workflow_id}/report.html")
    names = {each["id"] for each in shown if "id" in each}
    links = {each["href"][1:] for each in shown.all("a[href]")}
    assert links
    assert links <= names


def test_it_tells_the_whole_workflow(page: Page, workflow_id: str) -> None:
    shown = page.get(f"/workflow/{workflow_id}/report.html")
    assert "No cookie is left" in shown.text
    assert len(shown.all(".tl-row")) == 1
    article = shown.one("article")
    for part in ("Goal", "Outcome", "Verification", "Sessions", "Decisions", "Milestones", HOSTILE):
        assert part in article.text


@pytest.mark.proves("page:export:markdown")
def test_markdown_is_given_as_a_file(page: Page, workflow_id: str) -> None:
    reply = page.fetch("GET", f"/workflow/{workflow_id}/report.md")
    assert reply.headers["content-type"].startswith("text/markdown")
    assert reply.headers["content-disposition"] == f'attachment; filename="deedlog-{workflow_id}.md"'
    text = reply.body.decode()
    assert text.startswith("# Move &lt;img")
    assert "<" not in text


def test_an_empty_workflow_has_a_report(page: Page, call: Call) -> None:
    wf = call("start_workflow", name="Empty")["workflow_id"]
    assert "There was no task" in page.get(f"/workflow/{wf}/report.html").text


def test_of_work_that_goes_on_it_tells_no_end_and_moments_to_the_second(page: Page, call: Call) -> None:
    wf = call("start_workflow", name="Move")["workflow_id"]
    task = call("start_task", workflow_id=wf, name="First", goal="g")["task_id"]
    call("log_milestone", task_id=task, message="half way", progress=50)
    shown = page.get(f"/workflow/{wf}/report.html")
    assert "Lasted" not in shown.one("header").text
    assert "2025-01-15 10:00:00 UTC · 50 % · half way" in shown.one("article").text


def test_only_who_declared_areas_is_said_to_have_stayed_in_them(page: Page, call: Call) -> None:
    wf = str(call("start_workflow", name="Move to JWT")["workflow_id"])
    said = {}
    for areas in ([], ["auth"]):
        task = call("start_task", workflow_id=wf, name="Verify tokens", goal="g", areas=areas)["task_id"]
        call("complete_task", task_id=task, status="success", outcome={"summary": "done"})
        said[task] = (page.get(f"/task/{task}").one("main").text, bool(areas))
    for text, declared in said.values():
        assert ("in the declared areas" in text, "Nothing is out of scope" in text) == (declared, not declared)
    for report in (page.get(f"/workflow/{wf}/report.html").text, call("workflow_report", workflow_id=wf)["markdown"]):
        assert (report.lower().count("stayed in its areas"), report.lower().count("nothing is out of scope")) == (1, 1)
