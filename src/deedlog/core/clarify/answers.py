"""What was answered to questions: taken as a person means it, refused with the reason where nobody could mean it."""

from __future__ import annotations

import re
from unicodedata import normalize

from deedlog.core.clarify.nonanswers import (
    flaw_of_denial,
    flaw_of_several,
    flaw_of_text,
    flaw_of_value,
    is_skip,
    leaves_it,
    number_of,
    without_manners,
)
from deedlog.core.clarify.values import MULTI, OTHER, OTHER_SUFFIX, TEXT, Question
from deedlog.core.errors import Invalid
from deedlog.core.value import Value
from deedlog.core.words import distance, fold, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

LONGEST_ANSWER = 2_000
MOST_SELECTED = 20
LEAST_LETTERS = 5  # of an option whose misspelling is known again
SHOWN = 80
NO_CHOICE = re.compile(  # that it is none of the options, in whatever words
    r"(.*\b)?(not?|none|neither|invalid|bogus|wrong|bad|unknown|fake|non ?existent)\b.*\b"
    r"(option|choice|answer|value|these|those|above)s?|(invalid|bad|wrong|no)(option|choice|answer|value)"
)
NUMBER = re.compile(r"[-+]?[\d.,]+%?")
DATA = re.compile(r"[\[{<].*[\]}>]")
SEPARATORS = re.compile(r"[\s\-_./]+")
OTHERS = r"(?:other|autre|その他)\s*(?:\([^)]*\))?\s*"  # of text whose full-width letters are narrow
OWN = re.compile(OTHERS + "[:=\u2013\u2014-]\\s*(?P<text>.+)", re.IGNORECASE)
BARE = re.compile(OTHERS + ":?", re.IGNORECASE)
COMMAS = re.compile("[,;、]")
ABSENT = object()
FOLLOW_UP = {
    "en": "Please specify: {question}",
    "fr": "Précisez : {question}",
    "ja": "具体的に: {question}",
}


class Taken(Value):
    """Answers by question id, texts or lists of texts, and what was skipped.

    Where "Other (specify)" came without saying what, it stands in the answer until that was asked.
    `notes` tell where something was taken as another word than was given.
    """

    answers: dict[str, Any] = {}  # noqa: RUF012  # values are never changed in place
    skipped: list[str] = []  # noqa: RUF012
    notes: list[str] = []  # noqa: RUF012


class _Wrong(Exception):  # it never leaves this module
    """Why an answer cannot be taken."""


def take(
    questions: Sequence[Question],
    given: Mapping[str, Any],
    already: Mapping[str, Any] | None = None,
    names: Mapping[str, str] | None = None,
) -> Taken:
    """What `given` says to `questions`, or `Invalid` that names every answer which says nothing.

    `already` are the answers so far; `names` the folded names of technologies, with how each is written.
    """
    asked = {question.id: question for question in questions if not question.follows}
    texts, flaws = _by_question(asked, given)
    taking = _Taking(already or {}, names or {})
    for question_id, (value, own) in texts.items():
        question = asked[question_id]
        try:
            taking.one(question, value, own)
        except _Wrong as wrong:
            flaws.append(_flaw(question_id, str(wrong), question.options))
    if flaws:
        raise _refusal(flaws, list(asked))
    return taking.taken()


def is_settled(answer: Any) -> bool:
    """Whether an answer says all; the other kind still has "Other (specify)" in it."""
    return OTHER not in answer if isinstance(answer, list) else answer != OTHER


def follow_up(question: Question) -> Question:
    """What is asked where "Other (specify)" came without saying what."""
    return Question(
        id=question.id + OTHER_SUFFIX,
        type=TEXT,
        question=FOLLOW_UP.get(question.language, FOLLOW_UP["en"]).format(question=question.question),
        area=question.area,
        field=question.field,
        follows=question.id,
        language=question.language,
    )


def named_by(question: Question) -> tuple[str, str]:
    """The ids under which it can be answered."""
    return question.id, question.id + OTHER_SUFFIX


def _by_question(
    asked: Mapping[str, Question], given: Mapping[str, Any]
) -> tuple[dict[str, tuple[Any, Any]], list[dict[str, Any]]]:
    """The value and the own text given to each question, and what was given to none."""
    found: dict[str, tuple[Any, Any]] = {}
    flaws = []
    for name, value in given.items():
        question_id = name.removesuffix(OTHER_SUFFIX)
        own = question_id != name
        if name in asked:
            found[name] = (value, found.get(name, (ABSENT, ABSENT))[1])
        elif own and question_id in asked and asked[question_id].type != TEXT:
            found[question_id] = (found.get(question_id, (ABSENT, ABSENT))[0], value)
        else:
            meant = nearest(name[:SHOWN], asked)
            reason = f"no question has this id{f'; did you mean {meant}?' if meant else ''}"
            flaws.append(_flaw(name[:SHOWN], reason, []) | {"known": list(asked)})
    return found, flaws


class _Taking:
    def __init__(self, already: Mapping[str, Any], names: Mapping[str, str]) -> None:
        self._already, self._names = already, names
        self._answers: dict[str, Any] = {}
        self._skipped: list[str] = []
        self._notes: list[str] = []

    def taken(self) -> Taken:
        return Taken(answers=self._answers, skipped=self._skipped, notes=self._notes)

    def one(self, question: Question, value: Any, own: Any) -> None:
        before = self._already.get(question.id)
        if value is ABSENT:
            value = before if before is not None and question.type == MULTI else OTHER
        if isinstance(own, str) and not own.strip():
            own = ABSENT
        if _is_skip(own):
            own, value = ABSENT, self._without_other(value)
        if own is ABSENT and (_is_skip(value) or _is_left_out(question, value)):
            self._skipped.append(question.id)
        elif self._is_left(question, value if own is ABSENT else own):
            self._skipped.append(question.id)
            kept = f"{question.recommended} is assumed" if question.recommended else "it stays open"
            self._notes.append(f"{question.id}: that is taken as skip; {kept}")
        elif question.type == TEXT:
            self._answers[question.id] = _text(value, flat=False)
        elif question.type == MULTI:
            self._answers[question.id] = self._several(question, value, own)
        else:
            self._answers[question.id] = self._single(question, value, own)

    def _is_left(self, question: Question, value: Any) -> bool:
        """Whether the choice is left to whoever asks."""
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if not isinstance(value, str) or _option(value, question.options, exact=True):
            return False
        said = OWN.fullmatch(_narrow(value))
        return leaves_it(said["text"] if said else value)

    def _without_other(self, value: Any) -> Any:
        if isinstance(value, list):
            return [item for item in value if not _is_bare(item)] or None
        return None if _is_bare(value) else value

    def _single(self, question: Question, value: Any, own: Any) -> str:
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if own is not ABSENT:
            if value is not None and not _is_bare(value):
                raise _Wrong("has an option and a text of your own: give one of them")
            return self._meant(question, _value(own), own=True)
        if _is_bare(value) and OTHER in question.options:
            return OTHER
        return self._meant(question, _value(value))

    def _several(self, question: Question, value: Any, own: Any) -> list[str]:
        given = [] if value is None else self._listed(question, value)
        bare = [item for item in given if _is_bare(item) and OTHER in question.options]
        chosen = [self._meant(question, _value(item)) for item in given if item not in bare]
        if own is not ABSENT:
            parts = own if isinstance(own, list) else [own]
            chosen += [self._meant(question, _value(part), own=True) for part in parts]
        elif bare:
            chosen.append(OTHER)
        chosen = list(dict.fromkeys(chosen))
        least = max(question.min_selections, 1)
        if not least <= len(chosen) <= MOST_SELECTED:
            raise _Wrong(f"needs {least} to {MOST_SELECTED} selections, not {len(chosen)}")
        return chosen

    def _listed(self, question: Question, value: Any) -> list[Any]:
        """A list, or a text with commas, as a list."""
        if isinstance(value, list):
            return value
        if not isinstance(value, str):
            raise _Wrong(f"must be a list of options, not {_type_name(value)}")
        if _option(value, question.options, exact=True) or _is_bare(value) or OWN.fullmatch(_narrow(value)):
            return [value]
        return [part for part in COMMAS.split(normalize("NFKC", value)) if part.strip()] or [value]

    def _meant(self, question: Question, text: str, *, own: bool = False) -> str:
        """The option that a text means, else the text as a value of the user's own."""
        if found := _option(text, question.options, exact=True) or _by_number(text, question.options):
            return found
        if (bare := without_manners(text)) != text and not own:
            return self._meant(question, bare, own=own)
        if said := OWN.fullmatch(_narrow(text)):
            return self._meant(question, _value(said["text"]), own=True)
        known = self._names.get(fold(text), "")
        if known and (found := _option(known, question.options, exact=True)):
            return found
        if not known and not own and (found := _option(text, question.options)):
            self._notes.append(f"{question.id}: {text!r:.80} is taken as {found!r}")
            return found
        self._refuse_what_is_none(question, text)
        self._notes.append(f"{question.id}: {text!r:.80} is not one of the options; it is taken as your own value")
        return text

    def _refuse_what_is_none(self, question: Question, text: str) -> None:
        """Refuse what nobody means as a value: no idea, a number, data, what it should not be, two at once."""

        def is_option(name: str) -> bool:
            return bool(_option(self._names.get(fold(name), name), question.options, exact=True))

        def is_known(name: str) -> bool:
            return is_option(name) or fold(name) in self._names

        said = SEPARATORS.sub(" ", fold(text)).strip()
        nothing = _is_bare(text) or NO_CHOICE.fullmatch(said) or NUMBER.fullmatch(text) or DATA.fullmatch(text)
        several = "" if question.type == MULTI else flaw_of_several(text, is_option, is_known)
        if OTHER not in question.options:
            raise _Wrong(several or f"{text!r:.80} is not one of the options")
        if nothing:
            raise _Wrong(f"{text!r:.80} is not one of the options, and names nothing else")
        if flaw := flaw_of_value(text, question.field) or flaw_of_denial(text, is_known) or several:
            raise _Wrong(flaw)


def _value(value: Any) -> str:
    return _text(value, flat=True)


def _text(value: Any, *, flat: bool) -> str:
    """A text that says something. What is shown on one line is taken on one line."""
    if not isinstance(value, str):
        raise _Wrong(f"must be text, not {_type_name(value)}")
    text = " ".join(value.split()) if flat else value.strip()
    text = "".join(c for c in text if c.isprintable() or c in "\n\t\u200c\u200d").strip()
    if not text:
        raise _Wrong("is empty")
    if len(value) > LONGEST_ANSWER:
        raise _Wrong(f"has {len(value)} characters, at most {LONGEST_ANSWER} are allowed")
    if not flat and (flaw := flaw_of_text(text)):
        raise _Wrong(flaw)
    return text


def _option(text: str, options: Sequence[str], *, exact: bool = False) -> str:
    """The option that a text is: case, spaces, hyphens do not matter, nor does one letter of a long one."""
    told = _keys(options)
    letters = _bare_letters(text)
    if found := told.get(letters):
        return found
    if exact or len(letters) < LEAST_LETTERS:
        return ""
    near = [o for key, o in told.items() if key[:1] == letters[:1] and distance(letters, key) == 1]
    return near[0] if len(near) == 1 else ""


def _keys(options: Sequence[str]) -> dict[str, str]:
    """Options by what they are known by; "None (plain SQL)" is also "None" and "plain SQL", if no other one is."""
    whole = {_bare_letters(option): option for option in options if option != OTHER}
    parts: dict[str, set[str]] = {}
    for option in whole.values():
        before, bracket, inside = option.partition("(")
        for part in (before, inside.rstrip(")")) if bracket else ():
            parts.setdefault(_bare_letters(part), set()).add(option)
    return {key: min(named) for key, named in parts.items() if key and len(named) == 1} | whole


def _by_number(text: str, options: Sequence[str]) -> str:
    place = number_of(text)
    named = options[place - 1] if 0 < place <= len(options) else ""
    return "" if named == OTHER else named


def _bare_letters(text: str) -> str:
    return SEPARATORS.sub("", fold(text.strip()))


def _is_left_out(question: Question, value: Any) -> bool:
    return question.optional and (value == [] or (isinstance(value, str) and not value.strip()))


def _is_skip(value: Any) -> bool:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value is None or (isinstance(value, str) and is_skip(value))


def _narrow(text: str) -> str:
    return normalize("NFKC", text).strip()


def _is_bare(value: Any) -> bool:
    return isinstance(value, str) and BARE.fullmatch(_narrow(value)) is not None


def _type_name(value: Any) -> str:
    names = {bool: "true/false", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return names.get(type(value), "nothing")


def _flaw(question_id: str, reason: str, options: Sequence[str]) -> dict[str, Any]:
    return {"id": question_id, "reason": reason, "options": list(options)}


def _refusal(flaws: list[dict[str, Any]], known: list[str]) -> Invalid:
    first = flaws[0]
    hint = "nothing of this call was taken: correct the answer and repeat it; say skip to leave a question open"
    data = {"code": "INVALID_ANSWER", **first, "known": known}
    if len(flaws) > 1:
        data["invalid"] = flaws
    return Invalid(f"answers.{first['id']}: {first['reason']}", hint=hint, data=data)
