"""Logging in: a person visits an address, and the server of their account sends them back to us with a code.

Discovery, registration, PKCE and the checks of state, issuer and resource are the SDK's.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import wait
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp.client.auth import OAuthClientProvider, OAuthFlowError, OAuthRegistrationError
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken

from deedlog.core.errors import Unavailable
from deedlog.core.gate.redaction import redacted
from deedlog.gateway.remote.authorization import UNAUTHORIZED, client_metadata, plain, until
from deedlog.gateway.remote.bodies import bounded_login
from deedlog.gateway.remote.http import checked, secret_parts
from deedlog.gateway.remote.refused import LONGEST, broken
from deedlog.gateway.remote.returning import Returning
from deedlog.gateway.remote.transports import LOOP

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from deedlog.gateway.remote.oauth import Login

LOOK = 0.05
LOOPBACK = ("127.0.0.1", "::1", "localhost")
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
HEADERS = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25"}


class Gathered:
    """What a login brings, until all of it is there."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        self.client = client_info


def logged_in(
    login: Login,
    kind: str,
    url: str,
    headers: Mapping[str, str],
    tell: Callable[[str], None],
    cancelled: Callable[[], bool],
    seconds: float,
) -> bool:
    """Wait for a person to log in; False where the server asks for none."""
    checked(url, headers, login.name)
    attempt = Attempt(login, kind, url, headers)
    with LOOP.used() as loop:
        future = asyncio.run_coroutine_threadsafe(attempt.run(seconds), loop)
        try:
            while not wait([future], LOOK).done:
                if attempt.address:
                    address, attempt.address = attempt.address, ""
                    tell(address)
                if cancelled():
                    raise Unavailable(f"The login at {login.name} was cancelled", data={"cancelled": True})
            return future.result()
        finally:
            future.cancel()


class Attempt:
    """One flow. `address` is where a person has to go, as soon as that is known."""

    def __init__(self, login: Login, kind: str, url: str, headers: Mapping[str, str]) -> None:
        self.address = ""
        self._login = login
        self._kind = kind
        self._url = url
        self._headers = headers
        self._found = Gathered()

    async def run(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds), Returning() as returning:
                return await self._run(returning)
        except TimeoutError:
            raise Unavailable(
                f"Nobody logged in at {self._login.name} within {seconds:g} seconds",
                hint=f"again: deedlog mcp login {self._login.name}",
            ) from None
        except OAuthRegistrationError as error:
            raise Unavailable(
                f"{self._login.name} does not let programs such as this one register themselves",
                hint="configure a header for it instead: Authorization: Bearer ${KEY}",
                data={"said": self._hidden(str(error))},
            ) from None
        except OAuthFlowError as error:
            raise Unavailable(
                f"The login at {self._login.name} failed",
                hint="what was wrong with it is in the details",
                data={"said": self._hidden(str(error))},
            ) from None
        except (httpx2.HTTPError, ValueError) as error:
            raise broken(self._login.name, error, self._hidden) from None

    async def _run(self, returning: Returning) -> bool:
        provider = Careful(
            self._url,
            client_metadata(returning.address),
            self._found,
            redirect_handler=partial(self._go, returning),
            callback_handler=returning.arrived,
        )
        try:
            status = await self._asked(provider)
        except httpx2.HTTPError:
            if self._found.tokens is None:
                raise
            status = 0  # there is a login all the same
        tokens, client = self._found.tokens, self._found.client
        if tokens is None or client is None:
            if status == UNAUTHORIZED:
                raise Unavailable(f"{self._login.name} does not accept the credentials it was sent (HTTP 401)")
            return False
        if status == UNAUTHORIZED:
            raise Unavailable(f"{self._login.name} does not accept the login that it asked for")
        about = provider.context
        self._login.keep(
            self._url,
            {
                "tokens": plain(tokens),
                "until": until(tokens),
                "client": plain(client),
                **({"issuer": plain(about.oauth_metadata)} if about.oauth_metadata else {}),
                **({"resource": plain(about.protected_resource_metadata)} if about.protected_resource_metadata else {}),
            },
        )
        return True

    async def _asked(self, provider: OAuthClientProvider) -> int:
        """Ask for anything at all: a server that wants a login says so first."""
        headers = {**self._headers, **HEADERS}
        async with httpx2.AsyncClient(auth=provider, timeout=30, **bounded_login()) as client:
            if self._kind == "sse":
                request = client.build_request("GET", self._url, headers=headers)
            else:
                request = client.build_request("POST", self._url, json=PING, headers=headers)
            response = await client.send(request, stream=True)
            await response.aclose()
        return response.status_code

    async def _go(self, returning: Returning, address: str) -> None:
        returning.expect(parse_qs(urlsplit(address).query)["state"][0])
        self.address = address

    def _hidden(self, text: str) -> str:
        found, secrets = self._found, secret_parts(self._url, self._headers)
        if found.client is not None and found.client.client_secret:
            secrets.append(found.client.client_secret)
        return redacted(text[:LONGEST], secrets)


class Careful(OAuthClientProvider):
    """Codes and tokens go over lines that nobody can listen to, or not at all."""

    async def _perform_authorization_code_grant(self) -> tuple[str, str]:
        found = self.context.oauth_metadata
        addresses = [self.context.server_url]
        if found is not None:
            addresses += [str(found.authorization_endpoint), str(found.token_endpoint)]
        for address in addresses:
            parts = urlsplit(address)
            if parts.scheme != "https" and parts.hostname not in LOOPBACK:
                raise OAuthFlowError("an address of the login is not encrypted")
        return await super()._perform_authorization_code_grant()
