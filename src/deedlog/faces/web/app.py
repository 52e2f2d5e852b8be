"""The web face: which address is what."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from deedlog import __version__
from deedlog.app import App
from deedlog.core.errors import NotFound
from deedlog.faces.mcp.dispatch import Dispatcher
from deedlog.faces.web.api import Api
from deedlog.faces.web.guard import Guard
from deedlog.faces.web.mcp import Mcp
from deedlog.faces.web.page.live import Live
from deedlog.faces.web.page.pages import Pages
from deedlog.faces.web.refusal import json_response, refused
from deedlog.faces.web.threads import Threads


class Web:
    """The ASGI application, with the threads its calls run in."""

    def __init__(self, app: App, *, actor: str, host: str, token: str) -> None:
        self._app = app
        self._threads = Threads(app)
        self.dispatcher = Dispatcher(app, actor)
        self._mcp = Mcp(self.dispatcher, self._threads)
        self._pages = Pages(app, self._threads)
        self._live = Live(app)
        self._api = api = Api(self.dispatcher, self._threads)
        routes = [
            *self._pages.routes,
            Route("/live", self._live.stream),
            Route("/health", health),
            Route("/mcp", self._mcp),
            Route("/api/openapi.json", api.openapi, methods=["GET"]),
            Route("/api/{words:path}", api.call, methods=["POST"]),
        ]
        self.asgi = Guard(Starlette(routes=routes, exception_handlers={HTTPException: elsewhere}), host, token)

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


async def health(_request: Request) -> Response:
    return json_response({"status": "ok", "version": __version__})


async def elsewhere(request: Request, error: Exception) -> Response:
    """No such address, or not with this method."""
    status = error.status_code if isinstance(error, HTTPException) else None
    hint = "/mcp speaks MCP, /api/openapi.json lists the operations"
    return refused(NotFound(f"there is nothing at {request.method} {request.url.path[:80]!r}", hint=hint), status)
