"""Where the server of a project listens, left beside its store for commands that look for it.

Nobody believes it: whoever goes there has the server prove that it is this project's.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.settings import Settings

FILE = "serving"
LONGEST = 300


def leave(settings: Settings, address: str) -> None:
    """The last server that started is the one that is found; where nothing can be left, it is named by its port."""
    if settings.project is None:
        return
    draft = f"{_path(settings)}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(draft), mode=0o700, exist_ok=True)
        with open(draft, "w", encoding="utf-8") as file:
            file.write(address)
        os.replace(draft, _path(settings))
    except OSError:
        return


def forget(settings: Settings, address: str) -> None:
    if left(settings) == address:
        try:
            os.unlink(_path(settings))
        except OSError:
            return


def left(settings: Settings) -> str:
    """Such as 127.0.0.1:4747; empty where no server left word."""
    if settings.project is None:
        return ""
    try:
        with open(_path(settings), encoding="utf-8", errors="replace") as file:
            found = file.read(LONGEST).strip()
    except OSError:
        return ""
    return found if found.isascii() and found.isprintable() and " " not in found else ""


def _path(settings: Settings) -> str:
    return os.path.join(settings.the_project().store, FILE)
