"""What every HTTP request must pass: the right Host and Origin, the token or a key where needed, a fair body.

A page on the web can make a browser send requests to loopback. It cannot choose the Host
(unless it rebinds its own name, which Host then shows) and cannot hide its Origin.
"""

from __future__ import annotations

from asyncio import CancelledError
from hmac import compare_digest
from typing import Any
from urllib.parse import quote

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from deedlog.core.errors import DeedlogError, Denied, Invalid, Unavailable
from deedlog.faces.web.access import PageAccess
from deedlog.faces.web.refusal import refused
from deedlog.operation.define import Effect, Operation

LOOPBACK = ("127.0.0.1", "localhost", "[::1]", "::1")
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
SIGN_IN, SIGN_OUT, FILES = "/sign-in", "/sign-out", "/static/"
NOBODY, PROGRAM, PERSON = "", "program", "person"


class Refused(Exception):
    def __init__(self, status: int, error: DeedlogError) -> None:
        super().__init__(error.message)
        self.status = status
        self.error = error


class Left(Exception):
    """The client went before all of its request was there."""


def without_token(op: Operation, *, trusted: bool) -> Denied | None:
    """The refusal of a change that comes without the token; reading needs none.

    What is handed on to a mounted server may change anything there, and goes with the secrets it was given.
    """
    if trusted or (op.effect is Effect.READ and not op.server):
        return None
    return Denied(
        f"{op.name} {'is handed on' if op.server else 'changes something'}, which needs the token over HTTP",
        hint=TOKEN_HINT,
    )


class Guard:
    def __init__(self, app: ASGIApp, host: str, token: str) -> None:
        self._app = app
        self._host = host
        self._token = token
        self.page = PageAccess(token)
        self.closing = False  # from then on nothing new begins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        try:
            self._check_name(headers)
            who = self._who(scope, headers)
            body = await _body(headers, receive) if scope["method"] == "POST" else b""
            if self.closing:
                raise Refused(503, Unavailable("the server is stopping", hint="repeat when it runs again"))
        except Left:
            return
        except Refused as refusal:
            response = _to_sign_in(scope, headers, refusal) or refused(refusal.error, refusal.status)
            await response(scope, receive, _with_safe_headers(send))
            return
        scope.setdefault("state", {}).update(trusted=who != NOBODY, person=who == PERSON)
        await self._run(scope, _replay(body, receive), _with_safe_headers(send))

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

    def _check_name(self, headers: Headers) -> None:
        if len(headers.getlist("host")) != 1 or len(headers.getlist("origin")) > 1:
            raise Refused(400, Invalid("one Host header is needed, and at most one Origin"))
        host, origin = headers["host"], headers.get("origin")
        if not self._ours(host):
            hint = "use http://127.0.0.1 or http://localhost, or set the host that `deedlog serve` listens on"
            raise Refused(421, Denied(f"this server does not go by the name {host[:80]!r}", hint=hint))
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            raise Refused(403, Denied(f"pages of {origin[:80]!r} may not use this server"))

    def _ours(self, host: str) -> bool:
        name = host if host.endswith("]") else host.rpartition(":")[0] or host
        if self._host in EVERYWHERE:
            return True  # every request carries the token there, which no page has
        return name.lower() in LOOPBACK or name.lower() in (self._host.lower(), f"[{self._host.lower()}]")

    def _who(self, scope: Scope, headers: Headers) -> str:
        """Who shows which secret; refused when one is needed and not there, or it is another."""
        _check_site(headers)
        given = headers.get("authorization")
        if given is None and (self._host in LOOPBACK or self._is_open(scope, headers)):
            return NOBODY
        scheme, _, secret = (given or "").partition(" ")
        secret = secret.strip()
        if scheme.lower() == "bearer" and compare_digest(secret.encode(), self._token.encode()):
            return PROGRAM
        if scheme.lower() == "bearer" and self.page.is_key(secret):
            _check_page(scope, headers)
            return PERSON
        if given and scope["path"] == SIGN_IN:
            _check_page(scope, headers)
            if self.page.redeem(secret):
                return PERSON
        raise Refused(401, Denied("this is not the token" if given else "the token is needed", hint=TOKEN_HINT))

    def _is_open(self, scope: Scope, headers: Headers) -> bool:
        """Whether reading is allowed beyond loopback: how to sign in, and for those who did everything."""
        path, method = scope["path"], scope["method"]
        if path in (SIGN_IN, f"{SIGN_IN}/proof", SIGN_OUT) or path.startswith(FILES):
            return True
        return method in ("GET", "HEAD") and self.page.may_read(headers.get("cookie", ""))


def _check_site(headers: Headers) -> None:
    """Pages of others may lead here, but take nothing from here: browsers tell where a request comes from."""
    site, mode = headers.get("sec-fetch-site", "none"), headers.get("sec-fetch-mode", "")
    if site not in ("none", "same-origin") and mode != "navigate":
        raise Refused(403, Denied("pages of other origins may not use this server"))


def _check_page(scope: Scope, headers: Headers) -> None:
    """The page's key is good for what people do on the page, and for nothing else."""
    path = scope["path"]
    if scope["method"] != "POST" or not (path.startswith("/api/") or path == SIGN_IN):
        raise Refused(403, Denied("the page's key is only for what the page changes", hint=PAGE_HINT))
    if "origin" not in headers and headers.get("sec-fetch-site") != "same-origin":
        raise Refused(403, Denied("the page's key is only for the page of this server", hint=PAGE_HINT))


def _to_sign_in(scope: Scope, headers: Headers, refusal: Refused) -> RedirectResponse | None:
    """Where a person in a browser goes who has not signed in."""
    wants_page = scope["method"] == "GET" and "text/html" in headers.get("accept", "")
    if refusal.status != 401 or not wants_page or "authorization" in headers:  # noqa: PLR2004
        return None
    asked = scope["path"] + (f"?{scope['query_string'].decode('latin-1')}" if scope["query_string"] else "")
    return RedirectResponse(f"{SIGN_IN}?to={quote(asked, safe='')}", status_code=303)


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


def _with_safe_headers(send: Send) -> Send:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers: list[Any] = list(message.get("headers", ()))
            known = {name.lower() for name, _ in headers}
            headers += [pair for pair in SAFE_HEADERS.items() if pair[0] not in known]
            message = {**message, "headers": headers}
        await send(message)

    return guarded
