"""How open conversations stand, and which one to go on with."""

from __future__ import annotations

from deedlog.core.errors import NotFound
from deedlog.faces.cli.clarify.flow import brief, going_on
from deedlog.faces.cli.clarify.showing import INDENT, plain
from deedlog.faces.cli.output import write
from deedlog.faces.cli.refusal import tell
from deedlog.faces.cli.show import style_of_output
from deedlog.faces.cli.style import in_one_line
from deedlog.faces.cli.terminal import USUAL_COLUMNS, padded, width, wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from deedlog.faces.cli.clarify.driving import Desk
    from deedlog.faces.cli.style import Style

    Json = dict[str, Any]

EXPIRED = "expired"


def resumed(desk: Desk, session_id: str) -> Json:
    """The request that goes on with a session, or begins the last expired one again with what was known of it."""
    open_now = [session_id] if session_id else [row["session_id"] for row in desk.sessions()]
    if open_now:
        session = desk.session(open_now[0])
        if not desk.as_json:
            tell(f"going on with: {brief(session)}")
        return going_on(session)
    expired = desk.sessions(EXPIRED)
    if not expired:
        hint = 'begin with: deedlog clarify "what you want"'
        raise NotFound("there is no clarification to go on with", hint=hint, data={"code": "NO_PREVIOUS_SESSION"})
    tell(f"begun again, as it expired: {brief(expired[0])}")
    return _again(desk.session(expired[0]["session_id"]))


def _again(session: Json) -> Json:
    preferences = {name: True for name in ("force_adr", "waive_adr") if session.get(name)}
    known = {"optional_context": session.get("optional_context"), "preferences": preferences}
    return {"user_intention": session["user_intention"], **{name: value for name, value in known.items() if value}}


def tell_standing(sessions: list[Json]) -> None:
    if not sessions:
        tell('no clarification is open here; begin with: deedlog clarify "what you want"')
    for place, session in enumerate(sessions):
        for line in [""] * bool(place) + list(_lines(session, style_of_output())):
            write(line)


def _lines(session: Json, style: Style) -> Iterator[str]:
    room = style.columns or USUAL_COLUMNS
    yield style.bold(brief(session))
    yield f"{session['session_id']}, open until {in_one_line(session['expires_at'], style, brief=True)}"
    rows = [(name, in_one_line(answer, style)) for name, answer in session["answers"].items()]
    rows += [(name, "skipped") for name in session["skipped"]]
    rows += [(question["id"], f"open: {plain(question['question'])}") for question in session["questions"]]
    longest = max((width(plain(name)) for name, _ in rows), default=0)
    for name, state in rows:
        first, *rest = wrapped(state, room - longest - 2 * len(INDENT))
        yield INDENT + padded(plain(name), longest) + INDENT + first
        yield from (" " * (longest + 2 * len(INDENT)) + line for line in rest)
