"""What was answered in words and decides nothing: the task and the ADR tell it, so that no answer is lost."""

from __future__ import annotations

from deedlog.core.clarify.answers import is_settled
from deedlog.core.clarify.asking import questions_of
from deedlog.core.clarify.task import CRITERIA, PATHS
from deedlog.core.clarify.values import ANSWER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.clarification import Clarification
    from deedlog.core.clarify.values import Verdict

ELSEWHERE = (CRITERIA, PATHS)  # a task has a section of its own for them


def told(session: Clarification, verdict: Verdict) -> str:
    """The questions with what was said to them, a paragraph each."""
    recorded = {one.detail for one in verdict.decided if one.source == ANSWER}
    found = []
    for question in questions_of(session):
        answer = session.answers.get(question.id)
        if answer is None or question.id in (*recorded, *ELSEWHERE) or not is_settled(answer):
            continue
        said = ", ".join(map(str, answer)) if isinstance(answer, list) else str(answer)
        found.append(f"{question.question} {said}")
    return "\n\n".join(found)
