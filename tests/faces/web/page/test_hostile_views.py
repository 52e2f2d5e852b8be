"""Every view of a project full of hostile texts, parsed: nothing that came from a text is more than text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

import pytest

from deedlog.app import App
from deedlog.faces.web.access import Access
from deedlog.faces.web.app import Web
from deedlog.faces.web.page.pages import MENU
from deedlog.faces.web.page.views import VIEWS
from deedlog.testing import app_in, caller
from tests.conftest import Call
from tests.faces.web.page.conftest import SIGN_IN, TOKEN, InProcess
from tests.faces.web.page.hostile import (
    ALL_MODULES,
    COMPUTED,
    MARK,
    TEXTS,
    Walk,
    commit,
    files,
    fill,
    perhaps,
    problems,
    say,
)
from tests.faces.web.page.markup import Html

EACH = 6  # things of a kind that are looked at
LINKS = ("href", "data-load", "action")
UNREACHED = {"/task/{task}/compare", "/session/{session}/log.txt"}  # of two attempts, and of what printed something
ASKED_BY_SCRIPTS = ["/part/events", "/part/session/1/lines", "/part/session/1/hits?q=zzx"]
OF_TASKS = [f"/part/task/{number}/{part}" for number in range(1, 9) for part in ("changes", "diff", "others")]
FIRST = [*(address for _, address, _, _ in MENU), "/search?q=zzx", "/events?kind=task", *ASKED_BY_SCRIPTS, *OF_TASKS]


@pytest.fixture
def app(repo: Path, tmp_path: Path) -> App:
    return app_in(str(tmp_path / "store"), tree=str(repo), enable=ALL_MODULES.split(","))


@pytest.fixture
def page(app: App, repo: Path) -> Iterator[InProcess]:
    def call(name: str, /, **arguments: object) -> object:
        return app.call(name, arguments, caller("zzx <zzx-actor>", cause="<zzx-cause>"))

    changed(call, repo)
    fill(call)
    web = Web(app, actor="", host="127.0.0.1", access=Access(TOKEN, SIGN_IN))
    yield InProcess(web.asgi)
    web.end()
    web.close()


def changed(call: Call, repo: Path) -> None:
    """A task that changed files with such names and such lines."""
    flow = say(call, "start_workflow", name=TEXTS["script"])["workflow_id"]
    task = say(call, "start_task", workflow_id=flow, name="Files", goal="Write them")["task_id"]
    files(repo)
    commit(repo, TEXTS["attribute"])
    done = {"task_id": task, "status": "success", "outcome": {"summary": TEXTS["closing"]}}
    with perhaps():
        call("complete_task", **done)


def walked(page: InProcess) -> Iterator[tuple[str, Html, str]]:
    """Every address that the menu leads to, by whatever links, parts and forms there are."""
    walk = Walk(FIRST, EACH)
    for address in walk:
        reply = page.fetch("GET", address, b"", accept="text/html")
        assert reply.status in (200, 303, 404, 422), (address, reply.status, reply.body[-1500:])
        html = reply.html if "html" in reply.headers.get("content-type", "") else Html("")
        yield address, html, reply.headers.get("content-type", "")
        found = [element[name] for element in html for name in LINKS if name in element]
        found += [reply.headers["location"]] if reply.status == 303 else []
        walk.add([urljoin(address, link.partition("#")[0]) for link in found])


@pytest.mark.timeout(900)  # many views, on a machine that may be busy
@pytest.mark.proves("page:text:escaped")
def test_no_text_becomes_an_element_or_an_attribute_in_any_view(page: InProcess) -> None:
    shown: set[str] = set()
    showing: set[str] = set()
    wrong: dict[str, list[str]] = {}
    patterns = {view.ADDRESS: re.compile(re.sub(r"\{.*?\}", "[^/]+", view.ADDRESS)) for view in VIEWS}
    for address, html, kind in walked(page):
        if found := problems(html, report=address.endswith("report.html")):
            wrong[address] = found[:3]
        path = address.partition("?")[0]
        here = [view for view, pattern in patterns.items() if pattern.fullmatch(path)]
        shown |= {*here}
        showing |= {*here} if MARK in html.text or "html" not in kind else set()
        assert COMPUTED not in html.source
    assert wrong == {}
    assert {"/", "/review", "/board", "/events", "/search", "/task/{task}", "/workflow/{workflow_id}"} <= showing
    assert set(patterns) - shown <= UNREACHED
