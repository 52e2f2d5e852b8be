"""Capabilities that calls switch while servers run: a small file beside the store, read anew when it has changed.

Every process of the project on this machine looks at it before it lists or allows anything. What the
configuration switches on or off by name holds whatever the file says.
"""

from __future__ import annotations

import os

from deedlog.core.capability import CAPABILITIES, SWITCH
from deedlog.core.errors import Denied, Part, Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FILE = "switches"
ON, OFF = "+", "-"


class Switchboard:
    def __init__(self, configured: frozenset[str], held: Mapping[str, str], folder: str = "") -> None:
        """`held` says of a capability what decides on it; without a folder a switch holds in this process alone."""
        self._configured = configured
        self._held = held
        self._folder = folder
        self._path = os.path.join(folder, FILE) if folder else ""
        self._switched: dict[str, bool] = {}
        self._seen: object = None
        self._now = configured

    def now(self) -> frozenset[str]:
        if self._path and (state := self._state()) != self._seen:
            self._switched = _parsed(self._text())
            self._seen = state  # a change in between only means that it is read once more
            self._count()
        return self._now

    def on(self, name: str) -> bool:
        return name in self.now()

    def held(self, name: str) -> str:
        return self._held.get(name, "")

    def switch(self, name: str, *, on: bool) -> None:
        if why := self.held(name):
            raise Denied(
                f"{name} cannot be switched by a call: {why}",
                hint="who runs this server can change that",
                part=Part.CONFIGURATION,
            )
        if name == SWITCH and not on:
            raise Denied(
                f"{name} cannot be switched off by a call: no call could switch it on again",
                hint=f"start with --disable-{name}, or set it off in the configuration",
                part=Part.CONFIGURATION,
            )
        if not self._path:
            self._switched[name] = on
            self._count()
            return
        try:
            self._write(name, on=on)
        except OSError as error:
            raise Unavailable(
                f"{self._path} cannot be written: {error.strerror}", hint="check its permissions and free space"
            ) from error

    def _count(self) -> None:
        free = {name: on for name, on in self._switched.items() if name in CAPABILITIES and name not in self._held}
        on = {name for name, switched in free.items() if switched}
        self._now = (self._configured | on) - (set(free) - on - {SWITCH})

    def _state(self) -> object:
        try:
            found = os.stat(self._path)
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size

    def _text(self) -> str:
        try:
            with open(self._path, encoding="utf-8", errors="replace") as file:
                return file.read()
        except OSError:
            return ""

    def _write(self, name: str, *, on: bool) -> None:
        import fcntl  # only who switches needs it

        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        lock = os.open(self._path + ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            switched = {**_parsed(self._text()), name: on}
            draft = self._path + ".new"  # under the lock there is one writer
            with open(draft, "w", encoding="utf-8") as file:
                file.writelines(f"{ON if value else OFF}{key}\n" for key, value in sorted(switched.items()))
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, self._path)
        finally:
            os.close(lock)


def _parsed(text: str) -> dict[str, bool]:
    return {line[1:].strip(): line[0] == ON for line in text.splitlines() if line[:1] in (ON, OFF)}
