"""What may be typed after the commands of `clarify`: the sessions that are open, and the answers they wait for."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.faces.cli.command import Invocation


def values(name: str, invocation: Invocation) -> list[str]:
    if name not in ("session", "answer"):
        return []
    from deedlog.faces.cli.clarify.driving import Desk  # only where something is typed

    desk = Desk(invocation)
    try:
        found = [row["session_id"] for row in desk.sessions()]
        if name == "session":
            return found
        questions = [question for one in found for question in desk.session(one)["questions"]]
    finally:
        desk.close()
    return [f"{question['id']}={option}" for question in questions for option in question.get("options", [""])]
