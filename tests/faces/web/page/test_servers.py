from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deedlog.app import App
from tests.engines.gateway.standing_by import until
from tests.faces.web.page.conftest import Page
from tests.ops.gate.guarded import House


def tool(name: str, description: str) -> dict[str, Any]:
    return {"name": name, "description": description, "inputSchema": {"type": "object"}}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = House(tmp_path)
    house.define("alpha", tool("greet", "Greets <script>alert(1)</script>."))
    house.configure("alpha", "--just", "echo,change,fail", "--only-tools")
    house.configure("needy", env={"NEEDY_TOKEN": "${NEEDY_TOKEN}"})
    yield house
    house.close()


@pytest.fixture
def app(house: House) -> App:
    return house.app


@pytest.mark.proves("page:servers:ready")
def test_servers_are_grouped_by_what_can_be_done_with_them(page: Page) -> None:
    shown = page.get("/servers")
    ready = shown.one("#server-alpha")
    assert ready.one("form")["data-call"] == "/api/mcp/activate"
    assert "NEEDY_TOKEN" in shown.one("#server-needy").text
    assert not shown.one("#server-needy").all("form")
    page.call("mcp activate", name="alpha")
    assert page.get("/servers?status=active").one("#server-alpha form")["data-call"] == "/api/mcp/deactivate"
    assert not page.get("/servers?status=available").all("#server-alpha")


def test_servers_are_found_by_category_text_and_missing_key(page: Page) -> None:
    assert [row["id"] for row in page.get("/servers?q=needy_token").all("[data-row]")] == ["server-needy"]
    found = page.get("/servers?category=search&q=brave").all("[data-row]")
    assert [row["id"] for row in found] == ["server-brave-search"]
    assert "deedlog mcp add" in page.get("/servers?q=absent").one(".empty").text


def test_what_a_view_shows_is_never_taken_for_what_is_around_it(page: Page) -> None:
    """By its data-server a page knows the server that made it: another one is a reason to load it anew."""
    assert page.get("/server/alpha").one("html")["data-server"] == page.get("/").one("html")["data-server"]


def test_what_cannot_be_mounted_names_no_button_for_it(page: Page) -> None:
    assert "The button above" in page.get("/server/alpha").text
    assert "The button above" not in page.get("/server/needy").text


@pytest.mark.proves("page:servers:tools")
def test_a_server_shows_its_tools_as_agents_see_them_and_who_mounted_it(page: Page) -> None:
    page.call("mcp activate", name="alpha")
    shown = page.get("/server/alpha")
    row = shown.one("#tool-greet")
    assert "alpha__greet" in row.text
    assert "<script>alert(1)</script>" in row.text
    assert not shown.all("main script")
    assert "this server" in shown.text
    page.call("mcp policy", server="alpha", tool="greet", verdict="deny")
    pressed = page.get("/server/alpha").one("#tool-greet button[value=deny]")
    assert pressed["aria-pressed"] == "true"


@pytest.mark.proves("page:servers:held")
def test_what_changed_is_held_back_until_it_is_accepted_on_the_page(page: Page, house: House) -> None:
    page.call("mcp activate", name="alpha")
    house.define("alpha", tool("greet", "Greets otherwise."))
    house.use("alpha__change", list="tools", put=[])
    until(lambda: bool(page.get("/server/alpha").all("#held-greet")), "holding it back")
    held = page.get("/server/alpha").one("#held-greet")
    assert "Greets otherwise." in held.one(".changes").text
    revision = int(held.one("input[name=revision]")["value"])
    page.call("mcp accept", server="alpha", tools=["greet"], yes=True, revision=revision)
    assert not page.get("/server/alpha").all("#held-greet")


@pytest.mark.proves("page:servers:calls")
def test_calls_are_told_with_how_they_ended(page: Page, house: House) -> None:
    page.call("mcp activate", name="alpha")
    house.use("alpha__echo", text="<b>")
    house.use("alpha__fail", text="went <i>wrong</i>")
    until(lambda: len(page.get("/server/alpha").all("tr[data-row]")) >= 5, "the calls")
    until(lambda: "1 failed" in page.get("/server/alpha").text, "the failure")
    failed = page.get("/server/alpha?outcome=error")
    assert '{"text": "went <i>wrong</i>"}' in failed.text
    assert '{"text": "<b>"}' not in failed.text


@pytest.mark.proves("page:off:told")
def test_a_gateway_that_is_off_says_how_it_is_switched_on(page: Page, app: App) -> None:
    app.capabilities.switch("gateway", on=False)
    assert "deedlog capability set gateway" in page.get("/servers").one(".empty").text
    assert "deedlog capability set gateway" in page.get("/server/alpha").one(".empty").text


def test_a_server_nobody_knows_is_not_found(page: Page) -> None:
    page.get("/server/nobody-knows-it", status=404)
