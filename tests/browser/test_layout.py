"""The page fits: a telephone shows all of it without scrolling sideways, a large screen is used."""

from __future__ import annotations

import pytest

from scripts.screenshots import FOLDER, LOOKS
from scripts.shop import Shop
from tests.browser.conftest import OpenPage
from tests.browser.room import visit

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


@pytest.mark.proves("page:tour:pictures")
def test_every_view_has_its_pictures_in_the_tour(shop: Shop) -> None:
    """They are made by `make screenshots`."""
    tour = (ROOT / "docs/guides/page.md").read_text()
    pictures = {f"{name}{suffix}.webp" for name in shop.views() for suffix in LOOKS}
    assert {path.name for path in FOLDER.iterdir()} == pictures
    assert {name for name in pictures if f"../images/page/{name}" not in tour} == set()


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
    for name in ("now", "board", "workflow-timeline", "task", "sessions", "events"):
        visit(page, shop, views[name])
        used[name] = page.evaluate(USED)
    assert {name: right for name, right in used.items() if right < 0.7 * LARGE} == {}
