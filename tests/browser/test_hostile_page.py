"""Every view of a project full of hostile texts, in a browser: nothing runs, asks elsewhere or overflows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from deedlog.faces.web.page.pages import MENU
from tests.browser.conftest import OpenPage
from tests.browser.room import Room, live
from tests.faces.web.page.hostile import ALL_MODULES, TEXTS, Walk, commit, files, fill, perhaps

FIRST = [*(address for _, address, _, _ in MENU), "/search?q=zzx"]
EACH = 2  # things of a kind that are looked at
FEW = {name: TEXTS[name] for name in ("attribute", "closing", "markdown", "turned", "one-word", "huge")}
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
LOOK = """() => {
  const made = [...document.querySelectorAll('*')];
  const odd = (element) => element.localName.includes('zzx')
    || element.getAttributeNames().some((name) => name.includes('zzx') || name.startsWith('on'))
    || (element.localName === 'script' && !element.src.startsWith(location.origin + '/static/'))
    || ['iframe', 'object', 'embed', 'base'].includes(element.localName)
    || /^\\s*(javascript|data|vbscript):/i.test(element.getAttribute('href') ?? '');
  const links = [...document.querySelectorAll('main a[href^="/"]')].map((link) => link.getAttribute('href'));
  const page = document.documentElement;
  return { odd: made.filter(odd).map((element) => element.outerHTML.slice(0, 200)), ran: window.zzx !== undefined,
           wide: page.scrollWidth - page.clientWidth, links };
}"""


@pytest.fixture
def room(repo: Path) -> Iterator[Room]:
    with Room(repo, DEEDLOG_ENABLE=ALL_MODULES) as opened:
        flow = opened.call("start_workflow", name="Files")["workflow_id"]
        task = opened.call("start_task", workflow_id=flow, name="Files", goal="Write them")["task_id"]
        files(repo)
        commit(repo, TEXTS["attribute"])
        with perhaps():
            opened.call("complete_task", task_id=task, status="success", outcome={"summary": TEXTS["closing"]})
        fill(opened.call, FEW)
        yield opened


@pytest.mark.timeout(900)  # many views, on a machine that may be busy
@pytest.mark.proves("page:text:escaped")
def test_no_text_runs_asks_or_overflows_in_any_view(room: Room, open_page: OpenPage) -> None:
    page = open_page()
    page.on("dialog", lambda dialog: pytest.fail(f"a dialog: {dialog.message}"))
    found: dict[str, object] = {}
    walk = Walk(FIRST, EACH)
    for address in walk:
        told = look(page, room, address)
        wrong = {name: told[name] for name in ("odd", "ran", "wide") if told[name]}
        found |= {address: wrong} if wrong else {}
        walk.add(
            [
                link
                for link in (each.partition("#")[0] for each in told["links"])
                if "report." not in link and not link.endswith(".txt")
            ]
        )
    assert found == {}
    assert len(walk.looked) > len(FIRST)


def look(page: Page, room: Room, address: str) -> dict[str, Any]:
    """What is wrong with a view, on a wide screen and on a phone."""
    page.set_viewport_size({"width": 1360, "height": 840})
    page.goto(room.base + address)
    live(page)
    expect(page.locator("[aria-busy=true]")).to_have_count(0)
    wide: int = page.evaluate(TOO_WIDE)
    page.set_viewport_size({"width": 360, "height": 740})
    told: dict[str, Any] = page.evaluate(LOOK)
    told["wide"] = {1360: wide, 360: told["wide"]} if wide > 0 or told["wide"] > 0 else {}
    return told
