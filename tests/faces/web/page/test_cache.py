from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from deedlog.app import App
from deedlog.faces.web.page.kept import MOST, Kept
from deedlog.faces.web.page.view import Asked, Shown
from deedlog.faces.web.page.views import now
from tests.conftest import Call
from tests.faces.web.page.conftest import InProcess, OnPort

Counted = Callable[[], int]


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Counted:
    """How often the view Now was made."""
    made: list[Asked] = []
    real = now.show

    def show(asked: Asked) -> Shown:
        made.append(asked)
        return real(asked)

    monkeypatch.setattr(now, "show", show)
    return lambda: len(made)


@pytest.mark.proves("page:feed:many")
def test_many_pages_that_ask_after_one_event_are_rendered_once(
    page: InProcess, call: Call, shown: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("deedlog.faces.web.page.kept.time.monotonic", lambda: 0.0)
    call("start_workflow", name="Paint")
    with ThreadPoolExecutor(20) as browsers:
        bodies = set(browsers.map(lambda _: page.fetch("GET", "/", b"", **{"deedlog-part": "main"}).body, range(60)))
    assert (len(bodies), shown()) == (1, 1)


def test_the_next_event_is_shown_at_once(page: InProcess, call: Call) -> None:
    for name in ("Paint", "Sand", "Varnish"):
        call("start_workflow", name=name)
        assert name in page.get("/").one("main").text


def test_another_address_another_host_and_the_whole_page_are_other_answers(page: InProcess, shown: Counted) -> None:
    assert page.get("/").all("nav")
    assert not page.part("/").all("nav")
    page.get("/?a=1")
    assert "http://localhost:4747/" in page.get("/", host="localhost:4747").one("nav").text
    assert "http://127.0.0.1:4747/" in page.get("/").one("nav").text
    assert shown() >= 4


def test_after_a_call_nothing_older_is_shown_even_if_it_left_no_event(page: InProcess, shown: Counted) -> None:
    page.get("/")
    page.call("workflow list")
    page.get("/")
    assert shown() == 2


def test_a_failure_is_told_and_not_kept() -> None:
    kept: Kept[str] = Kept()

    def fail() -> str:
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        kept.get("x", fail)
    assert kept.get("x", lambda: "well") == "well"


def test_answers_are_kept_for_a_moment_and_only_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr("deedlog.faces.web.page.kept.time.monotonic", lambda: clock[0])
    kept: Kept[int] = Kept(1.0)
    for number in range(3 * MOST):
        assert kept.get(number, lambda number=number: number) == number  # type: ignore[misc]
    assert len(kept._answers) == MOST
    assert kept.get("x", lambda: 1) == 1
    assert kept.get("x", lambda: 2) == 1
    clock[0] = 1.5
    assert kept.get("x", lambda: 2) == 2


def test_what_happened_while_a_view_was_made_is_told_afterwards(
    page: InProcess, app: App, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The seq a page goes on from is from before it was read."""
    real = now.show

    def show(asked: Asked) -> Shown:
        found = real(asked)
        call("start_workflow", name="Meanwhile")
        return found

    monkeypatch.setattr(now, "show", show)
    before = app.ledger.head()
    assert int(page.get("/").one("#main")["data-seq"]) == before < app.ledger.head()


def test_a_server_on_a_port_shows_every_event_at_once(page_server: OnPort) -> None:
    for name in ("Paint", "Sand", "Varnish"):
        page_server.call("workflow start", name=name)
        assert name in page_server.get("/").one("main").text
