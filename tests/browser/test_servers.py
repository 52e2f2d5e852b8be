from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.room import Room, mark, unmoved, visit
from tests.engines.gateway.stub_server import stub


@pytest.fixture
def room(repo: Path, tmp_path: Path) -> Iterator[Room]:
    file = tmp_path / "settings/deedlog/servers.json"
    file.parent.mkdir(parents=True)
    command, *args = stub("--just", "echo,fail", "--only-tools", "--start-after", tmp_path / "start")
    file.write_text(json.dumps({"mcpServers": {"stubby": {"command": command, "args": args}}}))
    with Room(repo, XDG_CONFIG_HOME=str(tmp_path / "settings")) as opened:
        yield opened


@pytest.mark.proves("page:servers:mounted")
def test_a_server_is_mounted_called_and_unmounted_and_the_page_follows(room: Room, page: Page, tmp_path: Path) -> None:
    visit(page, room, "/servers?q=stubby")
    mark(page)
    row = page.locator("#server-stubby")
    row.get_by_role("button", name="Mount stubby").click()
    expect(row.get_by_text("starting…")).to_be_visible()
    (tmp_path / "start").write_text("")
    expect(row.get_by_role("button", name="Unmount stubby")).to_be_visible()
    assert unmoved(page)
    visit(page, room, "/server/stubby")
    mark(page)
    expect(page.locator("#tool-echo")).to_contain_text("stubby__echo")
    room.call("mcp_call", server="stubby", tool="fail", arguments={"text": "went <b>wrong</b>"})
    expect(page.locator("main")).to_contain_text("1 failed")
    expect(page.locator("main")).to_contain_text('{"text": "went <b>wrong</b>"}')
    page.get_by_role("button", name="fail: deny").click()
    expect(page.get_by_role("button", name="fail: deny")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Unmount stubby").click()
    page.locator("#sure").get_by_role("button", name="Yes").click()
    expect(page.get_by_role("button", name="Mount stubby", exact=True)).to_be_visible()
    assert unmoved(page)


@pytest.mark.proves("page:servers:mounted")
def test_a_server_that_an_agent_mounts_appears_as_mounted(room: Room, page: Page, tmp_path: Path) -> None:
    (tmp_path / "start").write_text("")
    visit(page, room, "/servers?q=stubby")
    mark(page)
    room.call("mcp_activate", name="stubby")
    expect(page.get_by_role("button", name="Unmount stubby")).to_be_visible()
    assert unmoved(page)
