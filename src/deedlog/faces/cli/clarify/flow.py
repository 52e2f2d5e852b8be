"""From a request to its files on the command line: with somebody at the terminal, or without."""

from __future__ import annotations

from deedlog.core.errors import Conflict, NotFound
from deedlog.core.words import one_line
from deedlog.faces.cli.clarify.asking import confirmed, converse
from deedlog.faces.cli.clarify.driving import COMPLETED, EXPIRED_CODE, Previewed, Recorded, with_prompt
from deedlog.faces.cli.clarify.explaining import differences, explained, verdict
from deedlog.faces.cli.clarify.screen import Left, Screen, can_ask
from deedlog.faces.cli.clarify.showing import listed, notes_of, plain, question_page, result_page, understood
from deedlog.faces.cli.clarify.words import YES, language_of, told
from deedlog.faces.cli.output import flush, show_answer, write
from deedlog.faces.cli.refusal import INTERRUPTED, OK, tell
from deedlog.faces.cli.show import style_of_output
from deedlog.faces.cli.style import in_one_line
from deedlog.faces.cli.terminal import USUAL_COLUMNS, clean, wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from deedlog.faces.cli.clarify.driving import Desk

    Json = dict[str, Any]

SHORT_REQUEST = 72


def clarify(desk: Desk, request: Json, *, ask: bool, confirm: bool) -> int:
    """Begin a conversation, or go on with one, and see it through as far as that is possible here."""
    if ask and confirm and can_ask() and not desk.as_json and not _is_wanted(desk, request):
        return INTERRUPTED
    try:
        answer = desk.call("require_clarification", **request)
    except Conflict as refusal:
        if refusal.data.get("code") != EXPIRED_CODE:
            raise
        hint = f"`deedlog clarify resume --session {request['session_id']}` begins it again, with what was answered"
        raise Conflict(refusal.message, hint=hint, data=refusal.data) from None
    return see_through(desk, request["user_intention"], answer, ask=ask, confirm=confirm)


def _is_wanted(desk: Desk, request: Json) -> bool:
    """Whether a request that is clear at once is to be written: somebody is asked where that gives an ADR."""
    try:
        found = desk.call("clarification_preview", **request)
    except (Conflict, NotFound):
        return True  # the call itself says what is wrong
    if found["questions"] or not found["adr"]:
        return True
    screen = Screen()
    try:
        wanted = confirmed(found, screen) == YES[1]
    except Left:
        wanted = False
    if not wanted:
        screen.say(told(language_of(found), "Nothing was written or recorded."))
    return wanted


def see_through(desk: Desk, intention: str, answer: Json, *, ask: bool, confirm: bool) -> int:
    conversation = Recorded(desk, intention, answer)
    if ask and can_ask() and not desk.as_json and conversation.answer["status"] != COMPLETED:
        screen = Screen()
        screen.show(understood(conversation.answer, screen.style, screen.room))
        try:
            converse(conversation, screen, confirm=confirm)
        except Left:
            _say_how_it_stands(desk, conversation, screen)
            return INTERRUPTED
        screen.show()
    elif not desk.as_json:
        for note in notes_of(conversation.answer):
            tell(f"note: {note}")
    return _tell(desk, conversation)


def _say_how_it_stands(desk: Desk, conversation: Recorded, screen: Screen) -> None:
    """To whoever leaves: how to go on, unless the last answer was recorded a moment before."""
    session, language = desk.session(conversation.session_id), language_of(conversation.answer)
    name = session["session_id"]
    if session["status"] == COMPLETED:
        screen.say(told(language, "The session {name} is completed, and its files are written.", name=name))
        return
    until = in_one_line(session.get("expires_at", ""), screen.style, brief=True)
    kept = "Nothing is written yet. The session {name} is kept until {until}; go on with: {command}"
    kept = kept if until else kept.replace(" until {until}", "")
    command = "deedlog clarify resume" + (f" --session {name}" if len(desk.sessions()) > 1 else "")
    screen.say(told(language, kept, name=name, until=until, command=command))


def _tell(desk: Desk, conversation: Recorded) -> int:
    """What came of it: the files, or the questions that nobody was asked."""
    answer, style, refused = conversation.answer, style_of_output(), None
    if answer["status"] == COMPLETED:
        answer, refused = with_prompt(desk, answer)
    if desk.as_json:
        show_answer(answer, as_json=True)
    else:
        page = result_page if answer["status"] == COMPLETED else question_page
        _print(page(answer, style, style.columns or USUAL_COLUMNS))
    if refused:
        flush()
        tell(f"warning: docs/AGENT_PROMPT.md is not written: {clean(refused.message)}")
    return OK


def preview(desk: Desk, request: Json, *, ask: bool, explain: bool, dry_run: bool) -> int:
    """Show what would come of a request; nothing is written or recorded."""
    conversation = Previewed(desk, request)
    if dry_run and ask and can_ask() and not desk.as_json:
        screen = Screen()
        try:
            converse(conversation, screen, confirm=False)
        except Left:
            screen.say(told(language_of(conversation.answer), "Nothing was written or recorded."))
            return INTERRUPTED
        screen.show()
    found = conversation.answer
    if desk.as_json:
        show_answer(found, as_json=True)
        return OK
    style = style_of_output()
    room = style.columns or USUAL_COLUMNS
    if explain:
        _print(explained(request["user_intention"], found, style, room))
    if dry_run:
        _dry_run(found, told_already=explain)
    return OK


def _dry_run(found: Json, *, told_already: bool) -> None:
    style = style_of_output()
    room = style.columns or USUAL_COLUMNS
    if not told_already:
        _print(wrapped(verdict(found), room))
        _print(understood(found, style, room))
        _print(["", *listed(found["questions"], style, room)] if found["questions"] else [])
    write("")
    if found["questions"]:
        write("The files depend on the answers: add --answer id=value for each.")
    _print(differences(found, style))
    flush()
    tell("nothing was written or recorded; UIDs are given when it is")


def going_on(session: Json) -> Json:
    """The request that continues a session."""
    return {"user_intention": session["user_intention"], "session_id": session["session_id"]}


def brief(session: Json) -> str:
    return plain(one_line(session["user_intention"], SHORT_REQUEST))


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        write(line)
