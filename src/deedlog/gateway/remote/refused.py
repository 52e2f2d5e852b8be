"""Why a server over HTTP gave no answer, in words of ours. Its own words are only ever data, without secrets."""

from __future__ import annotations

import json
from socket import gaierror
from typing import TYPE_CHECKING

import httpx2

from deedlog.core.errors import Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

LONGEST = 2_000  # characters of what a server says that are handed on
UNAUTHORIZED, FORBIDDEN, NOT_FOUND, TOO_MANY, NOT_NOW = 401, 403, 404, 429, 503
MAY_BE_DONE = "It may have done the work: look before you call again."  # as is said of programs that end

# how the errors begin that the SDK gives as the answer to a request, where a server gave none
OWN = {
    "SSE stream ended": "broke off before it had answered",
    "SSE stream failed": "sent an answer that cannot be read, or is too large",
    "Failed to parse": "sent an answer that is no JSON-RPC",
    "Unexpected content type": "answered with something that is neither JSON nor a stream of events",
    "server answered a request with 202": "took the request and gives no answer",
    "Redirect to": "points to another place, where nothing is sent",
}


def misunderstood(name: str, message: str) -> Unavailable | None:
    """What the SDK says in the server's place, in words of ours; None for an error of the server itself."""
    for begin, what in OWN.items():
        if message.startswith(begin):
            return Unavailable(f"{name} {what}", hint=MAY_BE_DONE)
    return None


def broken(name: str, error: BaseException, hide: Callable[[str], str]) -> Unavailable:
    """What went wrong on the way, whatever it is wrapped in."""
    leaf = _leaf(error)
    if isinstance(leaf, Unavailable):
        return leaf
    if isinstance(leaf, httpx2.HTTPStatusError):
        return refusal(name, leaf.response.status_code, "")
    data: dict[str, object] = {"error": type(leaf).__name__, "said": hide(str(leaf)[:LONGEST])}
    return Unavailable(f"{name} {_what(leaf)}", hint=_hint(leaf), data=data)


def unreachable(error: BaseException) -> bool:
    """Whether there is no connection at all, so that no other request will do better."""
    return isinstance(_leaf(error), httpx2.ConnectError | httpx2.ConnectTimeout)


def refusal(name: str, status: int, said: str) -> Unavailable:
    """An answer that is no success; `said` is without secrets."""
    data: dict[str, object] = {"status": status, **({"said": said} if said else {})}
    if status == UNAUTHORIZED:
        return Unavailable(
            f"{name} does not accept the credentials it was sent (HTTP 401)",
            hint="see the headers and keys in its configuration",
            data=data,
        )
    if status == FORBIDDEN:
        return Unavailable(
            f"{name} does not allow this (HTTP 403)",
            hint="the key or login may lack a right that this needs",
            data=data,
        )
    hint = MAY_BE_DONE if status >= 500 else "see the url in its configuration"  # noqa: PLR2004
    hint = "try again later" if status in (TOO_MANY, NOT_NOW) else hint
    return Unavailable(f"{name} answered with HTTP {status}", hint=hint, data=data)


def elsewhere(name: str, response: httpx2.Response) -> Unavailable | None:
    """A redirect that must not be followed: away from the server, or as another request."""
    following = response.next_request
    if following is None:
        return None
    here, there = response.request.url, following.url
    same = (here.host, here.port) == (there.host, there.port) and there.scheme in (here.scheme, "https")
    if (
        same
        and following.method == response.request.method
        and not (there.userinfo and there.userinfo != here.userinfo)
    ):
        return None
    return Unavailable(
        f"{name} points to another place, where nothing is sent",
        hint="if that is the server, configure its address",
        data={"status": response.status_code, "host": there.host},
    )


def rpc_error(body: bytes) -> dict[str, Any] | None:
    """The JSON-RPC error in an answer that is no success; other bodies are not of the protocol."""
    try:
        error = json.loads(body)["error"]
        return error if isinstance(error["code"], int) and isinstance(error["message"], str) else None
    except (ValueError, KeyError, TypeError):
        return None


def forgotten(status: int, error: dict[str, Any] | None) -> bool:
    """Whether the server no longer knows the session: 404 by the protocol, and what older servers say."""
    if status == NOT_FOUND:
        return True
    text = error["message"].lower() if error else ""
    return status == 400 and ("session" in text or "not initialized" in text)  # noqa: PLR2004


def _leaf(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _what(error: BaseException) -> str:
    match error:
        case httpx2.ConnectTimeout() | TimeoutError():
            return "cannot be reached in time"
        case httpx2.ConnectError() if _is_about_tls(error):
            return "cannot be reached securely: its certificate is not accepted"
        case httpx2.ConnectError() if _is_by(error, ConnectionRefusedError):
            return "cannot be reached: nothing takes connections there"
        case httpx2.ConnectError() if _is_by(error, gaierror):
            return "cannot be reached: nobody knows the name of its machine"
        case httpx2.ConnectError():
            return "cannot be reached"
        case httpx2.TimeoutException():
            return "did not answer in time"
        case httpx2.SSEError() | httpx2.DecodingError():
            return "sent an answer that cannot be read, or is too large"
        case httpx2.TransportError():
            return "broke off before it had answered"
    return "cannot be spoken to"


def _hint(error: BaseException) -> str:
    if isinstance(error, httpx2.ConnectError):
        if _is_about_tls(error):
            return "SSL_CERT_FILE may name a file of further certificates to trust"
        if _is_by(error, gaierror):
            return "see whether there is a network, and the url in its configuration"
        return "see whether it runs, and the url in its configuration"
    return "try again later" if isinstance(error, httpx2.ConnectTimeout) else MAY_BE_DONE


def _is_by(error: BaseException | None, kind: type[OSError]) -> bool:
    while error is not None and not isinstance(error, kind):
        error = error.__cause__ or error.__context__
    return error is not None


def _is_about_tls(error: BaseException | None) -> bool:
    import ssl

    while error is not None:
        if isinstance(error, ssl.SSLError) or "SSL" in str(error) or "certificate" in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False
