"""Which questions are due, in whose language, with options that fit the repository."""

from __future__ import annotations

from deedlog.core.clarify.values import MULTI, OTHER, SINGLE, TEXT, Facts, Question
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.core.clarify.lexicon import Lexicon

_TYPES = {"single": SINGLE, "multi": MULTI, "text": TEXT}
_DEFAULT_WHY = {
    "en": "A sound default that fits what the repository uses.",
    "fr": "Un bon choix par défaut, adapté à ce que le dépôt utilise.",
    "ja": "リポジトリの構成に合う無難な選択です。",
}
_MOST_OPTIONS = 5


class Asking(Value):
    """What a question is made for: the language, the repository, and what must not be offered."""

    language: str
    facts: Facts
    rejected: list[str]
    ecosystems: list[str]


def question_of(name: str, lexicon: Lexicon, asking: Asking, options: list[str] | None = None) -> Question:
    given = lexicon.questions[name]
    area, _, field = given.get("sets", ".").partition(".")
    kind = SINGLE if options else _TYPES[given.get("type", "single")]
    offered = [] if kind == TEXT else _options(given, asking) if options is None else options
    recommended = _recommended(given, asking.facts, offered)
    return Question(
        id=name,
        type=kind,
        question=_in(given["text"], asking.language),
        options=[*offered, OTHER] if offered else [],
        min_selections=1 if kind == MULTI else 0,
        optional=given.get("optional", False),
        recommended="" if options else recommended,
        why=_in(given.get("why", _DEFAULT_WHY), asking.language) if recommended and not options else "",
        area=area,
        field=field,
    )


def _options(given: dict[str, Any], asking: Asking) -> list[str]:
    having, by = given.get("having", {}), given.get("by", {})
    fitting = next((having[name] for name in having if name in asking.facts.technologies), None)
    if fitting is None:
        fitting = next((by[name] for name in asking.ecosystems if name in by), given.get("options", []))
    refused = {name.lower() for name in asking.rejected}
    return [option for option in fitting if option.lower() not in refused][:_MOST_OPTIONS]


def _recommended(given: dict[str, Any], facts: Facts, offered: list[str]) -> str:
    for rule in given.get("take", []):
        if rule["has"] in facts.technologies and rule["option"] in offered:
            return str(rule["option"])
    return offered[0] if offered else ""


def _in(texts: dict[str, str], language: str) -> str:
    return texts.get(language) or texts.get("en") or next(iter(texts.values()), "")
