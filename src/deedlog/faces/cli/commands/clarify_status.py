"""`deedlog clarify status`."""

from __future__ import annotations

from deedlog.core.caller import ANYONE
from deedlog.faces.cli.command import Command, Invocation


def run(invocation: Invocation) -> int:
    from deedlog.faces.cli.clarify.driving import Desk  # only a conversation needs it
    from deedlog.faces.cli.clarify.standing import tell_standing
    from deedlog.faces.cli.output import show_answer

    desk = Desk(invocation)
    try:
        found = [desk.session(row["session_id"]) for row in desk.sessions()]
        if invocation.as_json:
            show_answer({"clarifications": found}, as_json=True)
        else:
            tell_standing(found)
    finally:
        desk.close()
    return 0


COMMAND = Command(
    words="clarify status",
    callers=ANYONE,
    help="Show the open clarifications of this work tree: their questions, answers and when they expire.",
    run=run,
    examples=["deedlog clarify status", "deedlog clarify status --json"],
)
