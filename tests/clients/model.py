"""A model that follows a script: an HTTP server on loopback that coding agents take for their provider's.

Where it is in its script follows from the results in each request, so it has no state to lose: an agent may
repeat a request, or ask something else in between.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from tests.clients.dialect import Body, Dialect, spoken_at
from tests.clients.script import Json, Step, Stuck, answer_in, filled

POLL_SECONDS = 0.02  # how soon it notices that it shall stop


class ScriptedModel:
    """Follows `script` for an agent that works in `folder`.

    Afterwards `finished` says whether the last step was answered, `stuck` why it was given up,
    `results` what each step answered, `searched` which tools the agent had held back, and `elsewhere`
    which other addresses it tried.
    """

    def __init__(self, script: list[Step], folder: str) -> None:
        self.script, self.folder = script, folder
        self.results: dict[int, str] = {}
        self.finished = False
        self.stuck = ""
        self.searched: list[str] = []
        self.elsewhere: list[str] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler_for(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=[POLL_SECONDS])

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def answer(self, dialect: Dialect, request: Json) -> Body:
        """The next call of the script, or a closing word."""
        if not dialect.offered(request):
            return dialect.saying(request, "{}")  # titles, summaries and other questions beside the work
        try:
            return self._next(dialect, request)
        except Stuck as error:
            self.stuck = str(error)
            return dialect.saying(request, f"I am stuck: {error}.")

    def _next(self, dialect: Dialect, request: Json) -> Body:
        results = dialect.results(request)
        known: Json = {}
        number = 0
        while (text := results.get(_step(number))) is not None:
            self.results[number] = text
            known |= answer_in(text)
            number += 1
        if number == len(self.script):
            self.finished = True
            return dialect.saying(request, "The work is done.")
        step = self.script[number]
        call = dialect.rendered(step._replace(arguments=filled(step.arguments, known)), self.folder)
        if call.tool in dialect.offered(request):
            return dialect.calling(request, _step(number), call)
        search = dialect.search(call.tool)
        if search is None or _search(number) in results:
            raise Stuck(f"the agent has no tool {call.tool}")
        self.searched.append(step.name)
        return dialect.calling(request, _search(number), search)


def _step(number: int) -> str:
    return f"step_{number}"


def _search(number: int) -> str:
    return f"search_{number}"


def _handler_for(model: ScriptedModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            dialect = spoken_at(self.path)
            if dialect is None:
                self._refuse()
            else:
                self._send(200, *model.answer(dialect, json.loads(body)))

        def do_GET(self) -> None:
            self._refuse()

        do_HEAD = do_CONNECT = do_GET  # noqa: N815

        def _refuse(self) -> None:
            """What else an agent wants, from us or, where we are named as its proxy, from anywhere."""
            model.elsewhere.append(f"{self.command} {self.path}")
            self.close_connection = True
            self._send(404, "application/json", b"{}")

        def _send(self, status: int, kind: str, content: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    return Handler
