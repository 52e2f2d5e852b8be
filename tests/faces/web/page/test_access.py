from __future__ import annotations

import re
import time
from collections.abc import Iterator
from http.cookies import SimpleCookie
from typing import Any

import pytest

from deedlog.app import App
from deedlog.faces.web import access
from deedlog.faces.web.access import PageAccess, link_code
from deedlog.faces.web.app import Web
from deedlog.faces.web.page.views import VIEWS
from deedlog.token import derived, page_key
from tests.conftest import Call
from tests.faces.web.page.conftest import HOST, TOKEN, InProcess, Reply

KEY = {"authorization": f"Bearer {page_key(TOKEN)}"}
OURS = {"origin": f"http://{HOST}"}
FAR = "192.0.2.7:4747"
FROM_FAR = {"origin": f"http://{FAR}"}
HTML = {"accept": "text/html,*/*"}


@pytest.fixture
def page(app: App) -> Iterator[InProcess]:
    yield from opened(app, "127.0.0.1", HOST)


@pytest.fixture
def far(app: App) -> Iterator[InProcess]:
    """A server that listens beyond loopback."""
    yield from opened(app, "192.0.2.7", FAR)


def opened(app: App, host: str, name: str) -> Iterator[InProcess]:
    web = Web(app, actor="", host=host, token=TOKEN, person="ada")
    yield InProcess(web.asgi, name)
    web.end()
    web.close()


def begin(page: InProcess, **headers: str) -> Reply:
    return page.post("workflow start", {"name": "Paint"}, **headers)


@pytest.mark.proves("page:token:own")
def test_the_page_s_key_is_another_secret_than_the_token_and_the_same_every_time() -> None:
    assert page_key(TOKEN) == page_key(TOKEN)
    assert len({TOKEN, page_key(TOKEN), page_key("other"), PageAccess(TOKEN).reading_pass(), link_code(TOKEN)}) == 5


@pytest.mark.proves("page:token:own", "page:decision:person")
@pytest.mark.parametrize("origin", [OURS, {"sec-fetch-site": "same-origin"}])
def test_what_is_decided_on_the_page_with_its_key_is_done_by_a_person(
    page: InProcess, call: Call, origin: dict[str, str]
) -> None:
    assert begin(page, **KEY, **origin).status == 200
    assert call("event_list")["events"][-1]["actor"] == "ada"


@pytest.mark.proves("page:decision:person")
def test_who_signs_with_a_name_has_it_in_the_log(page: InProcess, call: Call) -> None:
    assert begin(page, **KEY, **OURS, **{"deedlog-actor": "Zo%C3%AB%20%E2%9C%93"}).status == 200
    assert call("event_list")["events"][-1]["actor"] == "Zoë ✓"
    refused = begin(page, **KEY, **OURS, **{"deedlog-actor": "a%0Ab"})
    assert refused.status == 422


@pytest.mark.proves("page:decision:person")
def test_a_review_is_closed_by_a_person_on_the_page(page: InProcess, call: Call) -> None:
    workflow = call("start_workflow", name="House")["workflow_id"]
    task = call("start_task", workflow_id=workflow, name="Paint", goal="A red door")["task_id"]
    said = {"type": "other", "description": "too red", "resolution": "none", "requires_human_review": True}
    call("log_issue", task_id=task, **said)
    review = call("review_list")["reviews"][0]["review_id"]
    closed = page.post("review close", {"review_id": review, "verdict": "approved"}, **KEY, **OURS)
    assert closed.json["reviewed_by"] == "ada"


@pytest.mark.proves("page:token:own")
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({**OURS}, 401),
        ({**OURS, "authorization": "Bearer none"}, 401),
        ({**OURS, "authorization": f"Bearer {page_key('other')}"}, 401),
        ({**OURS, "authorization": f"Basic {page_key(TOKEN)}"}, 401),
        ({**OURS, "authorization": "Bearer ÿ"}, 401),
        ({**OURS, "cookie": f"deedlog-key={page_key(TOKEN)}"}, 401),
        ({**OURS, "cookie": f"{PageAccess(TOKEN).cookie}={PageAccess(TOKEN).reading_pass()}"}, 401),
        ({**OURS, "authorization": f"Bearer {PageAccess(TOKEN).reading_pass()}"}, 401),
        ({**OURS, "authorization": f"Bearer {link_code(TOKEN)}"}, 401),
        ({**KEY}, 403),
        ({**KEY, "origin": "null"}, 403),
        ({**KEY, "origin": "http://evil.example"}, 403),
        ({**KEY, "origin": "http://127.0.0.1:4748"}, 403),
        ({**KEY, "origin": "http://localhost:4747"}, 403),
        ({**KEY, "sec-fetch-site": "same-site"}, 403),
        ({**KEY, **OURS, "sec-fetch-site": "cross-site"}, 403),
        ({**KEY, "sec-fetch-site": "none"}, 403),
        ({**KEY, "origin": "http://evil.example", "host": "evil.example"}, 421),
    ],
)
def test_nothing_is_changed_without_the_key_or_from_elsewhere(
    page: InProcess, app: App, headers: dict[str, str], status: int
) -> None:
    before = app.ledger.head()
    refused = begin(page, **headers)
    assert refused.status == status
    assert refused.json["error"]["message"]
    assert app.ledger.head() == before


@pytest.mark.proves("page:token:own")
def test_a_key_in_an_address_is_no_key(page: InProcess, app: App) -> None:
    before = app.ledger.head()
    for name in ("key", "token", "access_token", "authorization"):
        assert page.fetch("POST", f"/api/workflow/start?{name}={page_key(TOKEN)}", b"{}", **OURS).status == 415
        json = {"content-type": "application/json"}
        assert page.fetch("POST", f"/api/workflow/start?{name}={page_key(TOKEN)}", b"{}", **OURS, **json).status == 401
    assert app.ledger.head() == before


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_nothing_but_a_post_changes_anything(page: InProcess, app: App, method: str) -> None:
    before = app.ledger.head()
    for path in ("/api/workflow/start?name=x", "/api/workflow/start"):
        assert page.fetch(method, path, b"", authorization=f"Bearer {TOKEN}").status in (404, 405)
    for view in VIEWS:
        reply = page.fetch(method, re.sub(r"\{.*?\}", "1", view.ADDRESS), b"", authorization=f"Bearer {TOKEN}")
        assert (reply.status == 405) == (method not in ("GET", "HEAD"))
    assert app.ledger.head() == before


@pytest.mark.proves("page:token:own")
@pytest.mark.parametrize(("method", "path"), [("GET", "/"), ("GET", "/api/openapi.json"), ("POST", "/mcp")])
def test_the_page_s_key_is_for_what_the_page_changes_alone(page: InProcess, method: str, path: str) -> None:
    refused = page.fetch(method, path, b"", **KEY, **OURS)
    assert refused.status == 403
    assert "deedlog config get token" in refused.json["error"]["hint"]


def test_pages_of_others_take_nothing_from_here_but_may_lead_here(page: InProcess) -> None:
    elsewhere = {"sec-fetch-site": "cross-site"}
    assert page.fetch("GET", "/", b"", **elsewhere, **{"sec-fetch-mode": "no-cors"}).status == 403
    assert page.fetch("GET", "/live", b"", **elsewhere, **{"sec-fetch-mode": "cors"}).status == 403
    assert page.fetch("GET", "/", b"", **elsewhere, **{"sec-fetch-mode": "navigate"}).status == 200


@pytest.mark.proves("page:link:once")
def test_the_code_of_a_link_is_good_once_and_not_for_long(page: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    code, other = link_code(TOKEN), f"{link_code(TOKEN)[:-1]}x"

    def shown(secret: str, **headers: str) -> Reply:
        return page.fetch("POST", "/sign-in", b"", authorization=f"Bearer {secret}", **headers)

    assert shown(code).status == 403  # a program that read it from the list of processes
    assert shown(code, **OURS).json["key"] == page_key(TOKEN)
    assert [shown(secret, **OURS).status for secret in (code, other, "1-2", "")] == [401] * 4
    late = link_code(TOKEN)
    now = time.time()
    monkeypatch.setattr("deedlog.faces.web.access.time.time", lambda: now + access.LINK_SECONDS + 1)
    assert shown(late, **OURS).status == 401


def test_only_this_server_can_prove_that_it_is_it(page: InProcess) -> None:
    challenge = "c" * 32
    assert page.fetch("GET", f"/sign-in/proof?of={challenge}").json["proof"] == derived(TOKEN, f"proof {challenge}")
    assert page.fetch("GET", "/sign-in/proof?of=short").status == 422
    assert page.fetch("GET", f"/sign-in/proof?of={'%20' * 20}").status == 422


@pytest.mark.proves("page:sign-in:beyond-loopback")
def test_beyond_loopback_nothing_is_shown_but_how_to_sign_in(far: InProcess) -> None:
    for view in VIEWS:
        assert far.fetch("GET", re.sub(r"\{.*?\}", "1", view.ADDRESS)).status == 401
    for path in ("/live", "/health", "/api/openapi.json", "/nothing"):
        assert far.fetch("GET", path).status == 401
    assert begin(far, **FROM_FAR).status == 401
    sent = far.fetch("GET", "/task/5?show=a%26b", b"", **HTML)
    assert (sent.status, sent.headers["location"]) == (303, "/sign-in?to=%2Ftask%2F5%3Fshow%3Da%2526b")
    shown = far.get("/sign-in")
    assert shown.one("h1").text == "Sign in"
    files = [link["href"] for link in shown.all("link")] + [script["src"] for script in shown.all("script")]
    assert [far.fetch("GET", name).status for name in files] == [200] * len(files)


@pytest.mark.proves("page:sign-in:beyond-loopback")
def test_who_signed_in_may_read_with_a_pass_that_is_not_the_key_and_changes_nothing(far: InProcess) -> None:
    assert far.fetch("POST", "/sign-in", b"", **FROM_FAR).status == 401
    given = far.fetch("POST", "/sign-in", b"", **KEY, **FROM_FAR)
    cookie = SimpleCookie(given.headers["set-cookie"])
    ((name, morsel),) = cookie.items()
    assert (bool(morsel["httponly"]), morsel["samesite"].lower(), morsel["path"]) == (True, "strict", "/")
    assert page_key(TOKEN) not in given.headers["set-cookie"]
    signed = {"cookie": f"other=1; {name}={morsel.value}"}
    assert far.fetch("GET", "/", b"", **signed).status == 200
    assert begin(far, **signed, **FROM_FAR).status == 401
    assert begin(far, **signed, **FROM_FAR, **KEY).status == 200
    out = far.fetch("POST", "/sign-out", b"", **signed, **FROM_FAR)
    assert f"{name}=" in out.headers["set-cookie"]
    assert "Max-Age=0" in out.headers["set-cookie"]


@pytest.mark.proves("page:sign-in:beyond-loopback")
def test_a_pass_that_is_over_or_made_up_lets_nobody_in(far: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    known = PageAccess(TOKEN)
    end, _, mac = known.reading_pass().partition("-")
    made_up = (f"{int(end) + 1}-{mac}", f"{end}-{mac[:-1]}", mac, "-", "9" * 300 + "-x", link_code(TOKEN), "٣-x")
    for value in made_up:
        assert far.fetch("GET", "/", b"", cookie=f"{known.cookie}={value}").status == 401
    assert far.fetch("GET", "/", b"", cookie="=;;==\x01").status == 401
    good = {"cookie": f"{known.cookie}={known.reading_pass()}"}
    assert far.fetch("GET", "/", b"", **good).status == 200
    now = time.time()
    monkeypatch.setattr("deedlog.faces.web.access.time.time", lambda: now + access.PASS_SECONDS + 1)
    assert far.fetch("GET", "/", b"", **good).status == 401


def test_on_loopback_no_pass_is_handed_out(page: InProcess) -> None:
    given: Any = page.fetch("POST", "/sign-in", b"", **KEY, **OURS)
    assert given.status == 200
    assert "set-cookie" not in given.headers
