"""Questions to whoever sits at the terminal, until they are answered or somebody leaves."""

from __future__ import annotations

from deedlog.core.clarify.values import OTHER, OTHER_SUFFIX, SKIP
from deedlog.core.errors import Invalid
from deedlog.faces.cli.clarify import typed
from deedlog.faces.cli.clarify.screen import Left
from deedlog.faces.cli.clarify.showing import keys, notes_of, plain, question_lines, understood, why_lines
from deedlog.faces.cli.clarify.words import (
    NO,
    NO_SCOPE,
    OWN_VALUE,
    WRITE_AT_ONCE,
    WRITE_IT,
    YES,
    language_of,
    told,
)
from deedlog.faces.cli.terminal import clean, wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from deedlog.faces.cli.clarify.screen import Screen

    Json = dict[str, Any]

    class Conversation(Protocol):
        """What asks for answers: the real one, or one that only shows what would come of them."""

        answer: Json
        writes: bool

        def reply(self, answers: Json) -> None: ...
        def keep(self, answers: Json) -> None: ...
        def check(self, answers: Json) -> Json: ...


INVALID_ANSWER = "INVALID_ANSWER"
PROMPT = "> "
SCOPE = "scope"


def converse(conversation: Conversation, screen: Screen, *, confirm: bool) -> None:
    """Ask round after round until nothing is open. Whoever leaves keeps what was answered."""
    while conversation.answer.get("questions"):
        round_ = Round(conversation, screen)
        try:
            round_.ask()
            while confirm and not round_.is_confirmed():
                round_.ask_last()
            _reply(conversation, round_)
        except (Left, KeyboardInterrupt):
            conversation.keep(round_.answers())
            raise Left from None
        for note in round_.news(notes_of(conversation.answer)):
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


def confirmed(found: Json, screen: Screen, prompt: str = WRITE_AT_ONCE) -> str:
    """What somebody says to what would be decided: yes, no, or back where there is a way back."""
    language = language_of(found)
    screen.show(["", *understood(found, screen.style, screen.room, "This will be decided:"), ""])
    while True:
        said = screen.read(told(language, prompt)).strip().lower()
        if said in YES:
            return YES[1]
        if said in NO:
            return NO[0]
        if prompt == WRITE_IT and said in typed.GOING_BACK:
            return typed.BACK
        screen.say(told(language, "answer y or n"))


class Round:
    """Questions that were asked together. One can go back in it, and nothing is sent before its end."""

    def __init__(self, conversation: Conversation, screen: Screen) -> None:
        self._conversation = conversation
        self._questions: list[Json] = conversation.answer["questions"]
        self._reasons: list[Json] = conversation.answer.get("why", [])
        self._language = language_of(conversation.answer)
        self._screen = screen
        self._answers: dict[str, Json] = {}  # what is sent for each question, by its id
        self._explained: set[str] = set()  # types of questions of which it was told how to answer

    def answers(self) -> Json:
        return {name: value for given in self._answers.values() for name, value in given.items()}

    def ask(self, place: int = 0) -> None:
        while place < len(self._questions):
            place = self._ask(place)

    def ask_last(self) -> None:
        self.ask(len(self._questions) - 1)

    def is_confirmed(self) -> bool:
        """Whether these answers may be sent. Whoever says no leaves, and only the last answer is not kept."""
        found = self._conversation.check(self.answers())
        if not self._conversation.writes or not found.get("adr") or found.get("questions"):
            return True
        said = confirmed({**found, "language": self._language}, self._screen, WRITE_IT)
        if said == NO[0]:
            self._answers.popitem()
            raise Left
        return said != typed.BACK

    def news(self, notes: list[str]) -> list[str]:
        """Those notes that are about no answer: how an answer is taken was told when it was typed."""
        return [note for note in notes if not note.startswith(tuple(f"{one['id']}: " for one in self._questions))]

    def again(self, refusal: Invalid) -> bool:
        """Ask once more for the answer that was refused; False where it is to none of these questions."""
        name = str(refusal.data.get("id", "")).removesuffix(OTHER_SUFFIX)
        places = [
            place for place, question in enumerate(self._questions) if question["id"] in (name, f"{name}{OTHER_SUFFIX}")
        ]
        if not places:
            return False
        self._answers.pop(self._questions[places[0]]["id"], None)
        self._refuse(refusal)
        while self._ask(places[0]) != places[0] + 1:
            pass
        return True

    def _refuse(self, refusal: Invalid) -> None:
        self._screen.say(clean(str(refusal.data.get("reason") or refusal.message)))

    def _ask(self, place: int) -> int:
        """Ask one question; returns the place of the next one."""
        question, screen = self._questions[place], self._screen
        many = len(self._questions)
        head = told(self._language, "Question {place} of {many}: ", place=place + 1, many=many) if many > 1 else ""
        screen.show(["", *question_lines(question, screen.style, screen.room, head)])
        if question["type"] not in self._explained:
            self._explained.add(question["type"])
            screen.show(map(screen.style.dim, wrapped(keys(question), screen.room)))
        given = None
        while given is None:
            line = self._typed(question)
            if line.kind == typed.BACK:
                if not place:
                    screen.say(told(self._language, "this is the first question"))
                return max(place - 1, 0)
            given = self._given(question, line)
        self._answers.pop(question["id"], None)
        self._answers[question["id"]] = given
        return place + 1

    def _typed(self, question: Json) -> typed.Line:
        """What is typed at last: an answer, or the wish to go back."""
        before = ""
        while True:
            text = self._screen.read(PROMPT)
            line = typed.meaning(question, text, insists=bool(text.strip()) and text == before)
            before = text
            if line.kind == typed.WHY:
                self._screen.show(why_lines(question, self._reasons, self._screen.room))
            elif line.kind == typed.AGAIN:
                self._screen.say(plain(told(self._language, line.note, **line.filling)))
            elif question["id"] == SCOPE and line.value == SKIP:
                self._screen.say(told(self._language, NO_SCOPE))
            else:
                return line

    def _given(self, question: Json, line: typed.Line) -> Json | None:
        """What is sent for a question, once it is known that it will be taken; nothing where it is asked again."""
        name = question["id"]
        given: Json = {name: line.value}
        if not line.open_other:
            found = self._checked(name, given)
            if found is None:
                return None
            if all(one["id"] != name + OTHER_SUFFIX for one in found.get("questions", ())):
                return given if self._is_meant(question, found, line) else None
        while True:
            text = ""
            while not text.strip():
                text = self._screen.read(f"{told(self._language, OTHER)}: ")
            if text.strip().lower() in typed.GOING_BACK:
                return None
            given = {name: line.value, name + OTHER_SUFFIX: text.strip()}
            if self._checked(name, given) is not None:
                return given

    def _checked(self, name: str, given: Json) -> Json | None:
        """What these answers would come to; None, and why, where this one is refused."""
        others = {key: value for one, each in self._answers.items() if one != name for key, value in each.items()}
        try:
            return self._conversation.check({**others, **given})
        except Invalid as refusal:
            if refusal.data.get("code") != INVALID_ANSWER:
                raise
            self._refuse(refusal)
            return None

    def _is_meant(self, question: Json, found: Json, line: typed.Line) -> bool:
        """Whether a value that is none of the options is meant so; what is taken as an option is told."""
        taken = found.get("answers", {}).get(question["id"])
        options = question.get("options")
        if options and taken is None and line.value != SKIP:
            self._screen.show(why_lines({**question, "tells": {}, "why": ""}, [], self._screen.room))
        if not options or taken is None:
            return True
        values = taken if isinstance(taken, list) else [taken]
        said = line.value if isinstance(line.value, list) else [line.value]
        for value in values:
            if value in options and value not in said and len(values) == 1:
                text = told(self._language, "{typed} is taken as {value}", typed=str(said[0]), value=value)
                self._screen.say(plain(text))
            if value not in options and not line.insisted and not self._agrees(str(value)):
                return False
        return True

    def _agrees(self, value: str) -> bool:
        while True:
            said = self._screen.read(plain(told(self._language, OWN_VALUE, value=value))).strip().lower()
            if said in YES or said in NO:
                return said in YES
            self._screen.say(told(self._language, "answer y or n"))
