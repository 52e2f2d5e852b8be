"""`deedlog help`."""

from __future__ import annotations

from deedlog.core.caller import ANYONE
from deedlog.faces.cli.command import Command, Invocation
from deedlog.faces.cli.output import write


def run(invocation: Invocation) -> int:
    from deedlog.faces.cli import explain, main

    words = invocation.arguments.get("words")
    if not words:
        write(explain.overview(invocation.shared))
        return 0
    return main.run([*words, "--help"])


COMMAND = Command(
    words="help",
    callers=ANYONE,
    help="Explain a command.",
    run=run,
    input_schema={
        "type": "object",
        "properties": {
            "words": {"type": "array", "items": {"type": "string"}, "description": "The command's words"},
        },
    },
    examples=["deedlog help", "deedlog help workflow start"],
)
