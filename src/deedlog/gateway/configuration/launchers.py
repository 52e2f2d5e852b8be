"""Whether the programs that start servers are there."""

from __future__ import annotations

import os

from deedlog.core.gate.reference import resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.gateway.places import Places


class Launchers:
    """Looks at each program once: make a new one where it matters what is true now."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._found: dict[str, bool] = {}

    def found(self, command: str) -> bool:
        if command not in self._found:
            self._found[command] = self._looked_for(resolved(command, self._places.environment.get))
        return self._found[command]

    def _looked_for(self, command: str) -> bool:
        if not command:
            return False
        if "/" in command:
            command = self._places.home + command[1:] if command.startswith("~/") else command
            return _runs(os.path.join(self._places.root, command))
        folders = self._places.environment.get("PATH", os.defpath).split(os.pathsep)
        return any(_runs(os.path.join(folder, command)) for folder in folders if folder)


def _runs(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)
