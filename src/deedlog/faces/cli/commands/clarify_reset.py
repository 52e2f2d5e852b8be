"""`deedlog clarify reset`."""

from __future__ import annotations

from deedlog.core.caller import ANYONE
from deedlog.faces.cli.clarify.completing import values
from deedlog.faces.cli.clarify.given import SESSION
from deedlog.faces.cli.command import Command, Invocation


def run(invocation: Invocation) -> int:
    from deedlog.faces.cli.clarify.driving import Desk  # only a conversation needs it
    from deedlog.faces.cli.output import show_answer

    asked = invocation.arguments
    desk = Desk(invocation)
    try:
        one = {} if asked.get("all") else {"session_id": desk.session(asked.get("session", ""))["session_id"]}
        show_answer(desk.call("clarification_reset", **one), as_json=invocation.as_json)
    finally:
        desk.close()
    return 0


COMMAND = Command(
    words="clarify reset",
    callers=ANYONE,
    help="Drop an open clarification; nothing was written for it yet.",
    run=run,
    values=values,
    input_schema={
        "type": "object",
        "properties": {
            "session": SESSION,
            "all": {"type": "boolean", "description": "Every open one of this work tree"},
        },
    },
    examples=["deedlog clarify reset", "deedlog clarify reset --all"],
)
