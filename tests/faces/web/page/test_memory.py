from __future__ import annotations

import pytest

from deedlog.app import App
from tests.conftest import Call
from tests.faces.web.page.conftest import Page


@pytest.fixture
def money(call: Call) -> str:
    said = "Prices are <b>integers</b>"
    call("memory_add", id="money", category="rule", title="Money in <i>cents</i>", summary=said, status="active")
    return "money"


def test_an_empty_bank_tells_the_next_command(page: Page) -> None:
    assert "deedlog memory add" in page.get("/memory").one(".empty").text


def test_entries_are_shown_and_filtered(page: Page, call: Call, money: str) -> None:
    call("memory_add", id="linter", category="tooling", title="Linter")
    rows = {row["id"] for row in page.get("/memory").all("[data-row]")}
    assert rows == {f"memory-{money}", "memory-linter"}
    assert "Money in <i>cents</i>" in page.get("/memory?status=active").one(f"#memory-{money}").text
    assert not page.get("/memory?category=tooling").all(f"#memory-{money}")
    assert not page.get("/memory?q=integers").all("#memory-linter")
    assert page.get("/memory?q=integers").all(f"#memory-{money}")


@pytest.mark.proves("page:memory:preview")
def test_what_workers_see_is_shown_exactly(page: Page, call: Call, money: str) -> None:
    told = call("memory_preview")["context"]
    assert money in told
    shown = page.get("/memory?show=preview").one("pre")
    assert shown.text == " ".join(told.split())
    assert page.get("/memory?show=preview&labels=ja").one("pre").text != shown.text


@pytest.mark.proves("page:memory:changed")
def test_an_entry_shows_its_history_and_is_changed_by_its_form(page: Page, call: Call, money: str) -> None:
    form = page.get(f"/memory/{money}").one("#edit-entry form")
    assert form["data-call"] == "/api/memory/edit"
    assert form.one("input[name=summary]")["value"] == "Prices are <b>integers</b>"
    page.call("memory edit", id=money, summary="In cents", content="# Why\n<script>x</script>")
    shown = page.get(f"/memory/{money}")
    assert "<script>x</script>" in shown.one("article").text
    assert not shown.all("article script")
    assert "summary" in shown.text
    page.call("memory archive", id=money)
    assert "archived" in page.get(f"/memory/{money}").one(".head").text


def test_an_entry_that_is_not_there_is_not_found(page: Page) -> None:
    page.get("/memory/absent", status=404)


@pytest.mark.proves("page:off:told")
def test_without_the_module_it_is_said_what_switches_it_on(page: Page, app: App, money: str) -> None:
    app.capabilities.switch("authoring", on=False)
    assert "deedlog capability set authoring" in page.get(f"/memory/{money}").one(".empty").text
    assert page.get("/memory").all(f"#memory-{money}")
