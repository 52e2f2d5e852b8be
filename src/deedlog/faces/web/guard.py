"""What every HTTP request must pass: the right Host and Origin, a credential, a fair body.

A page on the web can make a browser send requests to loopback. It cannot choose the Host
(unless it rebinds its own name, which Host then shows) and cannot hide its Origin.
"""

from __future__ import annotations

import re
import time
from asyncio import CancelledError
from collections.abc import Callable
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from deedlog.core.errors import Conflict, DeedlogError, Denied, Invalid, Unavailable
from deedlog.faces.web.access import NOBODY, PERSON, Access, Seal
from deedlog.faces.web.refusal import refused

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
EVERYWHERE = ("0.0.0.0", "::", "[::]", "")  # noqa: S104  # compared with, not bound to
LARGEST_BODY = 4 * 1024 * 1024
TOKEN_HINT = "send `Authorization: Bearer …` with the token that `deedlog config get token` shows"  # noqa: S105
PAGE_HINT = "a program sends the token, which `deedlog config get token` shows"
SAFE_HEADERS = {
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cache-control": b"no-store",
    b"content-security-policy": b"default-src 'none'; frame-ancestors 'none'",
    b"x-frame-options": b"DENY",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
}
SIGN_IN, PROOF, FILES = "/sign-in", "/sign-in/proof", "/static/"
FOR_PROGRAMS = ("/api/", "/mcp", "/live", "/health")
PART = "deedlog-part"  # a request with this header wants the view alone, without what is around it
HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::([0-9]{1,5}))?", re.ASCII | re.IGNORECASE)
LAST_PORT = 65_535
TOO_EARLY = 425  # as HTTP calls the refusal of what may be a repetition


class Refused(Exception):
    def __init__(self, status: int, error: DeedlogError) -> None:
        super().__init__(error.message)
        self.status = status
        self.error = error


class Left(Exception):
    """The client went before all of its request was there."""


class Guard:
    """`shell` makes what a browser gets that has no credential: nothing of the ledger, and how to sign in."""

    def __init__(self, app: ASGIApp, host: str, access: Access, shell: Callable[[], Response] | None = None) -> None:
        self._app = app
        self._host = host.lower()
        self._shell = shell
        self.access = access
        self.closing = False  # from then on nothing new begins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        seal = self.access.seal(headers, scope["method"], _target(scope))
        send = _with_safe_headers(send, self.access.proof_for(seal))
        try:
            self._check_name(scope, headers)
            who = self._admit(scope, headers, seal)
            body = await _body(headers, receive) if scope["method"] == "POST" else b""
            if seal and not seal.holds(body):
                raise Refused(401, Denied("the page signed another request", hint="load the page again"))
            if self.closing:
                raise Refused(503, Unavailable("the server is stopping", hint="repeat when it runs again"))
        except Left:
            return
        except Refused as refusal:
            response = self._page_instead(scope, headers, refusal) or refused(refusal.error, refusal.status)
            await response(scope, receive, send)
            return
        scope.setdefault("state", {}).update(who=who, person=who == PERSON)
        await self._run(scope, _replay(body, receive), send)

    async def _run(self, scope: Scope, receive: Receive, send: Send) -> None:
        """What is not answered when a server that stops has waited long enough is refused, as what comes later is."""
        begun = False

        async def noted(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, noted)
        except CancelledError:
            if begun or not self.closing:
                raise
            error = Unavailable("the server stopped before it had answered", hint="look whether it was done")
            await refused(error)(scope, receive, send)

    def _check_name(self, scope: Scope, headers: Headers) -> None:
        if len(headers.getlist("host")) != 1 or len(headers.getlist("origin")) > 1:
            raise Refused(400, Invalid("one Host header is needed, and at most one Origin"))
        if not scope["path"].startswith("/"):
            raise Refused(400, Invalid("the request must name a path, not a whole address"))
        host, origin = headers["host"], headers.get("origin")
        if not self._ours(host):
            hint = "use http://127.0.0.1, or set the host that `deedlog serve` listens on"
            raise Refused(421, Denied(f"this server does not go by the name {host[:80]!r}", hint=hint))
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            raise Refused(403, Denied(f"pages of {origin[:80]!r} may not use this server"))

    def _ours(self, host: str) -> bool:
        """Whether all of a Host header is a name of this server and a port. Any port is right: it may be forwarded."""
        found = HOST.fullmatch(host)
        if not found or int(found[2] or 1) > LAST_PORT:
            return False
        if self._host in EVERYWHERE:
            return True  # a page that chose this name has no credential
        return found[1].lower() in (*LOOPBACK, self._host, f"[{self._host}]")

    def _admit(self, scope: Scope, headers: Headers, seal: Seal | None) -> str:
        """Return who sends the request; refuse it where that caller may not send it."""
        _check_site(headers)
        who = self.access.recognise(headers, seal)
        if seal:
            _check_page(scope, headers)
            if not self.access.spend(seal):
                raise Refused(TOO_EARLY, Conflict("this request was sent before, or long ago", hint="send it again"))
        if who != NOBODY or _is_open(scope, headers):
            return who
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "deedlog":
            raise Refused(401, Denied("the server restarted", hint="run `deedlog open`"))
        raise Refused(401, Denied("this is not the token" if given else "the token is needed", hint=TOKEN_HINT))

    def _page_instead(self, scope: Scope, headers: Headers, refusal: Refused) -> Response | None:
        """Return what a person gets who navigates a browser here. By a name it could reach another server later."""
        wants_page = scope["method"] in ("GET", "HEAD") and "text/html" in headers.get("accept", "")
        if refusal.status != 401 or not wants_page or "authorization" in headers or PART in headers:  # noqa: PLR2004
            return None
        if self._shell is None or scope["path"].startswith(FOR_PROGRAMS):
            return None
        name, _, port = headers["host"].partition(":")
        if name.lower() == "localhost":
            query = f"?{scope['query_string'].decode('latin-1')}" if scope["query_string"] else ""
            path = scope.get("raw_path", scope["path"].encode()).decode("latin-1")
            return RedirectResponse(f"http://{_address(scope)}{port and ':'}{port}{path}{query}", status_code=307)
        return self._shell()


def _target(scope: Scope) -> str:
    """The address of a request as it was sent."""
    path: bytes = scope.get("raw_path") or scope["path"].encode()
    query: bytes = scope.get("query_string", b"")
    return (path + (b"?" + query if query else b"")).decode("latin-1")


def _address(scope: Scope) -> str:
    name: str = scope["server"][0]
    return f"[{name}]" if ":" in name else name


def _is_open(scope: Scope, headers: Headers) -> bool:
    """Whether a request needs no credential: it signs a browser in, or asks for a file that every page has."""
    path, method = scope["path"], scope["method"]
    if path == SIGN_IN and method == "POST":
        _check_page(scope, headers)
        return True
    return method in ("GET", "HEAD") and (path == PROOF or path.startswith(FILES))


def _check_site(headers: Headers) -> None:
    """Pages of others may lead here, but take nothing from here: browsers tell where a request comes from."""
    site, mode = headers.get("sec-fetch-site", "none"), headers.get("sec-fetch-mode", "")
    if site not in ("none", "same-origin") and mode != "navigate":
        raise Refused(403, Denied("pages of other origins may not use this server"))


def _check_page(scope: Scope, headers: Headers) -> None:
    """The page's key is good for what people do on the page, and for nothing else."""
    if scope["path"].startswith("/mcp"):
        raise Refused(403, Denied("the page's key is only for the page", hint=PAGE_HINT))
    read = scope["method"] in ("GET", "HEAD")
    if not read and "origin" not in headers and headers.get("sec-fetch-site") != "same-origin":
        raise Refused(403, Denied("the page's key is only for the page of this server", hint=PAGE_HINT))


async def _body(headers: Headers, receive: Receive) -> bytes:
    declared = headers.get("content-length", "0")
    if not declared.isascii() or not declared.isdigit() or int(declared[:20]) > LARGEST_BODY:
        raise _too_large()
    body = bytearray()
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Left
        body += message.get("body", b"")
        if len(body) > LARGEST_BODY:
            raise _too_large()
        more = message.get("more_body", False)
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json" and (body or kind):
        raise Refused(415, Invalid("the body must be JSON", hint="send `Content-Type: application/json`"))
    return bytes(body)


def _too_large() -> Refused:
    return Refused(
        413,
        Invalid(
            f"the body is larger than {LARGEST_BODY // 1024 // 1024} MiB",
            hint="send less in one call, in several calls",
        ),
    )


def _replay(body: bytes, receive: Receive) -> Receive:
    """`receive` with the body that was already read in front of it."""
    given = False

    async def replayed() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replayed


def _with_safe_headers(send: Send, proof: str) -> Send:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers: list[Any] = list(message.get("headers", ()))
            known = {name.lower() for name, _ in headers}
            headers += [pair for pair in SAFE_HEADERS.items() if pair[0] not in known]
            if proof:
                headers += [(b"deedlog-proof", proof.encode()), (b"deedlog-time", str(int(time.time())).encode())]
            message = {**message, "headers": headers}
        await send(message)

    return guarded
