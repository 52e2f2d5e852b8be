"""One path, looked at: its entry in a manifest, with the hash of its content where that is asked for."""

from __future__ import annotations

import os
import stat
from hashlib import sha256

from deedlog.files.manifest import KEY, LINK, RACY, READ, key

CHUNK = 1 << 20
HASH = 16
TRIES = 3
OPEN = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # waits for no pipe, follows no link
MILLISECOND = 1_000_000
SECOND = 1_000 * MILLISECOND
TICK = 20 * MILLISECOND  # no clock of a file system that counts in less than seconds lags more


class Window:
    """Tells whether a file may change once more without its times telling.

    Where both times are whole seconds the file system counts in those, or in twos; on a network
    file system they are told by another clock than ours.
    """

    def __init__(self, start: int, *, network: bool) -> None:
        self.start = start
        self._narrow = start - TICK
        self._wide = start - 2 * SECOND
        self._network = network

    def racy(self, modified: int, changed: int) -> bool:
        newest = max(modified, changed)
        if newest >= self._narrow:
            return True
        return newest >= self._wide and (self._network or not (modified % SECOND or changed % SECOND))


def link(path: str, found: os.stat_result) -> bytes:
    return key(found) + LINK + os.fsencode(os.readlink(path))


def text(path: str) -> bytes | None:
    """The whole content of a small file; None if there is none, or only a link as git does not follow either."""
    try:
        file = os.open(path, OPEN)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return None
        parts = []
        while chunk := os.read(file, CHUNK):
            parts.append(chunk)
        return b"".join(parts)
    except OSError:
        return None
    finally:
        os.close(file)


def _unread(path: str) -> bytes | None:
    """None if it is gone or neither a file nor a link."""
    try:
        found = os.lstat(path)
        if stat.S_ISLNK(found.st_mode):
            return link(path, found)
    except OSError:
        return None
    return key(found) if stat.S_ISREG(found.st_mode) else None


def read(path: str, window: Window) -> bytes | None:
    """Its entry with the hash of its content; unread if that cannot be had."""
    try:
        found = _read(path)
    except OSError:
        found = None
    if not found:
        return _unread(path)
    its_key, digest, settled = found
    _, modified, changed, _, _ = KEY.unpack(its_key)
    return its_key + (READ if settled and not window.racy(modified, changed) else RACY) + digest


def _read(path: str) -> tuple[bytes, bytes, bool] | None:
    """Key, hash, and whether they belong together: a file that changes meanwhile is read again, but not for ever."""
    for _ in range(TRIES):
        file = os.open(path, OPEN)
        try:
            before = os.fstat(file)
            if not stat.S_ISREG(before.st_mode):
                return None
            digest = _digest(file, before.st_size)
            after = key(os.fstat(file))
        finally:
            os.close(file)
        if after == key(before):
            return after, digest, True
    return after, digest, False


def _digest(file: int, size: int) -> bytes:
    """Of no more than the size that was told: a file may grow as fast as one reads."""
    if size < CHUNK:
        return sha256(os.read(file, size)).digest()[:HASH]
    hashed = sha256()
    while size > 0 and (chunk := os.read(file, min(size, CHUNK))):
        hashed.update(chunk)
        size -= len(chunk)
    return hashed.digest()[:HASH]
