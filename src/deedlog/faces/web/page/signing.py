"""Signing in beyond loopback: the key in, a pass for reading out; and how a program tells this server from another."""

from __future__ import annotations

import re

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from deedlog.core.errors import Denied, Invalid
from deedlog.faces.web.access import PASS_SECONDS, PageAccess
from deedlog.faces.web.guard import SIGN_IN, SIGN_OUT
from deedlog.faces.web.page import look
from deedlog.faces.web.page.pages import HEADERS
from deedlog.faces.web.refusal import json_response, refused

CHALLENGE = re.compile(r"[\w-]{16,64}", re.ASCII)


class Signing:
    def __init__(self, access: PageAccess, *, project: str, loopback: bool) -> None:
        self._access = access
        self._project = project
        self._loopback = loopback
        self.routes = [
            Route(SIGN_IN, self._show, methods=["GET"]),
            Route(SIGN_IN, self._sign_in, methods=["POST"]),
            Route(f"{SIGN_IN}/proof", self._prove, methods=["GET"]),
            Route(SIGN_OUT, self._sign_out, methods=["POST"]),
        ]

    async def _show(self, _request: Request) -> Response:
        return HTMLResponse(look.render("sign-in.html", {}), headers=HEADERS)

    async def _sign_in(self, request: Request) -> Response:
        """Where reading is free a pass would be of no use; the key itself goes to whoever came by a link of ours."""
        if not request.state.trusted:
            return refused(Denied("the page's key is needed", hint="open the link that `deedlog open` prints"), 401)
        response = json_response({"key": self._access.key, "project": self._project})
        if not self._loopback:
            secure = request.headers.get("origin", "").startswith("https:")
            response.set_cookie(
                self._access.cookie,
                self._access.reading_pass(),
                max_age=PASS_SECONDS,
                httponly=True,
                samesite="strict",
                secure=secure,
            )
        return response

    async def _sign_out(self, _request: Request) -> Response:
        response = json_response({"status": "out"})
        response.delete_cookie(self._access.cookie, httponly=True, samesite="strict")
        return response

    async def _prove(self, request: Request) -> Response:
        challenge = request.query_params.get("of", "")
        if not CHALLENGE.fullmatch(challenge):
            return refused(Invalid("of: must be 16 to 64 letters and digits", data={"field": "of"}))
        return json_response({"proof": self._access.proof(challenge)})
