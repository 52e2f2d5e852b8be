"""Using a login: its token on every request to its server, refreshed by the SDK when it is over."""

from __future__ import annotations

import asyncio
import os
import time
from typing import TYPE_CHECKING

import httpx2
from mcp.client.auth import OAuthClientProvider
from mcp.shared.auth import (
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from pydantic import AnyUrl, ValidationError

from deedlog.core.errors import Unavailable
from deedlog.gateway.remote.bodies import bounded_login

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from deedlog.gateway.remote.oauth import Login
    from deedlog.gateway.wire import Json

REFRESH_SECONDS = 30.0
EARLY = 30.0  # seconds before its end that a token counts as over, or a tenth of its time
LOOK = 0.05
REFUSED, NEVER = "refused", "never logged in"
SERVER_ERROR, TOO_MANY, UNAUTHORIZED = 500, 429, 401


def client_metadata(redirect: str) -> OAuthClientMetadata:
    return OAuthClientMetadata(
        redirect_uris=[AnyUrl(redirect)],
        client_name="Deedlog",
        token_endpoint_auth_method="none",  # noqa: S106  # a program on people's machines keeps no secret
        grant_types=["authorization_code", "refresh_token"],
    )


def until(tokens: OAuthToken) -> float | None:
    """When a token is over, by our clock."""
    if tokens.expires_in is None:
        return None
    return time.time() + tokens.expires_in - min(EARLY, tokens.expires_in / 10)


def plain(model: OAuthToken | OAuthClientInformationFull | OAuthMetadata | ProtectedResourceMetadata) -> Json:
    return model.model_dump(mode="json", exclude_none=True)


class StoredLogin(OAuthClientProvider):
    """Nobody is asked anything here: where the login is worth nothing, `Unavailable` says who has to log in.

    Many requests use it at once. The SDK's own flow would have each wait for the answer to the one before.
    """

    def __init__(self, login: Login, url: str) -> None:
        super().__init__(url, client_metadata("http://127.0.0.1/callback"), self)  # the redirect is never used
        self._login = login
        self._url = url
        self._origin = httpx2.URL(url)
        self._refreshing = asyncio.Lock()
        self._used = ""  # the token that is being refreshed

    async def get_tokens(self) -> OAuthToken | None:
        return self.context.current_tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return self.context.client_info

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Nobody registers here."""

    async def set_tokens(self, tokens: OAuthToken) -> None:
        self._login.refresh(self._url, self._used, {"tokens": plain(tokens), "until": until(tokens)})

    async def _auth_flow(self, request: httpx2.Request) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        if not self._is_for_the_server(request):
            yield request
            return
        content = self._login.read(self._url)
        if content.get("refused"):
            raise self._login.needed(again=content["refused"] != NEVER)
        token = await self._usable(content)
        if token:
            request.headers["Authorization"] = f"Bearer {token}"
        response = yield request
        if response.status_code != UNAUTHORIZED:
            return
        if token:
            token = await self._fresh(token)
            request.headers["Authorization"] = f"Bearer {token}"
            response = yield request
        if response.status_code == UNAUTHORIZED:
            await self._give_up(response, token)

    def _is_for_the_server(self, request: httpx2.Request) -> bool:
        here, there = self._origin, request.url
        return (here.scheme, here.host, here.port) == (there.scheme, there.host, there.port)

    async def _usable(self, content: Json) -> str:
        """The token, where there is one and its time is not over."""
        token: str = content.get("tokens", {}).get("access_token", "")
        over = content.get("until")
        if token and over is not None and time.time() >= over and content["tokens"].get("refresh_token"):
            return await self._fresh(token)
        return token

    async def _fresh(self, used: str) -> str:
        """Another token than the one that was used. Of all processes, one refreshes and the others take what it got."""
        async with self._refreshing:
            lock = await self._locked()
            try:
                content = self._login.read(self._url)
                held: Json = content.get("tokens", {})
                if held.get("access_token", used) != used:
                    return str(held["access_token"])
                if content.get("refused") or not held.get("refresh_token"):
                    raise self._over(used)
                self._used = used
                return await self._refreshed(content)
            finally:
                os.close(lock)

    async def _locked(self) -> int:
        end = time.monotonic() + 2 * REFRESH_SECONDS
        while (lock := self._login.lock()) is None:
            if time.monotonic() > end:
                raise Unavailable(f"Another process has refreshed the login at {self._login.name} for too long")
            await asyncio.sleep(LOOK)
        return lock

    async def _refreshed(self, content: Json) -> str:
        try:
            self.context.current_tokens = OAuthToken.model_validate(content["tokens"])
            self.context.client_info = OAuthClientInformationFull.model_validate(content["client"])
            if "issuer" in content:
                self.context.oauth_metadata = OAuthMetadata.model_validate(content["issuer"])
            if "resource" in content:
                self.context.protected_resource_metadata = ProtectedResourceMetadata.model_validate(content["resource"])
        except (ValidationError, KeyError):  # a file that somebody changed by hand
            raise self._over(self._used) from None
        self.context.protocol_version = "2025-06-18"  # from here on, the resource is named to who gives tokens
        request = await self._refresh_token()
        async with httpx2.AsyncClient(timeout=REFRESH_SECONDS, **bounded_login()) as client:  # follows no redirect
            response = await client.send(request)
        if response.status_code >= SERVER_ERROR or response.status_code == TOO_MANY:
            raise Unavailable(
                f"The login at {self._login.name} cannot be refreshed now (HTTP {response.status_code})",
                hint="try again later",
            )
        if not await self._handle_refresh_response(response) or self.context.current_tokens is None:
            raise self._over(self._used)
        return self.context.current_tokens.access_token

    def _over(self, used: str) -> Unavailable:
        """The login is worth nothing any more; nobody tries it again."""
        why = self._login.needed(again=True)
        self._login.refuse(self._url, used, REFUSED)
        return why

    async def _give_up(self, response: httpx2.Response, token: str) -> None:
        """No login, or one that is not accepted even when it is fresh."""
        if not token and "bearer" not in response.headers.get("www-authenticate", "").lower():
            return  # not one that a login would help
        self._login.refuse(self._url, token, REFUSED if token else NEVER)
        raise self._login.needed(again=bool(token))
