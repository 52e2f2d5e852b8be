from __future__ import annotations

from pathlib import Path

import pytest

from deedlog.app import App
from deedlog.faces.web.page.views import decisions
from deedlog.testing import Clock, app_in
from tests.conftest import Call
from tests.engines.gateway.standing_by import until
from tests.faces.web.page.conftest import Page
from tests.recording import record

ZOD = {
    "category": "library_choice",
    "question": "Which <b>validation</b> library?",
    "options_considered": ["Zod", "Yup"],
    "chosen": "Zod",
    "reasoning": "It is <i>typed</i>",
}


@pytest.fixture
def app(repo: Path, tmp_path: Path, clock: Clock) -> App:
    return app_in(str(tmp_path / "store"), tree=str(repo), clock=clock)


@pytest.fixture
def logged(call: Call) -> str:
    call("start_workflow", name="Forms")
    call("task_create", title="Validate input")
    return str(call("log_decision", task_id="task-1", **ZOD)["decision_id"])


def test_where_nothing_is_decided_the_next_command_is_told(page: Page) -> None:
    assert "deedlog clarify" in page.get("/decisions").one(".empty").text
    assert "no ADR" in page.get("/part/decisions/problems").text


def test_candidates_are_counted_among_the_newest_decisions_only(
    page: Page, call: Call, logged: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab = "nav.tabs .count"
    assert (bool(logged), page.get("/decisions").one(tab).text) == (True, "1")
    monkeypatch.setattr(decisions, "LOOKED_AT", 1)
    call("log_decision", task_id="task-1", **ZOD)
    assert page.get("/decisions").one(tab).text == "1+"


@pytest.mark.proves("page:decisions:promote")
def test_a_logged_decision_is_a_candidate_until_it_is_made_an_adr(page: Page, logged: str) -> None:
    row = page.get("/decisions?show=candidates").one(f"#{logged}")
    assert "Which <b>validation</b> library?" in row.text
    assert row.one("form")["data-call"] == "/api/adr/promote"
    assert "It is <i>typed</i>" in page.get(f"/decision/{logged}").text
    made = page.call("adr promote", decision_id=logged)
    assert not page.get("/decisions?show=candidates").all(f"#{logged}")
    assert page.get(f"/decision/{logged}").all(f"a[href=/decision/{made['uid']}]")
    shown = page.get(f"/decision/{made['uid']}")
    assert "task-1" in shown.text
    assert not shown.all("article i")
    assert "It is <i>typed</i>" in shown.one("article").text


@pytest.mark.proves("page:decisions:now")
def test_the_architecture_is_shown_with_what_it_was_before(page: Page, app: App) -> None:
    first = record(app, Database__Type="MySQL").uid
    second = record(app, Database__Type="<PostgreSQL>").uid
    shown = page.get("/decisions")
    assert "<PostgreSQL>" in shown.one(".areas").text
    assert "before: MySQL" in shown.one(".areas").text
    steps = page.get("/decisions?show=chain").all(".chain li a")
    assert [(step["href"].rpartition("/")[2], step.text) for step in steps] == [
        (first, "MySQL"),
        (second, "<PostgreSQL>"),
    ]
    assert "decided anew" in page.get(f"/decision/{first}").one(".note").text


@pytest.mark.proves("page:decisions:now")
def test_what_merged_branches_decided_differently_is_a_contradiction(
    page: Page, app: App, repo: Path, tmp_path: Path
) -> None:
    other = tmp_path / "elsewhere/tree"
    other.mkdir(parents=True)
    mine = record(app, Queue__Broker="Kafka")
    theirs = record(app_in(str(tmp_path / "elsewhere/store"), tree=str(other)), Queue__Broker="RabbitMQ")
    (other / theirs.path).rename(repo / theirs.path)
    told = page.get("/decisions").one("#conflicts").parent
    assert told is not None
    assert {link["href"] for link in told.all("a")} == {f"/decision/{mine.uid}", f"/decision/{theirs.uid}"}


def test_decisions_are_filtered(page: Page, app: App, logged: str) -> None:
    uid = record(app, Database__Type="PostgreSQL").uid

    def ids(query: str) -> list[str]:
        return [row["id"] for row in page.get(f"/decisions?show=list&{query}").all("[data-row]")]

    assert sorted(ids("")) == sorted([uid, logged])
    assert ids("origin=task") == [logged]
    assert ids("category=Database") == [uid]
    assert ids("text=validation") == [logged]
    assert ids("task=task-1") == [logged]
    assert ids("text=absent") == []


def test_what_somebody_changed_in_an_adr_is_told(page: Page, app: App, call: Call, repo: Path, logged: str) -> None:
    path = repo / str(call("adr_promote", decision_id=logged)["path"])
    assert "in order" in page.get("/part/decisions/problems").text
    path.write_text(path.read_text().replace("Zod", "Yup", 1))
    until(lambda: bool(page.get("/part/decisions/problems").all(".failed")), "a page that is not a kept one")


def test_a_damaged_record_does_not_hide_the_page(page: Page, app: App, repo: Path) -> None:
    uid = record(app, Database__Type="PostgreSQL").uid
    [file] = (repo / "docs/adr").glob(f"{uid}*")
    file.write_bytes(b"\xff\xfe not an ADR any more")
    for query in ("", "?show=list", "?show=chain", "?show=candidates"):
        page.get(f"/decisions{query}")


def test_an_adr_that_is_not_there_is_not_found(page: Page) -> None:
    page.get("/decision/20250108T143512.237Z-A001", status=404)
    page.get("/decision/dec-0000", status=404)


@pytest.mark.proves("page:off:told")
def test_without_the_module_the_page_says_what_switches_it_on(page: Page, app: App) -> None:
    app.capabilities.switch("clarify", on=False)
    assert "deedlog capability set clarify" in page.get("/decisions").one(".empty").text
