"""`deedlog demo track`."""

from __future__ import annotations

import json

from deedlog.core.caller import ANYONE
from deedlog.faces.cli.command import Command, Invocation
from deedlog.faces.cli.demo import asked
from deedlog.faces.cli.output import write


def run(invocation: Invocation) -> int:
    from deedlog.faces.cli.demo import report, track  # only a demo starts processes

    asked.tidy_when_ended()
    folder, keep = asked.place(invocation)
    found = track.run(folder, keep=keep)
    if invocation.as_json:
        write(json.dumps(found, ensure_ascii=False))
        return 0
    for line in report.lines(found):
        write(line)
    return 0


COMMAND = Command(
    words="demo track",
    callers=ANYONE,
    help="Watch a scripted agent track its work, and read the report that comes out.\n\n"
    "Makes a scratch repository, starts `deedlog mcp serve` in it and runs two flows over MCP: one task, and a task "
    "with subtasks. Your own repositories, store and settings are left alone, and the scratch repository is removed "
    "at the end.",
    run=run,
    input_schema={"type": "object", "properties": asked.PROPERTIES},
    examples=["deedlog demo track", "deedlog demo track --keep", "deedlog demo track --folder /tmp/shop --keep"],
)
