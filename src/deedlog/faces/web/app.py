"""The web face: which address is what."""

from __future__ import annotations

import os

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from deedlog import __version__
from deedlog.app import App
from deedlog.core.errors import DeedlogError, NotFound
from deedlog.faces.mcp.dispatch import Dispatcher
from deedlog.faces.web.access import Access
from deedlog.faces.web.api import Api
from deedlog.faces.web.guard import PART, Guard
from deedlog.faces.web.mcp import Mcp
from deedlog.faces.web.page import look
from deedlog.faces.web.page.live import Live
from deedlog.faces.web.page.pages import Pages, shell
from deedlog.faces.web.page.signing import Signing
from deedlog.faces.web.refusal import json_response, refused
from deedlog.faces.web.threads import Threads


class Web:
    """The ASGI application, with the threads its calls run in. `person` decides on the page, in the log."""

    def __init__(self, app: App, *, actor: str, host: str, access: Access, person: str = "person") -> None:
        self._app = app
        self._threads = Threads(app)
        self.dispatcher = Dispatcher(app, actor, over_http=True)
        self._mcp = Mcp(self.dispatcher, self._threads)
        star = Starlette(exception_handlers={HTTPException: self._elsewhere})
        self.asgi = Guard(star, host, access, shell)
        project, server = os.path.basename(_root(app)), self.asgi.access.run
        self._pages = Pages(app, self._threads, project=project, server=server)
        self._live = Live(app, self._threads, {"server": server, "edition": look.edition()})
        self._api = api = Api(self.dispatcher, self._threads, person=person, called=self._pages.called)
        star.router.routes = [
            *self._pages.routes,
            *Signing(self.asgi.access, project=project).routes,
            Route("/live", self._live.stream, methods=["GET"]),
            Route("/health", health),
            Route("/mcp", self._mcp),
            Route("/api/openapi.json", api.openapi, methods=["GET"]),
            Route("/api/{words:path}", api.call, methods=["POST"]),
        ]

    def end(self) -> None:
        """Begin nothing more, and bring what would keep the server from stopping to its end."""
        self.asgi.closing = True
        self._live.end()
        self._api.end()
        self._mcp.end()

    def close(self) -> None:
        """Once all replies are sent. The store goes last: threads use it to their end."""
        self._live.close()
        self._threads.close()
        self.dispatcher.close()
        self._app.close()

    async def _elsewhere(self, request: Request, error: Exception) -> Response:
        """No such address, or not with this method: told on a page in a browser, and as JSON to a program."""
        status = error.status_code if isinstance(error, HTTPException) else 404
        path = request.url.path
        hint = "/mcp speaks MCP, /api/openapi.json lists the operations"
        told = NotFound(f"there is nothing at {request.method} {path[:80]!r}", hint=hint)
        if request.method != "GET" or "text/html" not in request.headers.get("accept", ""):
            return refused(told, status)
        return self._pages.refusal(told, path, str(request.base_url), alone=PART in request.headers, status=status)


def _root(app: App) -> str:
    try:
        return app.engines.root()
    except DeedlogError:  # outside of a project: each view says so
        return ""


async def health(_request: Request) -> Response:
    return json_response({"status": "ok", "version": __version__})
