"""Servers that are to be mounted from the start: in the background, and at no cost where there are none."""

from __future__ import annotations

import os

from deedlog.settings import user_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from threading import Thread

    from deedlog.app import App
    from deedlog.settings import Settings

FILE = "servers.json"
WORD = b'"boot"'
BOOT = "mcp_boot"
FOLDER = "gateway"  # in the store; see `gateway/journal.py`


def boot(app: App, settings: Settings) -> Thread | None:
    """Begin to mount what the user wants from the start; what the client asks meanwhile is answered.

    Where processes of ours left something, opening the gateway settles it.
    """
    wanted = settings.project is not None and (settings["gateway_boot"] or _is_said(settings) or _is_left(settings))
    if not wanted or not app.capabilities.on("gateway"):
        return None
    from threading import Thread  # a web server has it anyway, and stdio too

    thread = Thread(target=app.aside, args=(BOOT, {}), name="boot", daemon=True)
    thread.start()
    return thread


def _is_said(settings: Settings) -> bool:
    """Whether the user's own file may say so of a server; mostly there is none."""
    path = os.path.join(os.path.dirname(user_file(settings.environment)), FILE)
    try:
        with open(path, "rb") as file:
            return WORD in file.read()
    except OSError:
        return False


def _is_left(settings: Settings) -> bool:
    """Whether there are journals of servers that run, or did: mostly there is not even a folder."""
    try:
        return bool(os.listdir(os.path.join(settings.the_project().store, FOLDER)))
    except OSError:
        return False
