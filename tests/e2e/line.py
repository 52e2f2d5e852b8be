"""A line to a server that can be cut and mended, as a network is; the server itself goes on.

It can add a header to each request, for clients that cannot be given the token.
"""

from __future__ import annotations

import re
import socket
import threading
from contextlib import suppress
from typing import Self

REQUEST = re.compile(rb"\A[A-Z]+ \S+ HTTP/1\.1\r\n")


class Line:
    """Use it as a context. `base` is where a browser finds the server through it."""

    def __init__(self, port: int, header: bytes = b"") -> None:
        self._header = header
        self._server = ("127.0.0.1", port)
        self._open: list[socket.socket] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._port = self._listener.getsockname()[1]
        self._serve()

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()

    def cut(self) -> None:
        for each in (self._listener, *self._open):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        self._open = []

    def mend(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", self._port))
        self._serve()

    def _serve(self) -> None:
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                near, _ = listener.accept()
                far = socket.create_connection(self._server)
                self._open += [near, far]
                for way in ((near, far, self._header), (far, near, b"")):
                    threading.Thread(target=_pump, args=way, daemon=True).start()


def _pump(source: socket.socket, sink: socket.socket, header: bytes) -> None:
    with suppress(OSError):
        while data := source.recv(65_536):
            sink.sendall(REQUEST.sub(lambda found: found[0] + header, data, count=1) if header else data)
    with suppress(OSError):
        sink.shutdown(socket.SHUT_WR)
