"""`deedlog clarify reset`."""

from __future__ import annotations

from deedlog.faces.cli.clarify.given import SESSION
from deedlog.faces.cli.command import Command, Invocation


def run(invocation: Invocation) -> int:
    from deedlog.faces.cli.clarify.driving import Desk  # only a conversation needs it
    from deedlog.faces.cli.output import show_answer

    asked = invocation.arguments
    desk = Desk(invocation)
    try:
        if asked.get("all"):
            names = [row["session_id"] for row in desk.sessions()]
        else:
            names = [desk.session(asked.get("session", ""))["session_id"]]
        for name in names:
            desk.call("clarification_reset", session_id=name)
    finally:
        desk.close()
    show_answer({"reset": names}, as_json=invocation.as_json)
    return 0


COMMAND = Command(
    words="clarify reset",
    help="Drop an open clarification; nothing was written for it yet.",
    run=run,
    input_schema={
        "type": "object",
        "properties": {
            "session": SESSION,
            "all": {"type": "boolean", "description": "Every open one of this work tree"},
        },
    },
    examples=["deedlog clarify reset", "deedlog clarify reset --all"],
)
