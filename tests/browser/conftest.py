"""A real server and a real browser. Without Chromium these tests are skipped, and say why."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from scripts import chromium
from scripts.shop import Shop
from tests.browser.room import Place, Room, Watchman
from tests.e2e.conftest import node_folder  # noqa: F401  # a fixture

PATIENCE_MILLISECONDS = 30_000

expect.set_options(timeout=PATIENCE_MILLISECONDS)

OpenPage = Callable[..., Page]


@pytest.fixture(scope="session")
def shared_browser() -> Iterator[Browser]:
    if not chromium.found():
        pytest.skip(chromium.MISSING)
    with sync_playwright() as playwright:
        browser = chromium.started(playwright)
        loop = asyncio.get_running_loop()
        asyncio._set_running_loop(None)
        yield browser
        asyncio._set_running_loop(loop)
        browser.close()


@pytest.fixture
def browser(shared_browser: Browser) -> Iterator[Browser]:
    """Between its calls Playwright leaves its event loop marked as running: other tests of this process want none."""
    asyncio._set_running_loop(shared_browser._impl_obj._loop)
    yield shared_browser
    asyncio._set_running_loop(None)


@pytest.fixture
def room(repo: Path) -> Iterator[Room]:
    """A server on a repository with one commit, for one test."""
    with Room(repo) as opened:
        yield opened


@pytest.fixture
def watchman() -> Iterator[Watchman]:
    """Errors in the console, refusals of the content policy and requests to other hosts make the test fail."""
    watching = Watchman()
    yield watching
    assert watching.problems == []


@pytest.fixture
def open_page(browser: Browser, room: Room, watchman: Watchman) -> Iterator[OpenPage]:
    """`open_page(dark=True, width=390)`: a browser that signed in (`keyed=False`: it did not)."""
    with ExitStack() as stack:
        yield lambda **how: opened(stack, browser, room, watchman, **how)


@pytest.fixture(scope="module")
def shop() -> Iterator[Shop]:
    """The demo of the page, whose agents go on working, for all tests of a file."""
    if not chromium.found():
        pytest.skip(chromium.MISSING)
    with Shop() as opened:
        yield opened


@pytest.fixture
def open_shop(browser: Browser, shop: Shop, watchman: Watchman) -> Iterator[OpenPage]:
    """As `open_page`, on the demo."""
    with ExitStack() as stack:
        yield lambda **how: opened(stack, browser, shop, watchman, **how)


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    return open_page()


def opened(
    stack: ExitStack,
    browser: Browser,
    place: Place,
    watchman: Watchman,
    *,
    dark: bool = False,
    width: int = 1360,
    height: int = 840,
    keyed: bool = True,
    **options: Any,
) -> Page:
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
        **options,
    )
    stack.callback(context.close)
    watchman.watch(context)
    context.set_default_timeout(PATIENCE_MILLISECONDS)
    if keyed:
        keep = f"localStorage.setItem('deedlog-key', localStorage.getItem('deedlog-key') ?? '{place.sign_in()}')"
        context.add_init_script(f"if (location.protocol === 'http:') {keep}")
    return context.new_page()
