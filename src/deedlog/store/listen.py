"""How a process learns of commits in a shared database: one listening connection, a slow poll behind it."""

from __future__ import annotations

import os
import select
import threading
import time

import psycopg

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.store.postgres import Postgres

    Connection = psycopg.Connection[tuple[Any, ...]]

POLL_SECONDS = 2.0
RETRY_SECONDS = 0.5


class Listener:
    """A thread that wakes every watch of this process; started by the first one."""

    def __init__(self, database: Postgres) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._watches: set[ListenWatch] = set()
        self._thread: threading.Thread | None = None

    def add(self, watch: ListenWatch) -> None:
        with self._lock:
            self._watches.add(watch)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="deedlog-listen", daemon=True)
                self._thread.start()

    def remove(self, watch: ListenWatch) -> None:
        with self._lock:
            self._watches.discard(watch)

    def close(self) -> None:
        """Let the thread end; the next watch starts another."""
        self._thread = None

    def _wanted(self) -> bool:
        return self._thread is threading.current_thread()

    def _run(self) -> None:
        while self._wanted():
            try:
                with self._database.connect() as connection:
                    self._listen(connection)
            except psycopg.Error:
                time.sleep(RETRY_SECONDS)  # the server is away: whoever reads will say so

    def _listen(self, connection: Connection) -> None:
        connection.execute(f"LISTEN {self._database.channel}".encode())
        self._wake()  # for what was committed before we listened
        seen = self._head(connection)
        while self._wanted():
            for _ in connection.notifies(timeout=POLL_SECONDS, stop_after=1):
                self._wake()
            before, seen = seen, self._head(connection)
            if before != seen:
                self._wake()

    def _head(self, connection: Connection) -> object:
        return connection.execute(b"SELECT seq FROM head WHERE project = %s", (self._database.project,)).fetchall()

    def _wake(self) -> None:
        with self._lock:
            for watch in self._watches:
                watch.wake()


class ListenWatch:
    """One watcher: a pipe the listener writes to."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._out, self._in = os.pipe()
        os.set_blocking(self._out, False)
        os.set_blocking(self._in, False)
        listener.add(self)

    def wake(self) -> None:
        try:
            os.write(self._in, b"!")
        except BlockingIOError:
            pass  # it has not heard the last ones yet

    def wait(self, seconds: float) -> bool:
        bell = select.poll()
        bell.register(self._out, select.POLLIN)
        rang = bool(bell.poll(1000 * seconds))
        if rang:
            os.read(self._out, 65536)
        return rang

    def close(self) -> None:
        if self._out >= 0:
            self._listener.remove(self)
            os.close(self._out)
            os.close(self._in)
            self._out = self._in = -1
