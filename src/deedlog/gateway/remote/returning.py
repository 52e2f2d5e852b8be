"""The address of this machine to which a browser returns with the code of a login."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from typing import Self
from urllib.parse import parse_qs, urlsplit

from mcp.client.auth import OAuthFlowError
from mcp.shared.auth import AuthorizationCodeResult

PATH = "/callback"
LONGEST = 16_384
SECONDS = 10.0  # that a browser may take to ask
DONE = "You are logged in. You may close this window."
REFUSED = "The login was refused. You may close this window."
OTHER = "This is not the login that is waited for."


class Returning:
    """Listens on loopback, on a port that nobody knows before. What does not bring the state we sent is ignored."""

    address = ""

    def __init__(self) -> None:
        self._state = ""
        self._came: asyncio.Future[AuthorizationCodeResult] = asyncio.get_running_loop().create_future()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=LONGEST)
        port = self._server.sockets[0].getsockname()[1]
        self.address = f"http://127.0.0.1:{port}{PATH}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        self._came.cancel()

    def expect(self, state: str) -> None:
        self._state = state

    async def arrived(self) -> AuthorizationCodeResult:
        return await self._came

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(SECONDS):
                head = await reader.readuntil(b"\r\n\r\n")
                status, text = self._answer(head.split(b"\r\n", 1)[0].decode("latin-1"))
                writer.write(_page(status, text))
                await writer.drain()
        except (OSError, EOFError, TimeoutError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    def _answer(self, line: str) -> tuple[str, str]:
        method, _, rest = line.partition(" ")
        target = urlsplit(rest.rpartition(" ")[0])
        asked = {name: values[0] for name, values in parse_qs(target.query).items()}
        expected = bool(self._state) and secrets.compare_digest(asked.get("state", "").encode(), self._state.encode())
        if method != "GET" or target.path != PATH or not expected:
            return "400 Bad Request", OTHER
        if not self._came.done():
            if "code" in asked:
                self._came.set_result(
                    AuthorizationCodeResult(code=asked["code"], state=asked["state"], iss=asked.get("iss"))
                )
            else:
                self._came.set_exception(OAuthFlowError(f"refused: {asked.get('error', '')}"))
        return ("200 OK", DONE) if "code" in asked else ("400 Bad Request", REFUSED)


def _page(status: str, text: str) -> bytes:
    body = f"<!doctype html><title>Deedlog</title><p>{text}</p>".encode()
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(body)}\r\n"
        "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body
