from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pytest

from deedlog.app import App
from deedlog.faces.web.access import WINDOW_SECONDS, Access, Seal, signature
from deedlog.faces.web.app import Web
from deedlog.faces.web.page.views import VIEWS
from deedlog.token import derived, link_code, server_proof
from tests.conftest import Call
from tests.faces.web.page.conftest import BY_PAGE, HOST, SIGN_IN, TOKEN, InProcess, Reply

OURS = {"origin": f"http://{HOST}"}
FAR = "192.0.2.7:4747"
HTML = {"accept": "text/html,*/*"}
NONE = {"authorization": ""}
SECONDS = 120


@pytest.fixture
def page(app: App) -> Iterator[InProcess]:
    yield from opened(app, "127.0.0.1", HOST)


@pytest.fixture(params=[("127.0.0.1", HOST), ("192.0.2.7", FAR)], ids=["loopback", "beyond"])
def place(app: App, request: pytest.FixtureRequest) -> Iterator[InProcess]:
    """A server on loopback, and one that listens beyond it."""
    yield from opened(app, *request.param)


def opened(app: App, host: str, name: str) -> Iterator[InProcess]:
    web = Web(app, actor="", host=host, access=Access(TOKEN, SIGN_IN), person="ada")
    yield InProcess(web.asgi, name)
    web.end()
    web.close()


def person(page: InProcess, **headers: str) -> dict[str, str]:
    """What the page sends when a person decides."""
    return {**page.person(), **OURS, **headers}


def begin(page: InProcess, **headers: str) -> Reply:
    return page.post("workflow start", {"name": "Paint"}, **headers)


def shown(page: InProcess, code: str, **headers: str) -> Reply:
    return page.fetch("POST", "/sign-in", b"", authorization=f"Code {code}", **headers)


@pytest.mark.proves("page:token:own")
def test_the_key_is_another_one_in_every_run_and_tells_nothing_of_the_token() -> None:
    one, other = Access(TOKEN), Access(TOKEN)
    assert len({TOKEN, one.key, other.key, one.run, other.run}) == 5
    assert len(one.key) == 64


@pytest.mark.proves("page:token:own", "page:decision:person")
@pytest.mark.parametrize("origin", [OURS, {"sec-fetch-site": "same-origin"}])
def test_what_is_decided_on_the_page_is_done_by_a_person(page: InProcess, call: Call, origin: dict[str, str]) -> None:
    assert begin(page, **BY_PAGE, **origin).status == 200
    assert call("event_list")["events"][-1]["actor"] == "ada"


@pytest.mark.proves("page:decision:person")
def test_who_signs_with_a_name_has_it_in_the_log(page: InProcess, call: Call) -> None:
    assert begin(page, **person(page, **{"deedlog-actor": "Zo%C3%AB%20%E2%9C%93"})).status == 200
    assert call("event_list")["events"][-1]["actor"] == "Zoë ✓"
    assert begin(page, **person(page, **{"deedlog-actor": "a%0Ab%2Fc"})).status == 200
    assert call("event_list")["events"][-1]["actor"] == "a b-c"


@pytest.mark.proves("page:decision:person")
def test_a_review_is_closed_by_a_person_on_the_page(page: InProcess, call: Call) -> None:
    workflow = call("start_workflow", name="House")["workflow_id"]
    task = call("start_task", workflow_id=workflow, name="Paint", goal="A red door")["task_id"]
    said = {"type": "other", "description": "too red", "resolution": "none", "requires_human_review": True}
    call("log_issue", task_id=task, **said)
    review = call("review_list")["reviews"][0]["review_id"]
    closed = page.post("review close", {"review_id": review, "verdict": "approved"}, **person(page))
    assert closed.json["reviewed_by"] == "ada"


KEY = BY_PAGE
START, BODY = "/api/workflow/start", b'{"name": "Paint"}'


@pytest.mark.proves("page:token:own")
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({**NONE}, 401),
        ({**OURS, **NONE}, 401),
        ({**OURS, "authorization": "Bearer none"}, 401),
        ({**OURS, "authorization": "Bearer {key}"}, 401),
        ({**OURS, "authorization": "Deedlog {key}"}, 401),
        ({**OURS, "authorization": "Basic {key}"}, 401),
        ({**OURS, "authorization": "Bearer ÿ"}, 401),
        ({**OURS, "authorization": "Deedlog ÿ:ÿ"}, 401),
        ({**OURS, **NONE, "cookie": "deedlog-key={key}"}, 401),
        ({**OURS, **signature(Access(TOKEN).key, "POST", START, BODY)}, 401),
        ({**OURS, "authorization": "Code {code}"}, 401),
        ({**OURS, "authorization": "Bearer {code}"}, 401),
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
    secrets = {"key": page.access.key, "code": page.access.first_code()}
    given = {name: value.format(**secrets) for name, value in headers.items()}
    refused = begin(page, **given)
    assert refused.status == status
    assert refused.json["error"]["message"]
    assert app.ledger.head() == before


@pytest.mark.proves("page:token:own")
def test_a_key_in_an_address_is_no_key(page: InProcess, app: App) -> None:
    before = app.ledger.head()
    for name in ("key", "token", "access_token", "authorization"):
        address = f"/api/workflow/start?{name}={page.access.key}"
        assert page.fetch("POST", address, b"{}", **OURS, **NONE, **{"content-type": "application/json"}).status == 401
    assert app.ledger.head() == before


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_nothing_but_a_post_changes_anything(page: InProcess, app: App, method: str) -> None:
    before = app.ledger.head()
    for path in ("/api/workflow/start?name=x", "/api/workflow/start"):
        assert page.fetch(method, path).status in (404, 405)
    for view in VIEWS:
        reply = page.fetch(method, re.sub(r"\{.*?\}", "1", view.ADDRESS))
        assert (reply.status == 405) == (method not in ("GET", "HEAD"))
    assert app.ledger.head() == before


@pytest.mark.proves("page:token:own")
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_the_page_s_key_is_not_for_agents(page: InProcess, method: str) -> None:
    refused = page.fetch(method, "/mcp", b"", **person(page))
    assert refused.status == 403
    assert "deedlog config get token" in refused.json["error"]["hint"]


@pytest.mark.proves("page:server:proved")
def test_every_answer_to_the_page_proves_which_server_gave_it(page: InProcess) -> None:
    addresses = (("GET", "/"), ("GET", "/nothing"), ("GET", "/sign-in/proof?of=short"), ("POST", "/mcp"))
    for number, (method, path) in enumerate(addresses):
        nonce = f"{int(time.time())}-{number:032x}"
        reply = page.fetch(method, path, b"", **signature(page.access.key, method, path, nonce=nonce), **OURS)
        assert reply.headers["deedlog-proof"] == derived(page.access.key, f"answer {nonce}")
        assert page.access.key not in str(reply)
    for stranger in (NONE, {"authorization": f"Bearer {TOKEN}"}, signature(Access(TOKEN).key, "GET", "/")):
        assert "deedlog-proof" not in page.fetch("GET", "/", b"", **stranger).headers


@pytest.mark.proves("page:signature:bound")
@pytest.mark.parametrize(
    ("method", "target", "body"),
    [
        ("GET", START, b""),
        ("POST", "/api/workflow/complete", BODY),
        ("POST", f"{START}?x=1", BODY),
        ("POST", START, b'{"name": "Evil"}'),
    ],
    ids=["method", "path", "query", "body"],
)
def test_a_signature_is_for_one_method_address_and_body(
    page: InProcess, app: App, method: str, target: str, body: bytes
) -> None:
    before = app.ledger.head()
    signed = signature(page.access.key, method, target, body)
    refused = page.fetch("POST", START, BODY, **signed, **OURS, **{"content-type": "application/json"})
    assert refused.status == 401
    assert app.ledger.head() == before


@pytest.mark.proves("page:signature:bound")
@pytest.mark.parametrize("age", [0, 3_600, -3_600])
def test_a_signature_is_good_once_and_not_for_long(page: InProcess, app: App, age: int) -> None:
    nonce = f"{int(time.time()) - age}-{'ab' * 16}"
    said = {**signature(page.access.key, "POST", START, BODY, nonce=nonce), **OURS, "content-type": "application/json"}
    if not age:
        assert page.fetch("POST", START, BODY, **said).status == 200
    before = app.ledger.head()
    refused = page.fetch("POST", START, BODY, **said)
    assert refused.status == 425
    assert refused.headers["deedlog-proof"] == derived(page.access.key, f"answer {nonce}")
    assert abs(int(refused.headers["deedlog-time"]) - time.time()) < 60
    assert app.ledger.head() == before


@pytest.mark.proves("page:signature:bound")
def test_used_signatures_are_remembered_until_their_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    access, now = Access(TOKEN), 1_000_000.0
    monkeypatch.setattr("deedlog.faces.web.access.time.time", lambda: now)
    first = Seal(f"{int(now)}-{'0' * 32}", int(now), "")
    assert access.spend(first)
    now += WINDOW_SECONDS + 1
    assert not access.spend(first)
    now += WINDOW_SECONDS
    assert not access.spend(first)
    assert access.spend(Seal(f"{int(now)}-{'1' * 32}", int(now), ""))
    assert len(access._spent) == 1


@pytest.mark.proves("page:token:own")
def test_after_a_restart_the_page_is_told_to_sign_in_again(page: InProcess) -> None:
    refused = page.fetch("GET", "/", b"", **signature(Access(TOKEN).key, "GET", "/"))
    assert refused.status == 401
    assert refused.json["error"]["message"] == "the server restarted"
    assert "deedlog open" in refused.json["error"]["hint"]


def test_pages_of_others_take_nothing_from_here_but_may_lead_here(page: InProcess) -> None:
    elsewhere = {"sec-fetch-site": "cross-site"}
    assert page.fetch("GET", "/", b"", **elsewhere, **{"sec-fetch-mode": "no-cors"}).status == 403
    assert page.fetch("GET", "/live", b"", **elsewhere, **{"sec-fetch-mode": "cors"}).status == 403
    assert page.fetch("GET", "/", b"", **elsewhere, **{"sec-fetch-mode": "navigate"}).status == 200


@pytest.mark.proves("page:link:once")
def test_the_code_of_a_link_is_good_once_and_not_for_long(page: InProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    code = link_code(SIGN_IN, page.access.run, SECONDS)
    assert shown(page, code).status == 403  # not from a page
    assert shown(page, code, origin="http://127.0.0.1:3000").status == 403
    given = shown(page, code, **OURS)
    assert given.json["key"] == page.access.key
    assert "set-cookie" not in given.headers
    other_run = link_code(SIGN_IN, Access(TOKEN).run, SECONDS)
    other_secret = link_code("other", page.access.run, SECONDS)
    of_a_program = link_code(TOKEN, page.access.run, SECONDS)  # who has the token is no person
    changed = f"{code[:-1]}{'0' if code[-1] != '0' else '1'}"
    for wrong in (
        code,
        changed,
        other_run,
        other_secret,
        of_a_program,
        TOKEN,
        page.access.key,
        "1-2-3",
        "",
        "9" * 300,
        "٣-x-y",
    ):
        assert shown(page, wrong, **OURS).status == 401
    late = link_code(SIGN_IN, page.access.run, SECONDS)
    now = time.time()
    monkeypatch.setattr("deedlog.faces.web.access.time.time", lambda: now + SECONDS + 1)
    assert shown(page, late, **OURS).status == 401


@pytest.mark.proves("page:link:once")
def test_links_made_at_the_same_moment_are_different(page: InProcess) -> None:
    codes = [link_code(SIGN_IN, page.access.run, SECONDS) for _ in range(5)]
    assert [shown(page, code, **OURS).status for code in codes] == [200] * 5


@pytest.mark.proves("page:open:proved")
def test_only_this_run_of_the_server_can_prove_that_it_is_it(page: InProcess) -> None:
    challenge = "c" * 32
    said = page.fetch("GET", f"/sign-in/proof?of={challenge}", b"", **NONE).json
    assert said == {
        "run": page.access.run,
        "proof": server_proof(SIGN_IN, page.access.run, "127.0.0.1 4747", challenge),
    }
    assert page.fetch("GET", "/sign-in/proof?of=short", b"", **NONE).status == 422
    assert page.fetch("GET", f"/sign-in/proof?of={'%20' * 20}", b"", **NONE).status == 422


@pytest.mark.proves("page:sign-in:everywhere")
def test_without_a_sign_in_nothing_is_answered(place: InProcess, app: App) -> None:
    for view in VIEWS:
        assert place.fetch("GET", re.sub(r"\{.*?\}", "1", view.ADDRESS), b"", **NONE).status == 401
    for path in ("/live", "/health", "/api/openapi.json", "/api/workflow/list", "/mcp", "/nothing", "/sign-in"):
        assert place.fetch("GET", path, b"", **NONE).status == 401
        assert place.fetch("POST", path, b"", **NONE).status in (401, 403)
    assert app.ledger.head() == 0


@pytest.mark.proves("page:sign-in:everywhere")
def test_a_browser_that_comes_by_gets_a_page_that_tells_nothing_but_how_to_sign_in(
    place: InProcess, call: Call
) -> None:
    call("start_workflow", name="Paint the house")
    pages = [
        place.fetch("GET", path, b"", **HTML, **NONE) for path in ("/", "/workflows", "/task/5?show=a%26b", "/nothing")
    ]
    assert {reply.body for reply in pages} == {pages[0].body}
    assert [reply.status for reply in pages] == [200] * 4
    assert (b"Paint" in pages[0].body, b"tree" in pages[0].body) == (False, False)
    shell = pages[0].html
    assert shell.one("h1").text == "Sign in"
    assert "deedlog open" in shell.one("main").text
    files = [link["href"] for link in shell.all("link")] + [script["src"] for script in shell.all("script")]
    assert [place.fetch("GET", name, b"", **NONE).status for name in files] == [200] * len(files)
    assert "set-cookie" not in pages[0].headers
    for path in ("/api/openapi.json", "/mcp", "/live?after=0", "/health"):
        assert place.fetch("GET", path, b"", **HTML, **NONE).status == 401
    part = {"deedlog-part": "main"}
    assert place.fetch("GET", "/", b"", **HTML, **NONE, **part).status == 401


def test_a_browser_that_came_by_a_name_is_sent_to_the_address(page: InProcess) -> None:
    """The name can lead to [::1] or elsewhere, where another program may listen."""
    sent = page.fetch("GET", "/task/5?a=%2F", b"", **HTML, **NONE, host="localhost:8000")
    assert (sent.status, sent.headers["location"]) == (307, "http://127.0.0.1:8000/task/5?a=%2F")


GOOD_HOSTS = ["127.0.0.1:4747", "127.0.0.1", "LOCALHOST:4747", "[::1]:4747", "127.0.0.1:8000"]  # 8000: by ssh -L
BAD_HOSTS = [
    *("127.0.0.1:4747@evil.com", "127.0.0.1@evil.com:4747", "a@127.0.0.1:4747", "127.0.0.1:4747.evil.com", "evil.com"),
    *("127.0.0.1.evil.com", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:99999", "127.0.0.1:4747:1", "127.0.0.1,evil.com"),
    *("127.0.0.1:4747/", "127.0.0.1:4747?a", "127.0.0.1:4747#a", "http://127.0.0.1:4747", "127.0.0.1:+4747", ":4747"),
    *("[::1]x:4747", "[::1]:4747@evil", "::1", "[0:0:0:0:0:0:0:1]:4747", "[::ffff:127.0.0.1]:4747", "[::1%25lo]:4747"),
    *("127.1", "2130706433", "0x7f.0.0.1", "localhost.", "localhost.evil.com", "127.0.0.1:٤٧٤٧"),
]
SPACED_HOSTS = ["", " ", "127.0.0.1 :4747", "127.0.0.1: 4747", "127.0.0.1:4747 evil.com", "127.0.0.1:4747\t"]


@pytest.mark.proves("web:host-and-origin:checked")
@pytest.mark.parametrize("host", GOOD_HOSTS)
def test_a_server_goes_by_its_names_with_any_port(page: InProcess, host: str) -> None:
    assert page.fetch("GET", "/health", b"", host=host).status == 200


@pytest.mark.proves("web:host-and-origin:checked")
@pytest.mark.parametrize("host", [*BAD_HOSTS, *SPACED_HOSTS])
def test_all_of_the_host_is_read(page: InProcess, host: str) -> None:
    assert page.fetch("GET", "/health", b"", host=host).status == 421


@pytest.mark.parametrize("target", ["http://evil.com/", "http://127.0.0.1:4747/", "*", "evil.com:80", ""])
def test_a_request_names_a_path_and_nothing_else(page: InProcess, target: str) -> None:
    assert page.fetch("GET", target).status == 400
