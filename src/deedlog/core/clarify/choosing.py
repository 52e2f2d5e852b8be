"""Which questions are due, in whose language, with options that fit the repository."""

from __future__ import annotations

from deedlog.core.clarify.values import MULTI, OTHER, SINGLE, TEXT, Facts, Question
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.core.clarify.lexicon import Lexicon

_TYPES = {"single": SINGLE, "multi": MULTI, "text": TEXT}
_FITS = {
    "en": "The repository has {name} ({file}).",
    "fr": "Le dépôt a {name} ({file}).",
    "ja": "リポジトリに {name} があります ({file})。",
}
_MOST_OPTIONS = 5
_FRAMEWORK = "Framework"


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
    offered: list[str]
    if kind == TEXT:
        offered, seen = [], ""
    else:
        offered, seen = (options, "") if options is not None else _options(given, asking, lexicon)
    recommended, having = ("", "") if options else _recommended(given, asking.facts, offered)
    tells = {one: _in(given["tells"][one], asking.language) for one in offered if one in given.get("tells", {})}
    return Question(
        id=name,
        type=kind,
        question=_in(given["text"], asking.language),
        options=[*offered, OTHER] if offered else [],
        min_selections=1 if kind == MULTI else 0,
        optional=given.get("optional", False),
        recommended=recommended,
        why=_why(given, recommended, having or seen, asking, tells) if recommended else "",
        area=area,
        field=field,
        language=asking.language,
        tells=tells,
    )


def _options(given: dict[str, Any], asking: Asking, lexicon: Lexicon) -> tuple[list[str], str]:
    """What is offered, and the technology of the repository that it was chosen for."""
    having, by = given.get("having", {}), given.get("by", {})
    seen = next((name for name in having if name in asking.facts.technologies), "")
    if seen:
        fitting = having[seen]
    else:
        fitting = next((by[name] for name in asking.ecosystems if name in by), given.get("options", []))
        fitting = _usable(fitting, given.get("only", {}), asking.facts, lexicon)
    refused = {name.lower() for name in asking.rejected}
    return [option for option in fitting if option.lower() not in refused][:_MOST_OPTIONS], seen


def _usable(options: list[str], only: dict[str, list[str]], facts: Facts, lexicon: Lexicon) -> list[str]:
    """The options without those for technologies that are not here; where no framework is, they come last."""
    if not facts.ecosystems:
        return options
    unfit = [option for option in options if option in only and not facts.technologies.keys() & {*only[option]}]
    rest = [option for option in options if option not in unfit]
    framed = any(one.field == _FRAMEWORK and one.name in facts.technologies for one in lexicon.technologies)
    return rest if framed and rest else [*rest, *unfit]


def _recommended(given: dict[str, Any], facts: Facts, offered: list[str]) -> tuple[str, str]:
    """What is recommended, and the technology of the repository that speaks for it."""
    for rule in given.get("take", []):
        if rule["has"] in facts.technologies and rule["option"] in offered:
            return str(rule["option"]), str(rule["has"])
    return (offered[0] if offered else ""), ""


def _why(given: dict[str, Any], recommended: str, having: str, asking: Asking, tells: dict[str, str]) -> str:
    """What speaks for an option: its own reason, and what the repository has. None is made up."""
    reason = tells.get(recommended) or _in(given.get("why", {}), asking.language)
    file = asking.facts.technologies.get(having, "")
    fact = _FITS.get(asking.language, _FITS["en"]).format(name=having, file=file) if having and file else ""
    return " ".join(part for part in (reason, fact) if part)


def _in(texts: dict[str, str], language: str) -> str:
    return texts.get(language) or texts.get("en") or next(iter(texts.values()), "")
