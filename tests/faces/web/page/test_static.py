from __future__ import annotations

import os
import re

import pytest

from deedlog.faces.web.page import look
from deedlog.faces.web.page.views import now
from tests.faces.web.page.conftest import InProcess, OnPort, Page

HTML = {"accept": "text/html,application/xhtml+xml,*/*"}
NAMES = sorted(
    os.path.relpath(os.path.join(folder, name), look.STATIC)
    for folder, _, names in os.walk(look.STATIC)
    for name in names
)


def test_files_are_kept_by_browsers_for_as_long_as_they_stay_the_same(page: InProcess) -> None:
    for name in NAMES:
        reply = page.fetch("GET", look.static(name))
        assert (reply.status, reply.headers["x-content-type-options"]) == (200, "nosniff")
        assert "immutable" in reply.headers["cache-control"]
        older = page.fetch("GET", f"/static/000000000000/{name}")
        assert (older.status, older.headers["cache-control"], older.body) == (200, "no-store", reply.body)


@pytest.mark.parametrize(
    "name",
    [
        "../templates/layout.html",
        "..%2ftemplates%2flayout.html",
        "%2e%2e/templates/layout.html",
        "vendor/../../look.py",
        "/etc/passwd",
        "%2Fetc%2Fpasswd",
        "....//look.py",
        "page.css%00.js",
        "vendor",
        "",
        ".",
        "nothing.js",
    ],
)
def test_nothing_but_these_files_is_served(page_server: OnPort, name: str) -> None:
    reply = page_server.fetch("GET", f"/static/{look.edition()}/{name}")
    assert reply.status == 404
    assert reply.json["error"]["kind"] == "not_found"


def test_pages_allow_no_script_style_or_frame_of_anybody_else(page: InProcess) -> None:
    headers = page.fetch("GET", "/").headers
    policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert {policy[name] for name in policy if name.endswith("-src")} == {"'none'", "'self'"}
    assert headers["x-frame-options"] == "DENY"
    assert headers["cross-origin-opener-policy"] == headers["cross-origin-resource-policy"] == "same-origin"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"
    assert "camera=()" in headers["permissions-policy"]


@pytest.mark.parametrize("path", ["/api/openapi.json", "/health", "/nothing", "/live"])
def test_every_answer_is_safe_to_open_in_a_browser(page: InProcess, path: str) -> None:
    reply = page.fetch("HEAD" if path == "/live" else "GET", path)
    assert "frame-ancestors 'none'" in reply.headers["content-security-policy"]
    assert reply.headers["x-content-type-options"] == "nosniff"


def test_a_page_asks_for_nothing_elsewhere(page: InProcess) -> None:
    shown = page.get("/")
    asked = [element[name] for element in shown for name in ("href", "src", "action") if name in element]
    assert [address for address in asked if address and not re.match(r"[/#](?!/)", address)] == []


def test_what_is_not_there_is_a_page_for_people_and_json_for_programs(page: InProcess) -> None:
    told = page.fetch("GET", "/nothing", b"", **HTML)
    assert (told.status, told.html.one("h1").text) == (404, "Not here")
    assert page.fetch("GET", "/nothing").json["error"]["kind"] == "not_found"
    assert page.fetch("DELETE", "/", b"", **HTML).json["error"]["kind"] == "not_found"


@pytest.mark.proves("page:text:escaped")
@pytest.mark.parametrize(
    "path", ["/%3Cscript%3Ealert(1)%3C%2Fscript%3E", "/thing?uri=%3Cimg%20src=x%20onerror=alert(1)%3E"]
)
def test_what_an_address_says_is_escaped_on_the_page_that_refuses_it(page: InProcess, path: str) -> None:
    told = page.fetch("GET", path, b"", **HTML)
    assert told.status in (404, 422)
    assert told.html.all("main script") == told.html.all("main img") == []
    assert b"<script>alert" not in told.body


def test_a_view_that_fails_is_told_on_a_page_and_written_down(page: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    def show(_: object) -> None:
        raise ZeroDivisionError("<b>secret</b>")

    monkeypatch.setattr(now, "show", show)
    told = page.fetch("GET", "/", b"", **HTML)
    assert (told.status, told.html.one("h1").text) == (500, "Something went wrong")
    assert told.html.all("main b") == []


def test_a_part_that_is_refused_brings_no_second_page_with_it(page: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    from deedlog.core.errors import NotFound
    from deedlog.faces.web.page.views import waiting

    def show(_: object) -> None:
        raise NotFound("nobody waits")

    monkeypatch.setattr(waiting, "show", show)
    part = page.part("/part/waiting", 404)
    assert (part.text, part.all("main"), part.all("h1")) == ("nobody waits", [], [])


def test_the_menu_shows_which_project_it_is_and_has_a_drawn_sign_for_each_view(page: Page) -> None:
    shown = page.get("/")
    assert shown.one("nav .project").text == "tree"
    with open(os.path.join(look.STATIC, "icons.svg"), encoding="utf-8") as file:
        drawn = set(re.findall(r'<symbol id="([\w-]+)"', file.read()))
    used = [use["href"].rpartition("#")[2] for use in shown.all("use") if "icons.svg" in use["href"]]
    assert len(used) >= 9
    assert [name for name in used if name not in drawn] == []
