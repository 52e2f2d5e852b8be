"""The page: which address shows which view, rendered in threads, once for all who ask at the same moment."""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable
from types import ModuleType
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from deedlog.app import App
from deedlog.core.errors import DeedlogError
from deedlog.faces.web.guard import PART
from deedlog.faces.web.page import look
from deedlog.faces.web.page.kept import Kept
from deedlog.faces.web.page.view import Answer, Asked, Elsewhere, Shown, Text
from deedlog.faces.web.page.views import VIEWS
from deedlog.faces.web.refusal import STATUS, UNEXPECTED
from deedlog.faces.web.threads import Threads

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), clipboard-write=(self)",
}
PARTS = "/part/"
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
REFUSED = {  # what the heading of a refusal says
    "not_found": "Not here",
    "denied": "Not allowed",
    "unavailable": "Not available just now",
    "unexpected": "Something went wrong",
}


class Pages:
    """`project` is what the menu is headed with, `server` by what pages know that it is still the same one."""

    def __init__(self, app: App, threads: Threads, *, project: str, server: str) -> None:
        self._app = app
        self._threads = threads
        self._around = {"menu": MENU, "project": project, "server": server}
        self._kept: Kept[Response] = Kept()
        self.called = self._kept.forget
        self.routes = [
            *(Route(view.ADDRESS, self._endpoint(view), methods=["GET"]) for view in VIEWS),
            Route("/static/{edition}/{name:path}", static_file, methods=["GET"]),
        ]

    def _endpoint(self, view: ModuleType) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            return await self._threads.run(lambda: self._once(view, request), waits=getattr(view, "WAITS", False))

        return endpoint

    def _once(self, view: ModuleType, request: Request) -> Response:
        """The page as of now, or as of the same event a moment ago."""
        alone = PART in request.headers
        path, base = request.url.path, str(request.base_url)
        try:
            seq = self._app.ledger.head()  # before anything is read: what happens meanwhile the feed tells
            asked = Asked(self._app, request.path_params, request.query_params, base=base)
            key = (str(request.url), alone, seq)
            return self._kept.get(key, lambda: self._rendered(view, asked, path, seq=seq, alone=alone))
        except DeedlogError as error:
            return self.refusal(error, path, base, alone=alone)
        except Exception as error:  # noqa: BLE001  # a person gets a page of ours, the log the traceback
            return self.refusal(_unexpected(self._app.report(error)), path, base, alone=alone)

    def _rendered(self, view: ModuleType, asked: Asked, path: str, *, seq: int, alone: bool) -> Response:
        begun = time.perf_counter()
        response = self._respond(view.show(asked), path, asked.base, seq=seq, alone=alone)
        response.headers["Server-Timing"] = f"view;dur={(time.perf_counter() - begun) * 1000:.1f}"
        return response

    def _respond(self, answer: Answer, path: str, base: str, *, seq: int, alone: bool) -> Response:
        if isinstance(answer, Elsewhere):
            return RedirectResponse(answer.address, status_code=303)
        if isinstance(answer, Text):
            kept = {"Content-Disposition": f'attachment; filename="{answer.name}"'}
            return Response(answer.text, media_type=answer.media_type, headers=kept)
        return self._page(answer, path, base, seq=seq, alone=alone)

    def refusal(self, error: DeedlogError, path: str, base: str, *, alone: bool = False, status: int = 0) -> Response:
        heading = REFUSED.get(error.kind, "That cannot be shown")
        about = {"heading": heading, "message": error.message, "hint": error.hint}
        status = status or STATUS.get(error.kind, UNEXPECTED)
        shown = Shown("refusal.html", heading, about, part=path.startswith(PARTS), status=status)
        return self._page(shown, path, base, seq=0, alone=alone)

    def _page(self, shown: Shown, path: str, base: str, *, seq: int, alone: bool) -> Response:
        frame: dict[str, Any] = {
            **self._around,
            "title": shown.title,
            "follows": " ".join(shown.follows),
            "subjects": " ".join(shown.subjects),
            "seq": seq,
            "base": base,
            "view": shown.view or path.split("/")[1] or "now",
            "layout": "part.html" if shown.part else "alone.html" if alone else "layout.html",
        }
        return HTMLResponse(look.render(shown.template, {**shown.about, "frame": frame}), shown.status, headers=HEADERS)


def shell() -> Response:
    """Return what a browser gets that navigates here: a page without data, whose script signs its requests."""
    return HTMLResponse(look.render("shell.html", {}), headers=HEADERS)


def _unexpected(where: str) -> DeedlogError:
    from deedlog.app import Unexpected

    return Unexpected("this view failed", hint=where)


def static_file(request: Request) -> Response:
    """A file of ours. Under the address of another edition it is not kept: it may not be what that one had."""
    name = os.path.normpath(request.path_params["name"])
    path = os.path.join(look.STATIC, name)
    if name.startswith(("..", "/")) or "\0" in name or not os.path.isfile(path):
        raise HTTPException(404)
    kept = FOREVER if request.path_params["edition"] == look.edition() else "no-store"
    return FileResponse(path, headers={"Cache-Control": kept, "Content-Security-Policy": POLICY})
