"""The page: which address shows which view, rendered in threads, cached nowhere but for its own files."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from deedlog.app import App
from deedlog.core.errors import DeedlogError
from deedlog.faces.web.page import look
from deedlog.faces.web.page.view import Answer, Asked, Elsewhere, Shown, Text, View
from deedlog.faces.web.page.views import VIEWS
from deedlog.faces.web.refusal import STATUS
from deedlog.faces.web.threads import Threads

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
PART = "deedlog-part"  # a request with this header wants the view alone, without what is around it
FOREVER = "public, max-age=31536000, immutable"
MENU = (  # view, address, name, key
    ("now", "/", "Now", "n"),
    ("review", "/review", "Review", "r"),
    ("workflows", "/workflows", "Workflows", "w"),
    ("board", "/board", "Board", "b"),
    ("sessions", "/sessions", "Sessions", "s"),
    ("decisions", "/decisions", "Decisions", "d"),
    ("memory", "/memory", "Memory", "m"),
    ("servers", "/servers", "Servers", "v"),
    ("events", "/events", "Events", "e"),
)


class Pages:
    def __init__(self, app: App, threads: Threads) -> None:
        self._app = app
        self._threads = threads
        self.routes = [
            *(Route(view.ADDRESS, self._endpoint(view.show, waits=getattr(view, "WAITS", False))) for view in VIEWS),
            Route("/static/{edition}/{name:path}", static_file),
        ]

    def _endpoint(self, view: View, *, waits: bool) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            asked = Asked(self._app, request.path_params, request.query_params, base=str(request.base_url))
            alone = PART in request.headers
            return await self._threads.run(lambda: self._respond(view, asked, request.url.path, alone), waits=waits)

        return endpoint

    def _respond(self, view: View, asked: Asked, path: str, alone: bool) -> Response:  # noqa: FBT001
        try:
            answer: Answer = view(asked)
            if isinstance(answer, Elsewhere):
                return RedirectResponse(answer.address, status_code=303)
            if isinstance(answer, Text):
                kept = {"Content-Disposition": f'attachment; filename="{answer.name}"'}
                return Response(answer.text, media_type=answer.media_type, headers=kept)
            return self._page(answer, path, asked.base, alone)
        except DeedlogError as error:
            about = {"message": error.message, "hint": error.hint}
            return self._page(Shown("refusal.html", "Not found", about, status=_status(error)), path, asked.base, alone)

    def _page(self, shown: Shown, path: str, base: str, alone: bool) -> Response:  # noqa: FBT001
        about: dict[str, Any] = {
            **shown.about,
            "title": shown.title,
            "follows": " ".join(shown.follows),
            "subjects": " ".join(shown.subjects),
            "seq": self._app.ledger.head(),
            "menu": MENU,
            "base": base,
            "view": shown.view or path.split("/")[1] or "now",
            "alone": alone or shown.part,
            "layout": "part.html" if shown.part else "alone.html" if alone else "layout.html",
        }
        return HTMLResponse(
            look.render(shown.template, about), shown.status, headers={"Content-Security-Policy": POLICY}
        )


def _status(error: DeedlogError) -> int:
    return STATUS.get(error.kind, 500)


def static_file(request: Request) -> Response:
    name = os.path.normpath(request.path_params["name"])
    path = os.path.join(look.STATIC, name)
    if name.startswith(("..", "/")) or not os.path.isfile(path):
        raise HTTPException(404)
    return FileResponse(path, headers={"Cache-Control": FOREVER})
