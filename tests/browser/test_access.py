from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from deedlog.faces.cli.page_link import page_link
from deedlog.settings import load
from deedlog.token import sign_in_secret
from tests.browser.conftest import OpenPage
from tests.browser.room import BROKEN, DEEDLOG, TOKEN, Room, Watchman, live, visit

KEY = "localStorage.getItem('deedlog-key')"


def decide(page: Page) -> None:
    """As a button of a view does; `outcome` is how it ended."""
    page.evaluate(
        """async () => {
          const page = document.querySelector('script[type=module]').src;
          const { call } = await import(page.replace('shell.js', 'actions.js'));
          const made = call('/api/workflow/start', { name: 'Decided here' });
          window.outcome = made.then(() => 'done', (error) => error.message);
        }"""
    )


def outcome(page: Page) -> str:
    return str(page.evaluate("window.outcome"))


def offered(page: Page, why: str) -> None:
    """The page tells how to sign in, and why that is needed."""
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(page.locator("#card").get_by_text("deedlog open", exact=True)).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text(why)


@pytest.mark.proves("page:token:own", "page:link:once")
def test_a_link_signs_one_browser_in_and_leaves_nothing_of_it_in_the_address(
    room: Room, open_page: OpenPage, watchman: Watchman
) -> None:
    link = room.link().replace("/#", "/events?kind=task#")
    page = open_page(keyed=False)
    page.goto(link)
    live(page)
    assert page.url == f"{room.base}/events?kind=task"
    assert page.context.cookies() == []
    decide(page)
    assert outcome(page) == "done"
    watchman.tolerate(r"status of 401 .*/sign-in")
    other = open_page(keyed=False)
    other.goto(link)
    offered(other, "used already")


@pytest.mark.proves("page:sign-in:everywhere")
def test_a_browser_that_did_not_sign_in_is_shown_how_and_goes_on_where_it_wanted(
    room: Room, open_page: OpenPage, watchman: Watchman
) -> None:
    watchman.tolerate(r"status of 401 .*/sign-in")
    page = open_page(keyed=False)
    page.goto(f"{room.base}/events?kind=task")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.get_by_label("Link").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    offered(page, "too old")
    page.get_by_label("Link").fill(room.link())
    page.get_by_label("Your name, in the log").fill("Zoë")
    page.get_by_role("button", name="Sign in").click()
    live(page)
    assert page.url == f"{room.base}/events?kind=task"
    decide(page)
    assert outcome(page) == "done"
    page.locator("#access").click()
    expect(page.get_by_label("Your name, in the log")).to_have_value("Zoë")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert page.evaluate(KEY) is None


def test_a_report_is_downloaded_with_the_sign_in(room: Room, page: Page) -> None:
    workflow = room.call("start_workflow", name="Paint the house")["workflow_id"]
    visit(page, room, f"/workflow/{workflow}")
    with page.expect_download() as coming:
        page.get_by_role("link", name="Markdown").click()
    assert "Paint the house" in coming.value.path().read_text()


@pytest.mark.proves("page:token:own")
def test_after_a_restart_open_pages_say_so_and_go_on_once_the_browser_signs_in_again(
    room: Room, page: Page, watchman: Watchman
) -> None:
    watchman.tolerate(BROKEN)
    visit(page, room)
    port = room.server.port
    room.stop()
    room.start(port)
    expect(page.locator("#lost")).to_contain_text("The server restarted")
    decide(page)
    assert outcome(page) == "The server restarted"
    again = page.context.new_page()
    again.goto(f"{room.base}/board")
    offered(again, "The server restarted since you signed in")
    again.goto(room.link())
    live(again)
    live(page)
    expect(page.locator("#lost")).to_be_hidden()
    decide(page)
    assert outcome(page) == "done"


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


@pytest.mark.proves("page:sign-in:everywhere")
@pytest.mark.skipif(sys.platform != "linux", reason="other systems have only 127.0.0.1")
def test_beyond_loopback_people_sign_in_with_a_link(
    far: str, repo: Path, open_page: OpenPage, watchman: Watchman
) -> None:
    secret = sign_in_secret(load(str(repo), os.environ))
    watchman.tolerate(r"127\.0\.0\.2")  # another host here, by purpose
    page = open_page(keyed=False)
    page.goto(page_link(far.removeprefix("http://"), secret))
    live(page)
    assert page.context.cookies() == []
    decide(page)
    assert outcome(page) == "done"


@pytest.mark.proves("page:signature:bound")
def test_a_browser_whose_clock_is_wrong_uses_the_page_all_the_same(room: Room, page: Page, watchman: Watchman) -> None:
    watchman.tolerate(r"status of 425 ")
    page.add_init_script("const right = Date.now; Date.now = () => right() - 7200000;")
    visit(page, room)
    decide(page)
    assert outcome(page) == "done"
