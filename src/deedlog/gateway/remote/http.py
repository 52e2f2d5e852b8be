"""A server that is reached over HTTP. What it takes to speak that is loaded when the first one is opened."""

from __future__ import annotations

import threading
from queue import SimpleQueue

from deedlog.core.errors import Part, Unavailable
from deedlog.core.gate import reference
from deedlog.core.gate.redaction import redacted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from deedlog.core.gate.server import Server
    from deedlog.gateway.remote.oauth import Login, Logins
    from deedlog.gateway.remote.transports import Remote
    from deedlog.gateway.wire import Json

    LookUp = Callable[[str], str | None]

OVER = 5.0  # seconds that a connection may take to end


def channel_of(server: Server, look_up: LookUp, logins: Logins) -> HttpChannel:
    url, headers = resolved(server, look_up)
    return HttpChannel(server.transport, url, headers, logins.of(server), server.name)


def resolved(server: Server, look_up: LookUp) -> tuple[str, dict[str, str]]:
    """Address and headers of a server, with what their references stand for."""
    headers = {name: reference.resolved(value, look_up) for name, value in server.headers.items()}
    return reference.resolved(server.url, look_up), headers


class HttpChannel:
    """Streamable HTTP (`http`, or `sse` where the server knows only that), or `sse` from the start."""

    pid = 0

    def __init__(
        self, kind: str, url: str, headers: Mapping[str, str], login: Login | None = None, name: str = ""
    ) -> None:
        """`url` and `headers` are what is sent: every reference in them is resolved."""
        self._kind = kind
        self._url = url
        self._headers = dict(headers)
        self._login = login
        self._name = name
        self._remote: Remote | None = None
        self._coming: SimpleQueue[Json | str | None] = SimpleQueue()  # a text says why it is over
        self._closing = threading.Lock()
        self._closed = False

    def open(self, receive: Callable[[Json], None], lost: Callable[[str], None], seconds: float) -> None:
        where = checked(self._url, self._headers, self._name)
        from deedlog.gateway.remote.transports import Remote  # loads the SDK: half a second, 40 MB

        self._remote = Remote(
            self._kind,
            self._url,
            self._headers,
            self._login,
            name=self._name or where,
            deliver=self._coming.put,
            hide=self.hidden,
            unread=self._coming.qsize,
        )
        self._remote.open(seconds)
        threading.Thread(target=self._hand_over, args=(receive, lost), name=f"{where} over HTTP", daemon=True).start()

    def send(self, message: Json, seconds: float) -> None:
        if self._remote is None or self._closed:
            raise Unavailable("it is not connected")
        self._remote.send(message, seconds)

    @property
    def unread(self) -> bool:
        return False

    def agreed(self, version: str) -> None:
        if self._remote is not None:
            self._remote.version = version

    def said(self) -> str:
        return self._remote.said if self._remote else ""

    def close(self) -> None:
        with self._closing:
            if self._closed:
                return
            self._closed = True
        if self._remote is not None:
            self._remote.close(OVER)
        self._coming.put(None)

    def hidden(self, text: str) -> str:
        """A text of the server, without what it was trusted with."""
        return redacted(
            text, [*secret_parts(self._url, self._headers), *(self._login.secrets() if self._login else [])]
        )

    def _hand_over(self, receive: Callable[[Json], None], lost: Callable[[str], None]) -> None:
        while (message := self._coming.get()) is not None:
            if isinstance(message, str):
                if not self._closed:
                    lost(message)
                self.close()
                return
            receive(message)


def checked(url: str, headers: Mapping[str, str], name: str) -> str:
    """The host of an address that can be asked; nothing else of it is ever told, it may hold a secret."""
    from urllib.parse import urlsplit  # here and below: only who reaches a server over HTTP needs it

    who = name or "the server"
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        parts, host = None, None
    if parts is None or parts.scheme not in ("http", "https") or not host or any(ord(c) <= ord(" ") for c in url):
        raise Unavailable(
            f"The address of {who} is not one of http or https",
            hint="see the url in its configuration",
            part=Part.CONFIGURATION,
        )
    for header, value in headers.items():
        if not header or not (header + value).isascii() or not (header + value).isprintable() or ":" in header:
            raise Unavailable(
                f"A header that is configured for {who} cannot be sent",
                hint="names and values of headers are of plain letters, without line breaks",
                part=Part.CONFIGURATION,
            )
    return host


def secret_parts(url: str, headers: Mapping[str, str]) -> list[str]:
    """What nobody may read in an address and in headers: all of their values, in whole and in words."""
    from urllib.parse import parse_qsl, unquote, urlsplit

    parts = urlsplit(url)
    found = [unquote(text) for text in (parts.username, parts.password) if text]
    found += [value for _, value in parse_qsl(parts.query)]
    for value in headers.values():
        found += [value, *value.split()]
    return found
