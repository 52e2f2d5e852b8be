from __future__ import annotations

import pytest

from deedlog.testing import Clock
from tests.conftest import Call
from tests.faces.web.page.conftest import Page

HOSTILE = "<script>alert(1)</script>\u202e\"'>{{ 7*7 }}"


@pytest.fixture
def workflow_id(call: Call) -> str:
    plan = [{"step": "Middleware", "goal": "Tokens are read"}]
    made = call("start_workflow", name="Move to JWT", description="No cookie is left", plan=plan)
    return str(made["workflow_id"])


def start(call: Call, workflow_id: str, name: str, parent: str | None = None) -> str:
    said = {"workflow_id": workflow_id, "name": name, "goal": "g", "parent_task_id": parent}
    return str(call("start_task", **said)["task_id"])


def test_the_list_tells_how_far_each_is(page: Page, call: Call, workflow_id: str) -> None:
    done = start(call, workflow_id, "done")
    call("complete_task", task_id=done, status="success", outcome={"summary": "s"})
    start(call, workflow_id, "at work")
    row = page.get("/workflows").one(f"#{workflow_id}")
    assert "1 of 2 done, 1 at work" in row.text
    assert row.one("svg.share")["aria-label"] == "1 in progress, 1 done"


def test_the_list_is_narrowed_by_status_and_paged(page: Page, call: Call) -> None:
    made = [call("start_workflow", name=f"number {number}")["workflow_id"] for number in range(51)]
    call("complete_workflow", workflow_id=made[0], status="failed")
    failed = page.get("/workflows?status=failed")
    assert [row["id"] for row in failed.all("main li[data-row]")] == [made[0]]
    first = page.get("/workflows")
    assert len(first.all("main li[data-row]")) == 50
    more = first.one("main .more a")["href"]
    assert [row["id"] for row in page.get(more).all("main li[data-row]")] == [made[0]]


def test_an_empty_list_tells_the_next_command(page: Page) -> None:
    assert "deedlog workflow start" in page.get("/workflows").one("main .command").text
    assert "No workflow has this status" in page.get("/workflows?status=failed").one("main").text


@pytest.mark.proves("page:workflow:timeline")
def test_the_timeline_has_bars_of_sessions_and_marks_with_names(
    page: Page, call: Call, workflow_id: str, clock: Clock
) -> None:
    task = start(call, workflow_id, "Read tokens")
    clock.turn(60)
    call("log_milestone", task_id=task, message="half way", progress=40)
    clock.turn(30)
    call("log_decision", task_id=task, category="other", question="Which?", chosen="EdDSA", reasoning="r")
    clock.turn(30)
    shown = page.get(f"/workflow/{workflow_id}")
    row = shown.one(f"#tl-{task}")
    bar, *marks = row.all("svg a")
    assert (bar["href"], bar.one("svg.tl-bar")["data-e"]) == ("/session/session-1", "")
    assert bar["aria-label"].startswith("tester 40 % · session-1 · running · 2025-01-15 10:00 UTC")
    assert bar.one("rect.part")["width"] == "40%"
    assert [mark["aria-label"].split(" · ")[:2] for mark in marks] == [
        ["milestone, 40 %", "half way"],
        ["decision", "Which? → EdDSA"],
    ]
    assert {mark.one("use")["href"] for mark in marks} == {"#mk-decision", "#mk-milestone"}
    assert shown.one("#timeline")["data-live"] == "2025-01-15T10:02:00Z"


def test_subtasks_stand_under_their_parent_and_can_be_hidden(page: Page, call: Call, workflow_id: str) -> None:
    parent = start(call, workflow_id, "parent")
    child = start(call, workflow_id, "child", parent)
    shown = page.get(f"/workflow/{workflow_id}?show=timeline")
    assert shown.one(f"#tl-{child}")["data-under"] == parent
    assert shown.one(f"#tl-{parent} button")["data-of"] == parent


def test_the_same_is_told_as_a_table(page: Page, call: Call, workflow_id: str) -> None:
    start(call, workflow_id, "Read tokens")
    address = page.get(f"/workflow/{workflow_id}").one("#tl-table")["data-load"]
    table = page.get(address).one("table")
    assert "session-1 tester, running" in table.text
    assert len(table.all("th[scope=col]")) == 4


def test_a_view_of_a_workflow_follows_all_that_happens_in_it(page: Page, workflow_id: str) -> None:
    main = page.get(f"/workflow/{workflow_id}").one("main")
    assert main["data-subjects"] == f"workflow://{workflow_id}"
    assert {"task", "session", "milestone", "decision", "issue", "review", "run"} <= set(main["data-follows"].split())


def test_the_tree_is_nested(page: Page, call: Call, workflow_id: str) -> None:
    parent = start(call, workflow_id, "parent")
    child = start(call, workflow_id, "child", parent)
    tree = page.get(f"/workflow/{workflow_id}?show=tree")
    assert tree.one(f"#tree-{parent} #tree-{child}").text.startswith("◐in progress task-2 child")


@pytest.mark.proves("page:workflow:graph")
def test_the_graph_tells_what_waits_for_what(page: Page, call: Call, workflow_id: str) -> None:
    first = call("task_create", title="Login route", workflowId=workflow_id)["id"]
    second = call("task_create", title="Web client", workflowId=workflow_id, dependsOn=[first])["id"]
    shown = page.get(f"/workflow/{workflow_id}?show=graph")
    node = shown.one(f"#n-task-{second}")
    assert node["href"] == f"/task/task-{second}"
    assert node.text == f"… blocked task-{second} Web client"
    assert node["aria-description"] == f"Web client, waits for task-{first}, on the longest chain"
    assert "critical" in shown.one(f"#l-task-{first}-task-{second}")["class"]
    assert "1 wait for it" in shown.one(f"#n-task-{first}")["aria-description"]


def test_the_plan_tells_its_steps_and_what_switches_runs_on(page: Page, workflow_id: str) -> None:
    shown = page.get(f"/workflow/{workflow_id}?show=plan").one("main")
    assert "Middleware Tokens are read" in shown.one(".steps").text.replace("Middleware", "Middleware ")
    assert "deedlog capability set plan-lifecycle" in shown.text
    assert shown.one("#complete form")["data-call"] == "/api/workflow/complete"


def test_where_runs_can_be_followed_one_can_be_started(page: Page, call: Call, workflow_id: str) -> None:
    call("capability_set", name="plan-lifecycle")
    shown = page.get(f"/workflow/{workflow_id}?show=plan")
    assert f"deedlog plan run {workflow_id}" in shown.one("main .command").text
    assert shown.one("#run-it form")["data-call"] == "/api/plan/run"


def test_what_is_not_known_is_shown_as_usual_or_refused(page: Page, workflow_id: str) -> None:
    assert page.get(f"/workflow/{workflow_id}?show=nothing&rows=0").one(".tabs a[aria-current=page]").text == "Timeline"
    assert page.get(f"/workflow/{workflow_id}?rows=x", 422).one(".refusal").text
    assert page.get("/workflow/wf-nope", 404).one(".refusal").text
    assert page.get("/workflow/wf-nope/report.html", 404).one(".refusal").text


@pytest.mark.parametrize("tab", ["timeline", "tree", "graph", "plan"])
def test_text_of_others_is_text_in_every_tab(page: Page, call: Call, tab: str) -> None:
    plan = [{"step": HOSTILE, "goal": HOSTILE}]
    wf = call("start_workflow", name=HOSTILE, description=HOSTILE, plan=plan)["workflow_id"]
    task = start(call, wf, HOSTILE)
    call("log_milestone", task_id=task, message=HOSTILE)
    reply = page.fetch("GET", f"/workflow/{wf}?show={tab}")
    assert b"<script>alert" not in reply.body
    assert b"49" not in reply.html.one("h1").text.encode()
    assert HOSTILE.split("\u202e", maxsplit=1)[0] in reply.html.one("h1").text
    assert b" style=" not in reply.body


@pytest.mark.proves("page:workflow:many")
def test_many_tasks_are_drawn_in_part_and_the_rest_is_told(page: Page, call: Call, workflow_id: str) -> None:
    before = "0"
    for number in range(160):
        made = call(
            "task_create", title=f"number {number}", workflowId=workflow_id, dependsOn=[int(before)][: number % 2]
        )
        before = str(made["id"])
    reply = page.fetch("GET", f"/workflow/{workflow_id}")
    assert len(reply.html.all(".tl-row")) == 100
    assert "60 more tasks are not drawn" in reply.html.one("main .note").text
    assert len(reply.body) < 100_000
    assert len(page.get(f"/workflow/{workflow_id}?rows=500").all(".tl-row")) == 160
    call("session_start", taskId=121, agent="tester")
    recent = page.get(f"/workflow/{workflow_id}")
    assert [row["id"] for row in recent.all(".tl-row")] == ["tl-task-121"]
    assert recent.all(".tl-tools a[aria-pressed=true]")[0].text == "Recent"
    assert len(page.get(f"/workflow/{workflow_id}?show=graph").all(".gr-node")) == 160
