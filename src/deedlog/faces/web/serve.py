"""`deedlog serve`: the web face on a socket."""

from __future__ import annotations

import errno
import os
import signal
import socket
import sys
from collections.abc import Callable

import uvicorn

from deedlog import bootstrap
from deedlog.core.caller import client_in
from deedlog.core.errors import Part, Unavailable
from deedlog.faces.mcp.boot import boot
from deedlog.faces.web.access import Access
from deedlog.faces.web.app import Web
from deedlog.faces.web.connections import Connections, usual_limits
from deedlog.faces.web.guard import EVERYWHERE, LARGEST_BODY
from deedlog.faces.whereabouts import forget, leave
from deedlog.ports import Serving
from deedlog.settings import Settings
from deedlog.token import sign_in_secret, token

GRACE_SECONDS = 5
HINTS = {
    errno.EADDRINUSE: "another program uses this port: choose one with --port",
    errno.EACCES: "this port needs more rights: choose one above 1023 with --port",
}


def say(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def serve(settings: Settings, *, person: str, announce: Callable[[str], None] = say) -> int:
    """Serve until a signal comes; `announce` is told where, once requests are answered. `person` decides on it."""
    secret = token(settings)
    access = Access(secret, sign_in_secret(settings) if settings.project else "")  # without a project, no links
    app = bootstrap.build(settings, confined=True)
    web = Web(app, actor=settings["actor"], host=settings["host"], access=access, person=person)
    web.dispatcher.note = settings.note
    with listening(settings["host"], settings["port"]) as found:
        host, port = found.getsockname()[:2]
        app.serving = Serving(host=host, port=port, path="/mcp", most_bytes=LARGEST_BODY)
        web.dispatcher.booting = boot(app, settings)
        limits = usual_limits()
        config = uvicorn.Config(
            web.asgi,
            http=Connections(limits),  # type: ignore[arg-type]  # it makes protocols, as a class does
            backlog=limits.backlog,
            log_level="error",
            lifespan="off",
            server_header=False,
            proxy_headers=False,
            ws="none",
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
        signal.signal(signal.SIGTERM, lambda *_: None)  # uvicorn raises it once more when it has finished
        address = f"{_reachable(host)}:{port}"
        leave(settings, address)
        try:
            Server(config, web, lambda: announce(greeting(found, secret, web.asgi.access.first_code()))).run([found])
        finally:
            forget(settings, address)
    return 0


def listening(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][0]
        found = socket.create_server((host, port), family=family, backlog=512)
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # connections inherit it; a reply is two writes
    except OSError as error:
        hint = HINTS.get(error.errno or 0, "name an address of this machine with --host, such as 127.0.0.1 or 0.0.0.0")
        raise Unavailable(
            f"cannot listen on {host} port {port}: {error.strerror}", hint=hint, part=Part.CONFIGURATION
        ) from error
    return found


def greeting(found: socket.socket, secret: str, code: str) -> str:
    """Return what `deedlog serve` says. Only the terminal of a person gets secrets: others may read a file."""
    name, port = found.getsockname()[:2]
    address = f"http://{f'[{name}]' if ':' in name else name}:{port}/"
    shown = sys.stderr.isatty() and not client_in(os.environ)
    page = f"http://{_reachable(name)}:{port}/#once={code}" if shown else "run `deedlog open`"
    return (
        f"Deedlog serves {address} (MCP at {address}mcp, API at {address}api)\n"
        f"Token for programs: {secret if shown else 'run `deedlog config get token`'}\n"
        f"Open the page (this link signs one browser in, once): {page}"
    )


def _reachable(name: str) -> str:
    """The name by which a browser on this machine comes here."""
    if name in EVERYWHERE:
        return "127.0.0.1"
    return f"[{name}]" if ":" in name else name


class Server(uvicorn.Server):
    """Says when it is ready, ends open streams before it waits for them, and closes the store after that."""

    def __init__(self, config: uvicorn.Config, web: Web, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._web = web
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._web.end()
        await super().shutdown(sockets)
        self._web.close()
