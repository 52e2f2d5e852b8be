"""`deedlog clarify resume`."""

from __future__ import annotations

from deedlog.core.caller import ANYONE
from deedlog.faces.cli.clarify.completing import values
from deedlog.faces.cli.clarify.given import SESSION, YES
from deedlog.faces.cli.command import Command, Invocation


def run(invocation: Invocation) -> int:
    from deedlog.faces.cli.clarify.driving import Desk  # only a conversation needs it
    from deedlog.faces.cli.clarify.standing import resume

    asked = invocation.arguments
    desk = Desk(invocation)
    try:
        return resume(
            desk, asked.get("session", ""), ask=not asked.get("non_interactive"), confirm=not asked.get("yes")
        )
    finally:
        desk.close()


COMMAND = Command(
    words="clarify resume",
    callers=ANYONE,
    help="Go on with an open clarification, whoever began it; or begin the last expired one again.\n\n"
    "Without --session it is the only open one of this work tree.",
    run=run,
    values=values,
    input_schema={
        "type": "object",
        "properties": {
            "session": SESSION,
            "yes": YES,
            "non_interactive": {"type": "boolean", "description": "Print the questions instead of asking them"},
        },
    },
    examples=["deedlog clarify resume", "deedlog clarify resume --session sess-1k09yjpj0x3dcsgh"],
)
