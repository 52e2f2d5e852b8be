"""What every demo is asked: where to make its scratch repository and whether to leave it, and how it ends early."""

from __future__ import annotations

import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

    from deedlog.faces.cli.command import Invocation

PROPERTIES: dict[str, Any] = {
    "folder": {
        "type": "string",
        "description": "Make the scratch repository here; the folder must be empty or not exist yet",
    },
    "keep": {"type": "boolean", "description": "Leave the scratch repository there, to look around in it"},
}


def place(invocation: Invocation) -> tuple[str, bool]:
    """The folder to make it in (empty: a temporary one), and whether it stays."""
    asked = invocation.arguments
    folder = os.path.join(invocation.folder, asked["folder"]) if asked.get("folder") else ""
    return folder, asked.get("keep", False)


def tidy_when_ended() -> None:
    """Being told to end is left as an error is, so that what was made is removed."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _end)


def _end(number: int, _frame: FrameType | None) -> None:
    sys.exit(128 + number)
