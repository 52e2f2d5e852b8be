from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from deedlog.faces.web.access import link_code
from deedlog.token import page_key
from tests.browser.conftest import OpenPage
from tests.browser.room import DEEDLOG, TOKEN, Room, Watchman, live, visit

KEY = "localStorage.getItem('deedlog-key')"


def decide(page: Page) -> None:
    """As a button of a view does; `outcome` is how it ended."""
    page.evaluate(
        """async () => {
          const page = document.querySelector('script[type=module]').src;
          const { call } = await import(page.replace('page.js', 'actions.js'));
          const made = call('/api/workflow/start', { name: 'Decided here' });
          window.outcome = made.then(() => 'done', (error) => error.message);
        }"""
    )


def outcome(page: Page) -> str:
    return str(page.evaluate("window.outcome"))


@pytest.mark.proves("page:token:own")
def test_the_link_brings_the_key_and_leaves_nothing_of_it_in_the_address(room: Room, open_page: OpenPage) -> None:
    page = open_page(keyed=False)
    page.goto(f"{room.base}/?a=1#key={page_key(TOKEN)}")
    live(page)
    assert page.url == f"{room.base}/?a=1"
    assert page.evaluate(KEY) == page_key(TOKEN)
    expect(page.locator("#access")).to_have_attribute("data-may", "decide")
    decide(page)
    assert outcome(page) == "done"


@pytest.mark.proves("page:link:once")
def test_a_link_that_opens_the_browser_brings_the_key_once(room: Room, open_page: OpenPage, watchman: Watchman) -> None:
    link = f"{room.base}/#once={link_code(TOKEN)}"
    page = open_page(keyed=False)
    page.goto(link)
    expect(page.locator("#access")).to_have_attribute("data-may", "decide")
    assert page.evaluate(KEY) == page_key(TOKEN)
    assert page.url == f"{room.base}/"
    watchman.tolerate(r"status of 401 .*/sign-in")
    other = open_page(keyed=False)
    other.goto(link)
    expect(other.get_by_text("run deedlog open again")).to_be_visible()
    expect(other.locator("#access")).to_contain_text("View only")


@pytest.mark.proves("page:token:own")
def test_without_a_key_the_page_looks_and_asks_for_it_when_somebody_decides(room: Room, open_page: OpenPage) -> None:
    page = visit(open_page(keyed=False), room)
    expect(page.locator("#access")).to_contain_text("View only")
    decide(page)
    dialog = page.get_by_role("dialog", name="Deciding on this page")
    expect(dialog).to_be_visible()
    expect(dialog.get_by_role("button", name="Forget the key")).to_be_hidden()
    dialog.get_by_label("Key").fill("wrong")
    dialog.get_by_role("button", name="Use it").click()
    expect(dialog.get_by_text("not, or no longer, the key of this page")).to_be_visible()
    dialog.get_by_label("Key").fill(f"{room.base}/#key={page_key(TOKEN)}")
    dialog.get_by_label("Your name, in the log").fill("Zoë")
    dialog.get_by_role("button", name="Use it").click()
    expect(dialog).to_be_hidden()
    assert outcome(page) == "done"
    expect(page.locator("#access")).to_have_attribute("data-may", "decide")
    page.locator("#access").click()
    dialog.get_by_role("button", name="Forget the key").click()
    expect(page.locator("#access")).to_contain_text("View only")
    assert page.evaluate(KEY) is None


def test_who_only_looks_is_told_so_where_they_tried_to_decide(room: Room, open_page: OpenPage) -> None:
    page = visit(open_page(keyed=False), room)
    decide(page)
    page.get_by_role("button", name="Only look", exact=True).click()
    assert outcome(page) == "This page may only look"


@pytest.fixture
def far(repo: Path) -> Iterator[str]:
    """A server beyond loopback: 127.0.0.2 stands for another address, which a browser on this machine reaches."""
    environment = {**os.environ, "DEEDLOG_TOKEN": TOKEN}
    process = subprocess.Popen(
        [*DEEDLOG, "serve", "--port", "0", "--host", "127.0.0.2"],
        cwd=repo,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr
    found = re.search(r"http://127\.0\.0\.2:\d+", process.stderr.readline())
    assert found
    yield found[0]
    process.terminate()
    process.wait(30)
    process.stderr.close()


@pytest.mark.proves("page:sign-in:beyond-loopback")
@pytest.mark.skipif(sys.platform != "linux", reason="other systems have only 127.0.0.1")
def test_beyond_loopback_people_sign_in_with_the_key_and_out_again(
    far: str, open_page: OpenPage, watchman: Watchman
) -> None:
    watchman.tolerate(r"127\.0\.0\.2")  # another host here, by purpose
    page = open_page(keyed=False)
    page.goto(f"{far}/events?kind=task")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.get_by_label("Key").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("not the key")
    page.get_by_label("Key").fill(page_key(TOKEN))
    page.get_by_role("button", name="Sign in").click()
    live(page)
    assert page.url == f"{far}/events?kind=task"
    assert page_key(TOKEN) not in str(page.context.cookies())
    decide(page)
    assert outcome(page) == "done"
    page.locator("#access").click()
    page.get_by_role("button", name="Forget the key").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.goto(f"{far}/#key={page_key(TOKEN)}")
    live(page)
    assert page.url == f"{far}/"
