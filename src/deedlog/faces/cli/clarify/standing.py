"""How open conversations stand, and which one to go on with."""

from __future__ import annotations

from deedlog.core.errors import NotFound
from deedlog.faces.cli.clarify.driving import begun_again, refuse_several
from deedlog.faces.cli.clarify.flow import brief, clarify, going_on, see_through
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


def resume(desk: Desk, session_id: str, *, ask: bool, confirm: bool) -> int:
    """Go on with the session that is named, else the only open one, else begin the last expired one again."""
    found = [] if session_id else desk.sessions()
    refuse_several(found)
    open_now = [session_id] if session_id else [row["session_id"] for row in found]
    if not open_now and (last := desk.last()) and last["status"] == EXPIRED:
        open_now = [last["session_id"]]
    if not open_now:
        hint = 'begin with: deedlog clarify "what you want"'
        raise NotFound("there is no clarification to go on with", hint=hint, data={"code": "NO_PREVIOUS_SESSION"})
    session = desk.session(open_now[0])
    if session["status"] == EXPIRED:
        tell(f"begun again, as it expired: {brief(session)}")
        return see_through(desk, session["user_intention"], begun_again(desk, session, {}), ask=ask, confirm=confirm)
    if not desk.as_json:
        tell(f"going on with: {brief(session)}")
    return clarify(desk, going_on(session), ask=ask, confirm=confirm)


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
