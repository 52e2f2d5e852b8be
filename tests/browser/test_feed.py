from __future__ import annotations

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import OpenPage
from tests.browser.room import BROKEN, Room, Watchman, live, mark, unmoved, visit
from tests.e2e.line import Line

ALONE = "delete window.SharedWorker"


def appears(page: Page, name: str) -> None:
    expect(page.locator("#main").get_by_text(name, exact=True).first).to_be_visible()


def begin(room: Room, name: str) -> None:
    room.call("start_workflow", name=name)


@pytest.fixture(params=["shared", "alone"])
def looking(request: pytest.FixtureRequest, room: Room, open_page: OpenPage) -> Page:
    """A page with the worker that all pages share, and one in a browser that has none."""
    page = open_page()
    if request.param == "alone":
        page.context.add_init_script(ALONE)
    return visit(page, room)


@pytest.mark.proves("page:feed:resumes")
def test_a_page_goes_on_after_its_connection_was_away_and_misses_nothing(
    looking: Page, room: Room, watchman: Watchman
) -> None:
    watchman.tolerate(BROKEN)
    with Line(room.server.port) as line:
        looking.goto(line.base)
        live(looking)
        mark(looking)
        line.cut()
        expect(looking.locator("#live")).to_have_attribute("data-state", "away")
        begin(room, "While it was away")
        line.mend()
        live(looking)
        appears(looking, "While it was away")
        begin(room, "Afterwards")
        appears(looking, "Afterwards")
        assert unmoved(looking)


@pytest.mark.proves("page:feed:many")
def test_the_last_of_many_events_is_shown(looking: Page, room: Room) -> None:
    for number in range(40):
        begin(room, f"Event {number}")
    appears(looking, "Event 39")


def test_a_page_whose_neighbour_was_closed_and_one_that_comes_back_are_live(room: Room, page: Page) -> None:
    visit(page, room)
    other = page.context.new_page()
    visit(other, room, "/events")
    page.close()
    begin(room, "One left")
    expect(other.get_by_text("One left").first).to_be_visible()
    other.goto(room.base + "/")
    begin(room, "Meanwhile")
    appears(other, "Meanwhile")
    other.go_back()
    other.go_forward()
    live(other)
    begin(room, "Back again")
    appears(other, "Back again")


def test_what_happens_before_a_part_of_the_page_has_started_reaches_it(room: Room, page: Page) -> None:
    def late(route: Route) -> None:
        begin(room, "Meanwhile")
        route.continue_()

    page.route("**/events.js", late)
    visit(page, room, "/events")
    expect(page.locator("#main").get_by_text("Meanwhile").first).to_be_visible()


def test_a_feed_that_is_refused_is_asked_for_again(room: Room, open_page: OpenPage, watchman: Watchman) -> None:
    watchman.tolerate(f"{BROKEN}|ERR_FAILED")
    refusals = []

    def refuse(route: Route) -> None:
        refusals.append(route.request.url)
        if len(refusals) <= 2:
            route.abort()
        else:
            route.continue_()

    page = open_page()
    page.context.add_init_script(ALONE)
    page.route("**/live?*", refuse)
    visit(page, room)
    assert len(refusals) == 3
    begin(room, "In the end")
    appears(page, "In the end")


def test_a_page_of_an_earlier_server_loads_itself_again_after_a_sign_in_unless_somebody_is_writing(
    room: Room, page: Page, watchman: Watchman
) -> None:
    watchman.tolerate(BROKEN)
    visit(page, room)
    port = room.server.port
    page.locator("#access").click()
    page.get_by_label("Your name, in the log").fill("half a na")
    mark(page)
    room.stop()
    room.start(port)
    expect(page.locator("#lost")).to_be_visible()
    page.context.new_page().goto(room.link())
    expect(page.get_by_text("Load this page again")).to_be_visible()
    assert unmoved(page)
    page.get_by_role("button", name="Close", exact=True).click()
    room.stop()
    room.start(port)
    expect(page.locator("#lost")).to_be_visible()
    page.context.new_page().goto(room.link())
    expect(page.locator("#lost")).to_be_hidden()
    live(page)
    page.wait_for_function("window.deedlogMark === undefined")
