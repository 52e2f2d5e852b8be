"""Our own JSON files in the user's folder: read, and changed whole or not at all by one process after the other."""

from __future__ import annotations

import fcntl
import json
import os
from stat import S_IMODE

from deedlog.core.errors import Invalid, Part, Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Json = dict[str, Any]

PRIVATE = 0o600


def read(path: str) -> Json:
    """What a file holds; nothing where there is none. A broken one is refused."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            text = file.read()
    except FileNotFoundError:
        return {}
    except UnicodeDecodeError as error:
        raise _broken(path, "it is not UTF-8") from error
    except OSError as error:
        raise Unavailable(
            f"{path} cannot be read: {error.strerror}", hint="check its permissions", part=Part.CONFIGURATION
        ) from error
    if not text.strip():
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise _broken(path, f"it is not JSON{line}") from error
    if not isinstance(found, dict):
        raise _broken(path, "it is not an object")
    return found


def _broken(path: str, why: str) -> Invalid:
    return Invalid(f"{path} is left alone: {why}", hint="mend it, or move it away", part=Part.CONFIGURATION)


def change(path: str, changed: Callable[[Json], Json]) -> Json:
    """Put what `changed` makes of the file's content in its place; returns that.

    Whoever reads meanwhile sees the old file or the new one. A link stays a link to its target.
    """
    path = os.path.realpath(path)
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        lock = os.open(path + ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            before = read(path)
            after = changed(before)
            if after != before:
                _put(path, json.dumps(after, indent=2, ensure_ascii=False) + "\n")
        finally:
            os.close(lock)
    except OSError as error:
        raise Unavailable(
            f"{path} cannot be written: {error.strerror}",
            hint="check the permissions of its folder, and free space",
            part=Part.CONFIGURATION,
        ) from error
    return after


def _put(path: str, text: str) -> None:
    """The file appears under its name only when it is whole and on disk; its mode stays, a new one is private."""
    draft = path + ".new"  # under the lock there is one writer
    if os.path.lexists(draft):
        os.unlink(draft)  # of a process that died
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        if os.path.exists(path):
            os.fchmod(file.fileno(), S_IMODE(os.stat(path).st_mode))
        os.fsync(file.fileno())
    os.replace(draft, path)
    folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
