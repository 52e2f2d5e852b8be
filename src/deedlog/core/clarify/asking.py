"""Where a clarification stands: what was asked, what is still open, what comes next."""

from __future__ import annotations

from deedlog.core.clarify.answers import follow_up, is_settled, named_by, take
from deedlog.core.clarify.asking_back import NOTHING_TO_DO, SCOPE
from deedlog.core.clarify.values import MOST_QUESTIONS, Question
from deedlog.core.errors import Invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
    from typing import Any

    from deedlog.core.clarification import Clarification
    from deedlog.core.clarify.values import Verdict

    Judge = Callable[[Clarification], Verdict]


def questions_of(session: Clarification) -> list[Question]:
    """All that was asked."""
    known = ("id", "type", "question", *Question.defaults())  # what a newer release added is ignored
    return [Question(**{name: asked[name] for name in known if name in asked}) for asked in session.questions]


def pending(session: Clarification) -> list[Question]:
    """What is still open, as it is shown: a follow-up in the place of the choice it follows."""
    found = []
    for question in questions_of(session):
        answer = session.answers.get(question.id)
        if question.id in session.skipped:
            continue
        if answer is None:
            found.append(question)
        elif not is_settled(answer):
            found.append(follow_up(question))
    return found


def answered(
    session: Clarification, given: Mapping[str, Any], names: Mapping[str, str], judge: Judge
) -> tuple[Clarification, list[str]]:
    """The session with answers taken in, and what there is to say about them; or `Invalid`.

    They may be to questions that come up only through other answers of the same call.
    """
    notes: list[str] = []
    rest = dict(given)
    while rest:
        questions = questions_of(session)
        known = {name for question in questions for name in named_by(question)}
        mine = {name: value for name, value in rest.items() if name in known}
        taken = take(questions, mine or rest, session.answers, names)
        skipped = [name for name in session.skipped if name not in taken.answers and name not in taken.skipped]
        kept = {name: value for name, value in session.answers.items() if name not in taken.skipped}
        session = session.replace(answers=kept | taken.answers, skipped=[*skipped, *taken.skipped])
        notes += taken.notes
        if SCOPE in taken.skipped and judge(session).rule in NOTHING_TO_DO:
            raise _no_scope()
        rest = {name: value for name, value in rest.items() if name not in mine}
        if rest:
            session = asking(session, judge(session))
    return session, notes


def _no_scope() -> Invalid:
    reason = "cannot be skipped: the request says nothing that could be done"
    data: dict[str, object] = {"code": "INVALID_ANSWER", "id": SCOPE, "reason": reason, "options": []}
    return Invalid(f"answers.{SCOPE}: {reason}", hint="say what should change, or leave the session", data=data)


def asking(session: Clarification, verdict: Verdict) -> Clarification:
    """The session, with what the gate wants to know now asked as well."""
    asked = {question["id"] for question in session.questions}
    new = [question.fields() for question in verdict.questions if question.id not in asked]
    return session.replace(questions=[*session.questions, *new][:MOST_QUESTIONS])


def waits(session: Clarification, shown: Collection[str]) -> bool:
    """Whether somebody has to answer before it can end. What is optional does not hold it up once it was `shown`."""
    return any(not question.optional or question.id not in shown for question in pending(session))


def without_rest(session: Clarification) -> Clarification:
    """The session with what nobody answered skipped."""
    return session.replace(skipped=[*session.skipped, *(question.id for question in pending(session))])
