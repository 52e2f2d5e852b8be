"""`deedlog clarify answer`."""

from __future__ import annotations

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Invalid
from deedlog.faces.cli.clarify.completing import values
from deedlog.faces.cli.clarify.given import ANSWER, ANSWERS_FILE, SESSION, given_answers
from deedlog.faces.cli.command import Command, Invocation


def run(invocation: Invocation) -> int:
    from deedlog.faces.cli.clarify.driving import Desk  # only a conversation needs it
    from deedlog.faces.cli.clarify.flow import clarify, going_on

    asked = invocation.arguments
    answers = given_answers(invocation, asked.get("answer", []))
    if not answers:
        hint = "write id=value for each; `deedlog clarify status` shows what is open, `deedlog clarify resume` asks"
        raise Invalid("there is no answer to take", hint=hint, data={"field": "ANSWER"})
    desk = Desk(invocation)
    try:
        session = desk.session(asked.get("session", ""))
        return clarify(desk, {**going_on(session), "answers": answers}, ask=False, confirm=False)
    finally:
        desk.close()


COMMAND = Command(
    words="clarify answer",
    callers=ANYONE,
    help="Answer questions of an open clarification.\n\n"
    "What is not answered stays open. A text that is no option is an answer of your own; `skip` leaves a question "
    "to an assumption. An answer that is refused changes nothing.",
    run=run,
    values=values,
    input_schema={
        "type": "object",
        "byPlace": ["answer"],
        "properties": {"answer": ANSWER, "answers_file": ANSWERS_FILE, "session": SESSION},
    },
    examples=[
        "deedlog clarify answer auth_strategy=OAuth auth_library=next-auth",
        "deedlog clarify answer auth_library='our own, on top of oslo'",
        "deedlog clarify answer --answers-file answers.json --json",
    ],
)
