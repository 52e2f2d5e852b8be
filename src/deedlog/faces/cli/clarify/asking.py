"""Questions to whoever sits at the terminal, until they are answered or somebody leaves."""

from __future__ import annotations

from deedlog.core.clarify.values import OTHER, OTHER_SUFFIX
from deedlog.core.errors import Invalid
from deedlog.faces.cli.clarify import typed
from deedlog.faces.cli.clarify.screen import Left
from deedlog.faces.cli.clarify.showing import keys, notes_of, plain, question_lines, why_lines
from deedlog.faces.cli.terminal import clean, wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from deedlog.faces.cli.clarify.screen import Screen

    Json = dict[str, Any]

    class Conversation(Protocol):
        """What asks for answers: the real one, or one that only shows what would come of them."""

        answer: Json

        def reply(self, answers: Json) -> None: ...
        def keep(self, answers: Json) -> None: ...


INVALID_ANSWER = "INVALID_ANSWER"
PROMPT = "> "


def converse(conversation: Conversation, screen: Screen) -> None:
    """Ask round after round until nothing is open. Whoever leaves keeps what was answered."""
    while questions := conversation.answer.get("questions"):
        round_ = Round(questions, screen)
        try:
            round_.ask()
            _reply(conversation, round_)
        except (Left, KeyboardInterrupt):
            conversation.keep(round_.answers())
            raise Left from None
        for note in notes_of(conversation.answer):
            screen.say(note)


def _reply(conversation: Conversation, round_: Round) -> None:
    """Send a round's answers; one that is refused is asked for again, the others stay."""
    while True:
        try:
            conversation.reply(round_.answers())
        except Invalid as refusal:
            if refusal.data.get("code") != INVALID_ANSWER or not round_.again(refusal):
                raise
        else:
            return


class Round:
    """Questions that were asked together. One can go back in it, and nothing is sent before its end."""

    def __init__(self, questions: list[Json], screen: Screen) -> None:
        self._questions = questions
        self._screen = screen
        self._answers: dict[str, Json] = {}  # what is sent for each question, by its id
        self._explained: set[str] = set()  # types of questions of which it was told how to answer

    def answers(self) -> Json:
        return {name: value for given in self._answers.values() for name, value in given.items()}

    def ask(self) -> None:
        place = 0
        while place < len(self._questions):
            place = self._ask(place)

    def again(self, refusal: Invalid) -> bool:
        """Ask once more for the answer that was refused; False where it is to none of these questions."""
        name = str(refusal.data.get("id", "")).removesuffix(OTHER_SUFFIX)
        places = [place for place, question in enumerate(self._questions) if question["id"] == name]
        if not places:
            return False
        self._answers.pop(name, None)
        self._screen.say(clean(refusal.message))
        while self._ask(places[0]) != places[0] + 1:
            pass
        return True

    def _ask(self, place: int) -> int:
        """Ask one question; returns the place of the next one."""
        question, screen = self._questions[place], self._screen
        many = len(self._questions)
        head = f"Question {place + 1} of {many}: " if many > 1 else ""
        screen.show(["", *question_lines(question, screen.style, screen.room, head)])
        if question["type"] not in self._explained:
            self._explained.add(question["type"])
            screen.show(map(screen.style.dim, wrapped(keys(question), screen.room)))
        line = self._typed(question)
        if line.kind == typed.BACK:
            if not place:
                screen.say("this is the first question")
            return max(place - 1, 0)
        self._answers[question["id"]] = self._with_other(question, line)
        return place + 1

    def _typed(self, question: Json) -> typed.Line:
        """What is typed at last: an answer, or the wish to go back."""
        before = ""
        while True:
            text = self._screen.read(PROMPT)
            line = typed.meaning(question, text, insists=bool(text.strip()) and text == before)
            before = text
            if line.kind == typed.WHY:
                self._screen.show(why_lines(question, self._screen.room))
            elif line.kind == typed.AGAIN:
                self._screen.say(plain(line.note))
            else:
                return line

    def _with_other(self, question: Json, line: typed.Line) -> Json:
        name = question["id"]
        if not line.open_other:
            return {name: line.value}
        text = ""
        while not text.strip():
            text = self._screen.read(f"{OTHER}: ")
        return {name: line.value, name + OTHER_SUFFIX: text.strip()}
