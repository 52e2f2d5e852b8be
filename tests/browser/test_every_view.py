"""Every view of the demo, by whoever with whatever: axe finds nothing, keys go everywhere, each screen shows all of it.

One file, because the demo is made once for it.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from scripts.screenshots import FOLDER, LOOKS
from scripts.shop import Shop
from tests.browser.conftest import OpenPage
from tests.browser.room import live, visit

FIND = """() => axe.run().then(({violations}) => violations.map((violation) => ({
  rule: violation.id,
  where: violation.nodes.map((node) => node.target.join(" ")).slice(0, 5),
  why: violation.nodes[0].failureSummary,
})))"""
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
OUTSIDE = """() => [...document.querySelectorAll("#main *")].filter((element) => {
  const box = element.getBoundingClientRect();
  if (!box.width || !box.height || box.right <= innerWidth + 1) return false;
  for (let above = element.parentElement; above && above.id !== "main"; above = above.parentElement)
    if (["auto", "scroll", "hidden", "clip"].includes(getComputedStyle(above).overflowX)) return false;
  return true;
}).slice(0, 5).map((element) => element.outerHTML.slice(0, 120))"""
USED = (
    """() => Math.max(...[...document.querySelectorAll("#main *")].map((one) => one.getBoundingClientRect().right))"""
)
LARGE = 2560
ROOT = FOLDER.parent.parent.parent
pytestmark = pytest.mark.timeout(900)  # many views of a demo that goes on working, on a machine that may be busy


@pytest.fixture(scope="session")
def axe(node_folder: Path) -> str:
    return (node_folder / "node_modules/axe-core/axe.min.js").read_text()


def violations(page: Page, axe: str) -> list[Any]:
    """In the light and in the dark: colours change at once, without a transition."""
    page.evaluate(axe)
    found: list[Any] = []
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found += [{"scheme": scheme, **each} for each in page.evaluate(FIND)]
    return found


def settled(page: Page) -> None:
    """Wait until what a view loads afterwards is there."""
    expect(page.locator("[aria-busy=true]")).to_have_count(0)


@pytest.mark.proves("page:accessibility:axe")
@pytest.mark.parametrize("width", [1360, 360], ids=["wide", "narrow"])
def test_axe_finds_nothing_in_any_view(shop: Shop, open_shop: OpenPage, axe: str, width: int) -> None:
    page = open_shop(width=width)
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
        live(page)


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
    live(page)
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


@pytest.mark.proves("page:tour:pictures")
def test_every_view_has_its_pictures_in_the_tour(shop: Shop) -> None:
    """They are made by `make screenshots`."""
    tour = (ROOT / "docs/guides/page.md").read_text()
    pictures = {f"{name}{suffix}.webp" for name in shop.views() for suffix in LOOKS}
    assert {path.name for path in FOLDER.iterdir()} == pictures
    assert {name for name in pictures if f"../images/page/{name}" not in tour} == set()


def test_no_view_loads_itself_again(shop: Shop, open_shop: OpenPage) -> None:
    page = open_shop()
    loaded: list[str] = []
    page.on("framenavigated", lambda frame: loaded.append(frame.url))
    for name, address in shop.views().items():
        visit(page, shop, address)
        assert loaded == [shop.base + address], name
        loaded.clear()


@pytest.mark.proves("page:layout:narrow")
def test_nothing_scrolls_sideways_on_a_telephone(shop: Shop, open_shop: OpenPage) -> None:
    page = open_shop(width=360, height=740)
    found = {}
    for name, address in shop.views().items():
        visit(page, shop, address)
        if page.evaluate(SIDEWAYS) > 0 or page.evaluate(OUTSIDE):
            found[name] = (page.evaluate(SIDEWAYS), page.evaluate(OUTSIDE))
    assert not found, found


@pytest.mark.proves("page:layout:wide")
def test_a_large_screen_is_used(shop: Shop, open_shop: OpenPage) -> None:
    page = open_shop(width=LARGE, height=1300)
    views = shop.views()
    used = {}
    for name in ("now", "review", "board", "workflow-timeline", "task", "sessions", "events"):
        visit(page, shop, views[name])
        used[name] = page.evaluate(USED)
    assert {name: right for name, right in used.items() if right < 0.7 * LARGE} == {}
