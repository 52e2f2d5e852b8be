"""`deedlog demo track`."""

from __future__ import annotations

import json
import os
import signal
import sys

from deedlog.faces.cli.command import Command, Invocation
from deedlog.faces.cli.output import write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType


def run(invocation: Invocation) -> int:
    from deedlog.faces.cli.demo import report, track  # only a demo starts processes

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _end)
    asked = invocation.arguments
    folder = os.path.join(invocation.folder, asked["folder"]) if asked.get("folder") else ""
    found = track.run(folder, keep=asked.get("keep", False))
    if invocation.as_json:
        write(json.dumps(found, ensure_ascii=False))
        return 0
    for line in report.lines(found):
        write(line)
    return 0


def _end(number: int, _frame: FrameType | None) -> None:
    """Leave as after an error, so that what was made is removed."""
    sys.exit(128 + number)


COMMAND = Command(
    words="demo track",
    help="Watch a scripted agent track its work, and read the report that comes out.\n\n"
    "Makes a scratch repository, starts `deedlog mcp serve` in it and runs two flows over MCP: one task, and a task "
    "with subtasks. Your own repositories, store and settings are left alone, and the scratch repository is removed "
    "at the end.",
    run=run,
    input_schema={
        "type": "object",
        "properties": {
            "folder": {
                "type": "string",
                "description": "Make the scratch repository here; the folder must be empty or not exist yet",
            },
            "keep": {"type": "boolean", "description": "Leave the scratch repository there, to look around in it"},
        },
    },
    examples=["deedlog demo track", "deedlog demo track --keep", "deedlog demo track --folder /tmp/shop --keep"],
)
