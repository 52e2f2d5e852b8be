"""What this process has in hand: calls of mounted servers, and the processes it started for them.

Each call is a line before it is sent and another one when it has ended, appended to a file that this process keeps
locked. Ended calls go to the ledger in batches, by a thread of its own, so that no call ever waits for the store.
What a process leaves that dies is found by `leftovers.py`.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import threading
import time
from collections import deque

from deedlog.core.errors import Unavailable
from deedlog.core.uid import CHANCE_LENGTH, uid
from deedlog.gateway.leftovers import SUFFIX, settle
from deedlog.process import mark_of, this_process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Json = dict[str, Any]
    Record = Callable[[Json], bool]

BATCH = 200
GATHER_SECONDS = 0.5  # for more to end, before they are recorded together
RETRY_SECONDS = (1.0, 2.0, 5.0, 15.0, 30.0)  # while the store is away
CLOSE_SECONDS = 5.0  # that the store has at the end: clients do not wait long, and whoever comes next has the file
LARGEST_FILE = 1024 * 1024  # then it is written anew, with what is still of use
MOST_WAITING = 10_000  # ended calls kept in memory while the store is away; the others are in the file


ENCODED = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode  # made once: every call is written twice


def line(said: Json) -> bytes:
    return ENCODED(said).encode(errors="replace") + b"\n"


class Journal:
    """`record` has passages put into the ledger, with what else `mcp_record` takes, and says whether that was done."""

    def __init__(self, folder: str, principal: str, *, holds: bool, record: Record) -> None:
        self._folder = folder
        self._header = {"process": this_process(), "principal": principal, "holds": holds, "host": socket.gethostname()}
        self._record = record
        self._lock = threading.Lock()
        self._file = -1
        self._path = ""
        self._size = 0
        self._running: dict[str, Json] = {}
        self._children: dict[str, Json] = {}
        self._ended: deque[Json] = deque()
        self._overflowed = False
        self._is_cut = False  # the last line is not whole
        self._is_over = False  # what is in the file is of no use to anybody any more
        self._thread: threading.Thread | None = None
        self._wake = threading.Event()
        self._closing = threading.Event()

    def look(self) -> None:
        """Have what others left settled, where there is anything; a process that mounts nothing does that, too."""
        try:
            found = any(name.endswith(SUFFIX) for name in os.listdir(self._folder))
        except OSError:
            return
        if found:
            with self._lock:
                self._begin()

    def open(self) -> None:
        """Have a file, so that others see when this process is over; the thread then settles what others left."""
        with self._lock:
            if self._file < 0:
                try:
                    self._file = self._made()
                except OSError as error:
                    hint = "every call is written down there: make room for it"
                    raise Unavailable(f"{self._folder} cannot be written to: {error.strerror}", hint=hint) from error
            self._begin()

    def _begin(self) -> None:
        if self._thread is None and not self._closing.is_set():
            self._thread = threading.Thread(target=self._drain, name="gateway-journal", daemon=True)
            self._thread.start()

    def child(self, server: str, pid: int) -> str:
        """A process was started for a server; returns the mark by which it is told apart."""
        self.open()
        mark = mark_of(pid)
        with self._lock:
            self._children[mark] = {"child": mark, "server": server}
            self._append(self._children[mark])
        return mark

    def gone(self, mark: str) -> None:
        with self._lock:
            if self._children.pop(mark, None):
                self._append({"gone": mark})

    def begin(self, server: str, tool: str, actor: str, arguments: str) -> Json:
        """A call is about to be sent; returns it, for `end`."""
        self.open()
        at = time.time_ns() // 1000
        chance = int.from_bytes(os.urandom(8), "big") >> (64 - CHANCE_LENGTH * 5)
        passage: Json = {
            "id": uid("pass", at, chance),
            "server": server,
            "tool": tool,
            "actor": actor,
            "principal": self._header["principal"],
            "arguments": arguments,
            "created_at": at,
        }
        with self._lock:
            self._running[passage["id"]] = passage
            self._append({"begin": passage})
        return passage

    def end(self, passage: Json, outcome: str, characters: int = 0, problem: str = "") -> None:
        milliseconds = max(time.time_ns() // 1000 - passage["created_at"], 0) // 1000
        told = {"outcome": outcome, "milliseconds": milliseconds, "characters": characters, "problem": problem}
        with self._lock:
            if self._running.pop(passage["id"], None) is None:
                return
            self._append({"end": passage["id"], **told})
            if len(self._ended) < MOST_WAITING:
                self._ended.append({**passage, **told})
            else:
                self._overflowed = True
        self._wake.set()

    def close(self) -> None:
        """Record what has ended, mounts too; what cannot be recorded now stays in the file, for whoever comes next."""
        with self._lock:
            self._closing.set()
            thread = self._thread
            for passage in list(self._running.values()):
                self._running.pop(passage["id"])
                told = {"outcome": "lost", "milliseconds": 0, "characters": 0, "problem": "Deedlog ended meanwhile"}
                self._append({"end": passage["id"], **told})
                self._ended.append({**passage, **told})
        self._wake.set()
        if thread is not None and thread is not threading.current_thread():
            thread.join(CLOSE_SECONDS)
        with self._lock:
            if self._file < 0:
                return
            if self._is_over and not self._ended and not self._overflowed and not self._children:
                os.unlink(self._path)
            self._append({"closed": True})  # the process may live on: what is left is for others all the same
            os.close(self._file)
            self._file = -1

    def _made(self) -> int:
        """A file of ours alone, locked before it says whose it is."""
        store = os.path.dirname(self._folder)
        os.makedirs(os.path.dirname(store) or os.sep, exist_ok=True)
        for folder in (store, self._folder):
            try:
                os.mkdir(folder, 0o700)
            except FileExistsError:
                pass
        pid, started = str(self._header["process"]).split(" ")[:2]
        self._path = os.path.join(self._folder, f"{pid}-{started or time.time_ns()}-{os.urandom(3).hex()}{SUFFIX}")
        return self._written(self._path)

    def _written(self, path: str) -> int:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o600)
        try:
            return self._filled(file)
        except OSError:
            os.close(file)
            raise

    def _filled(self, file: int) -> int:
        fcntl.flock(file, fcntl.LOCK_EX)
        begun = [{"begin": passage} for passage in self._running.values()]
        ended = [each for passage in self._ended for each in ({"begin": passage}, {"end": passage["id"], **passage})]
        data = b"".join(line(said) for said in [self._header, *self._children.values(), *begun, *ended])
        self._is_cut = os.write(file, data) < len(data)
        self._size = len(data)
        return file

    def _append(self, said: Json) -> None:
        """Without waiting for the disk: what a killed process wrote is there all the same."""
        if self._file < 0:
            return
        data = b"\n" * self._is_cut + line(said)
        try:
            written = os.write(self._file, data)
        except OSError:  # a full disk costs the journal its line, not the caller its call
            return
        self._is_cut = written < len(data)
        self._size += written

    def _drain(self) -> None:
        settle(self._folder, self._record)
        while not self._closing.is_set():
            self._wake.wait()
            self._wake.clear()
            if self._ended:
                self._closing.wait(GATHER_SECONDS)
            if self._emptied():
                self._rotate()
        if self._emptied() and self._file >= 0:
            over = {"passages": [], "over": [self._header["principal"]]}
            self._is_over = not self._header["holds"] or self._record(over)

    def _emptied(self) -> bool:
        """Record all that has ended, however long the store is away; False where it is away and we have to end."""
        failures = 0
        while self._ended:
            if self._recorded():
                failures = 0
            elif self._closing.is_set():
                return False
            else:
                self._closing.wait(RETRY_SECONDS[min(failures, len(RETRY_SECONDS) - 1)])
                failures += 1
        return True

    def _recorded(self) -> bool:
        with self._lock:
            batch = [self._ended[place] for place in range(min(BATCH, len(self._ended)))]
        if not self._record({"passages": batch}):
            return False
        with self._lock:
            for _ in batch:
                self._ended.popleft()
        return True

    def _rotate(self) -> None:
        """Write the file anew without what is recorded, in one step: a killed process leaves the old or the new."""
        with self._lock:
            if self._size < LARGEST_FILE or self._overflowed or self._file < 0:
                return
            fresh = f"{self._path}.new"
            try:
                file = self._written(fresh)
                os.rename(fresh, self._path)
            except OSError:
                return
            before, self._file = self._file, file
            os.close(before)
