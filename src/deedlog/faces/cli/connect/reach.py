"""Whether the clients that are connected can start us."""

from __future__ import annotations

import json
import os

from deedlog.faces.cli.connect.client import CLIENTS, NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Json = dict[str, Any]


def unreachable(tree: str, environment: Mapping[str, str]) -> list[str]:
    """A line for each client whose configuration names a command that is not there."""
    found = []
    for client in CLIENTS.values():
        path = client.path(tree, environment)
        entry = _entry(path, client.section)
        command = entry.get("command")
        if isinstance(command, str) and not _is_there(command, entry, tree, environment):
            where = "there" if os.sep in command else "on the search path"
            way = f"`deedlog init --client {client.name}` writes the right one"
            found.append(f"{client.title} cannot start Deedlog: {command} is not {where} ({path}); {way}")
    return found


def _entry(path: str, section: str) -> Json:
    """Our entry in a client's configuration; nothing where there is none or it cannot be read."""
    import tomllib  # costs more than starting Python, see `settings`

    try:
        with open(path, "rb") as file:
            found = tomllib.load(file) if path.endswith(".toml") else json.load(file)
        entry = found[section][NAME]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return {}
    return entry if isinstance(entry, dict) else {}


def _is_there(command: str, entry: Json, tree: str, environment: Mapping[str, str]) -> bool:
    from shutil import which

    if "$" in command:  # the client puts something in its place
        return True
    own = entry.get("env")
    search = (own.get("PATH") if isinstance(own, dict) else None) or environment.get("PATH", os.defpath)
    return which(os.path.join(tree, command) if os.sep in command else command, path=str(search)) is not None
