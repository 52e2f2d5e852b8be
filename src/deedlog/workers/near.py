"""The name by which a socket is made or reached. Systems take short ones only; Linux can name a folder by a number."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_PATH = 100  # bytes; systems take 103 or 107


@contextmanager
def near(path: str) -> Iterator[str]:
    """A short name of a path, for as long as it is used."""
    if len(os.fsencode(path)) <= LONGEST_PATH or sys.platform != "linux":
        yield path
        return
    folder, name = os.path.split(path)
    file = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{file}/{name}"
    finally:
        os.close(file)
