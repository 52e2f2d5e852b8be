"""Everybody can use the page: axe finds nothing, the keyboard goes everywhere, landmarks lead a screen reader."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from scripts.shop import Shop
from tests.browser.conftest import OpenPage
from tests.browser.room import visit

FIND = """() => axe.run().then(({violations}) => violations.map((violation) => ({
  rule: violation.id,
  where: violation.nodes.map((node) => node.target.join(" ")).slice(0, 5),
  why: violation.nodes[0].failureSummary,
})))"""


@pytest.fixture(scope="session")
def axe(node_folder: Path) -> str:
    return (node_folder / "node_modules/axe-core/axe.min.js").read_text()


def violations(page: Page, axe: str) -> list[Any]:
    page.evaluate(axe)
    found: list[Any] = page.evaluate(FIND)
    return found


def settled(page: Page) -> None:
    """Wait until what a view loads afterwards is there."""
    expect(page.locator("[aria-busy=true]")).to_have_count(0)


@pytest.mark.proves("page:accessibility:axe")
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1360, 360], ids=["wide", "narrow"])
def test_axe_finds_nothing_in_any_view(shop: Shop, open_shop: OpenPage, axe: str, width: int, *, dark: bool) -> None:
    page = open_shop(dark=dark, width=width)
    found = {}
    for name, address in shop.views().items():
        visit(page, shop, address)
        settled(page)
        if wrong := violations(page, axe):
            found[name] = wrong
    assert not found, json.dumps(found, indent=1)


@pytest.mark.proves("page:accessibility:landmarks")
def test_every_view_has_one_heading_of_the_first_level_and_the_same_landmarks(shop: Shop, open_shop: OpenPage) -> None:
    page = open_shop()
    for name, address in shop.views().items():
        visit(page, shop, address)
        expect(page.get_by_role("heading", level=1), name).to_have_count(1)
        for landmark in ("banner", "navigation", "main", "search"):
            expect(page.get_by_role(landmark).first, f"{name}: {landmark}").to_be_visible()
        expect(page.locator("html")).to_have_attribute("lang", "en")
        expect(page).to_have_title(re.compile(" · Deedlog$"))


@pytest.mark.proves("page:keys:views")
def test_the_keyboard_alone_reaches_every_view(shop: Shop, open_shop: OpenPage) -> None:
    page = visit(open_shop(), shop)
    entries = page.locator("nav.side a[data-key]")
    for number in range(entries.count()):
        address, keys = entries.nth(number).get_attribute("href"), entries.nth(number).get_attribute("data-key")
        assert address
        assert keys
        for key in keys.split():
            page.keyboard.press(key)
        expect(page).to_have_url(re.compile(re.escape(shop.base + address) + r"([?#].*)?$"))
        expect(entries.nth(number)).to_have_attribute("aria-current", "page")


@pytest.mark.proves("page:keys:rows", "page:keys:list")
def test_rows_are_walked_over_and_opened_with_the_keyboard(shop: Shop, open_shop: OpenPage) -> None:
    page = visit(open_shop(), shop, "/workflows")
    page.keyboard.press("j")
    rows = page.locator("#main [data-row]")
    expect(rows.nth(0)).to_be_focused()
    page.keyboard.press("j")
    expect(rows.nth(1)).to_be_focused()
    page.keyboard.press("k")
    name = rows.nth(0).get_by_role("link").first.inner_text()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text(name)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox", name="Search everything")).to_be_focused()


def test_the_first_stop_of_the_tab_key_skips_to_the_content(shop: Shop, open_shop: OpenPage) -> None:
    page = visit(open_shop(), shop)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
