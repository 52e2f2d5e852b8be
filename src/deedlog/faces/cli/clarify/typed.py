"""What a line means that somebody typed below a question. What the answer is worth is for the operation to say."""

from __future__ import annotations

from deedlog.core.clarify.values import MULTI, OTHER, SKIP, TEXT
from deedlog.core.value import Value
from deedlog.core.words import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

ANSWER, BACK, WHY, AGAIN = "answer", "back", "why", "again"
SKIPPING = ("s", "skip", "passer", "スキップ", "飛ばす")
GOING_BACK = ("b", "back", "retour", "戻る")
ASKING_WHY = ("?", "why", "pourquoi", "なぜ", "\uff1f")


class Line(Value):
    """`value` is the answer, without the text of an "Other" that is still `open_other`; `note` says what to do.

    Whoever `insisted` was asked what was meant, and typed the same again.
    """

    kind: str
    value: Any = None
    open_other: bool = False
    insisted: bool = False
    note: str = ""
    filling: dict[str, object] = {}  # noqa: RUF012  # values are never changed in place


def meaning(question: Json, typed: str, *, insists: bool = False) -> Line:
    """What `typed` means; somebody who `insists` typed the same twice, and no longer is asked what was meant."""
    text = typed.strip()
    if not text:
        return _by_default(question)
    if question["type"] == TEXT:
        return _command(text) or Line(kind=ANSWER, value=text)
    if question["type"] == MULTI:
        return _several(question, text, insists=insists)
    return _one(question, text, insists=insists)


def _by_default(question: Json) -> Line:
    if recommended := question.get("recommended"):
        return Line(kind=ANSWER, value=[recommended] if question["type"] == MULTI else recommended)
    if question.get("optional"):
        return Line(kind=ANSWER, value=SKIP)
    return Line(kind=AGAIN, note="nothing is recommended here: type an answer, or s to skip")


def _command(text: str) -> Line | None:
    word = text.lower()
    if word in SKIPPING:
        return Line(kind=ANSWER, value=SKIP)
    if word in GOING_BACK:
        return Line(kind=BACK)
    return Line(kind=WHY) if word in ASKING_WHY else None


def _one(question: Json, text: str, *, insists: bool) -> Line:
    if not _exact(question, text) and (command := _command(text)):
        return command
    chosen = _option(question, text, insists=insists)
    return (
        chosen
        if isinstance(chosen, Line)
        else Line(kind=ANSWER, value=chosen, open_other=chosen == OTHER, insisted=insists)
    )


def _several(question: Json, text: str, *, insists: bool) -> Line:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not _exact(question, text) and (command := _command(text)):
        return command
    chosen: list[str] = []
    for part in parts:
        found = _option(question, part, insists=insists)
        if isinstance(found, Line):
            return found
        chosen += [found] if found not in chosen else []
    if not chosen:
        return Line(kind=AGAIN, note="type one or more, with commas between them")
    return Line(kind=ANSWER, value=chosen, open_other=OTHER in chosen, insisted=insists)


def _option(question: Json, text: str, *, insists: bool) -> str | Line:
    """The option that a number or its text names, else the text itself."""
    options: list[str] = question["options"]
    if text.isascii() and text.isdigit():
        place = int(text)
        inside = 1 <= place <= len(options)
        return (
            options[place - 1]
            if inside
            else Line(kind=AGAIN, note="type a number from 1 to {many}", filling={"many": len(options)})
        )
    if exact := _exact(question, text):
        return exact
    meant = "" if insists else nearest(text, [option for option in options if option != OTHER])
    if meant:
        note = "did you mean {meant}? Type its number, or the same again to keep yours"
        return Line(kind=AGAIN, note=note, filling={"meant": meant})
    return text


def _exact(question: Json, text: str) -> str:
    return next((option for option in question["options"] if option.casefold() == text.casefold()), "")
