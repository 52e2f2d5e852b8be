"""Signing a browser in: a link's code in, the page's key out; and how a command tells this server from another."""

from __future__ import annotations

import re

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from deedlog.core.errors import Denied, Invalid
from deedlog.faces.web.access import Access
from deedlog.faces.web.guard import PROOF, SIGN_IN
from deedlog.faces.web.refusal import json_response, refused

CHALLENGE = re.compile(r"[\w-]{16,64}", re.ASCII)


class Signing:
    def __init__(self, access: Access, *, project: str) -> None:
        self._access = access
        self._project = project
        self.routes = [
            Route(SIGN_IN, self._sign_in, methods=["POST"]),
            Route(PROOF, self._prove, methods=["GET"]),
        ]

    async def _sign_in(self, request: Request) -> Response:
        if not self._access.redeem(request.headers.get("authorization", "").removeprefix("Code ")):
            hint = "run `deedlog open` for a new one"
            return refused(Denied("this link was used already, or it is too old", hint=hint), 401)
        return json_response({"key": self._access.key, "project": self._project})

    async def _prove(self, request: Request) -> Response:
        challenge = request.query_params.get("of", "")
        if not CHALLENGE.fullmatch(challenge):
            return refused(Invalid("of: must be 16 to 64 letters and digits", data={"field": "of"}))
        host, port = request.scope["server"]  # of the connection itself: a Host header says what its sender likes
        return json_response({"proof": self._access.proof(f"{host} {port}", challenge), "run": self._access.run})
