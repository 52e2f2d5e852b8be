"""What an ADR and a task say about a request: why, instead of what, what follows, when it is done."""

from __future__ import annotations

import re

from deedlog.core.clarify.answers import is_settled
from deedlog.core.clarify.folding import folded
from deedlog.core.clarify.phrases import sentence, spelt
from deedlog.core.clarify.rivals import given_up
from deedlog.core.clarify.values import ANSWER, MEMORY, OTHER, PROPOSAL
from deedlog.core.value import Value
from deedlog.core.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from deedlog.core.clarification import Clarification
    from deedlog.core.clarify.lexicon import Lexicon, Technology
    from deedlog.core.clarify.values import Decided, Facts, Question

LONGEST_WORDS, LONGEST_TITLE = 200, 80
MOST_OTHERS = 6
_REASONS = {
    "en": re.compile(
        r"\b(?:because|since (?!v?\d)|so that|so (?:we|it|they|users|people|customers|nobody)\b"
        r"|in order (?:to|not to)\b|to avoid\b)[^.!?\n]*",
        re.IGNORECASE,
    ),
    "fr": re.compile(
        r"\b(?:parce qu|car\b|afin (?:de|d'|que)|pour (?:que\b|qu'|ne pas|éviter|\w+(?:er|ir|re)\b)|puisqu)[^.!?\n]*",
        re.IGNORECASE,
    ),
    "ja": re.compile(r"[^。、\n]{1,120}?(?:ため(?!の)|ので|から、)"),
}
_ENDS = re.compile(r"(?<=[.!?;])\s+|[\n。！？]")  # noqa: RUF001  # as Japanese ends them


class Said(Value):
    """What was said in a clarification, and the names by which technologies are known in it."""

    session: Clarification
    questions: list[Question]
    lexicon: Lexicon
    language: str

    def names(self, value: str, text: str) -> bool:
        from deedlog.core.clarify.decided import technologies_in

        named = {one.name for one in technologies_in(value, self.lexicon)}
        return folded(value) in folded(text) or bool(named & {one.name for one in technologies_in(text, self.lexicon)})

    def words(self, value: str) -> str:
        """The sentence of the request that names it; the first one where none does."""
        parts = [part.strip(" .!?;") for part in _ENDS.split(self.session.intention) if part.strip(" .!?;")]
        found = next((part for part in parts if self.names(value, part)), "")
        return one_line(found or " ".join(parts[:1]) or self.session.intention, LONGEST_WORDS)


def rationale(said: Said, decided: Sequence[Decided], removed: Sequence[Decided]) -> str:
    """A line for each choice: who made it, in whose words, and what spoke for it."""
    gone = (sentence(said.language, "gone", name=one.detail, words=said.words(one.detail)) for one in removed)
    clause = reason_in(said.session.intention, said.language)
    first = [sentence(said.language, "reason", words=clause)] if clause else []
    return "\n\n".join([*first, *(_because(one, said) for one in decided), *gone])


def reason_in(text: str, language: str) -> str:
    """The words of a request that give its reason."""
    found = _REASONS[language].search(text) if language in _REASONS else None
    return one_line(found[0].strip(" ,.、"), LONGEST_WORDS) if found else ""


def title(decided: Sequence[Decided], removed: Sequence[Decided], language: str) -> str:
    """What an ADR is called: what it decides."""
    by_area: dict[str, list[str]] = {}
    for one in decided:
        by_area.setdefault(one.area, []).append(one.value)
    joined = sentence(language, "with")
    parts = [f"{area}: {joined.join(values)}" for area, values in by_area.items()]
    parts += [sentence(language, "title_gone", area=one.area, name=one.detail) for one in removed]
    return one_line("; ".join(parts), LONGEST_TITLE)


def _because(one: Decided, said: Said) -> str:
    language = said.language
    if one.source == ANSWER:
        return _answered(one, next((q for q in said.questions if q.id == one.detail), None), language)
    if one.source == MEMORY:
        return sentence(language, "remembered", value=one.value, detail=one.detail)
    if one.source == PROPOSAL:
        return sentence(language, "proposed", value=one.value)
    if not said.names(one.value, said.session.intention) and said.names(one.value, said.session.context):
        return sentence(language, "context", value=one.value)
    return sentence(language, "said", value=one.value, words=said.words(one.value))


def _answered(one: Decided, question: Question | None, language: str) -> str:
    if question is None:
        return sentence(language, "chosen", value=one.value, question=one.key)
    told = {"value": one.value, "question": one_line(question.question, LONGEST_WORDS)}
    if question.recommended and question.recommended == one.value and question.why:
        return sentence(language, "recommended", why=question.why, **told)
    if question.recommended and question.recommended != one.value:
        return sentence(language, "over", recommended=question.recommended, **told)
    return sentence(language, "chosen", **told)


def alternatives(said: Said, rejected: Sequence[str]) -> list[str]:
    """The options that were offered and not chosen, each with what spoke for it where that is known."""
    found = []
    for question in said.questions:
        for option in not_chosen(said.session, question):
            why = question.tells.get(option) or (question.why if option == question.recommended else "")
            which = "offered_best" if option == question.recommended and why else "offered_why" if why else "offered"
            found.append(sentence(said.language, which, option=option, field=_spelt(question), why=why))
    return [*found, *(sentence(said.language, "rejected", name=name) for name in rejected)]


def consequences(
    said: Said, decided: Sequence[Decided], removed: Sequence[Decided], facts: Facts, paths: Sequence[str]
) -> list[str]:
    """What has to come, what has to go, where, and what is no longer free to choose."""
    language = said.language
    found = packages(decided, facts, said.lexicon, language)
    proposed = said.session.proposal.get("new_dependencies", [])
    found += [sentence(language, "dependency", package=str(name)) for name in proposed]
    for one in decided:
        was = next((v for a, fs in facts.architecture.items() for f, v in fs.items() if f"{a}.{f}" == one.key), "")
        if was := given_up(was, one.whole or one.value):
            found.append(sentence(language, "replaces", was=was, value=one.value, area=one.area))
    for one in removed:
        name = "less" if one.value else "removes"
        told = {"was": one.detail, "value": one.value, "area": one.area, "field": spelt(one.field)}
        found.append(sentence(language, name, **told))
    for question in said.questions:
        if (others := not_chosen(said.session, question)) and question.field:
            told = {"others": ", ".join(others[:MOST_OTHERS]), "field": _spelt(question)}
            found.append(sentence(language, "rules_out", **told))
    return found + ([sentence(language, "where", paths=", ".join(paths))] if paths else [])


def not_chosen(session: Clarification, question: Question) -> list[str]:
    answer = session.answers.get(question.id)
    if answer is None or not question.options or not is_settled(answer):
        return []
    chosen = answer if isinstance(answer, list) else [answer]
    return [option for option in question.options if option not in (*chosen, OTHER)]


def _spelt(question: Question) -> str:
    return " ".join(part for part in (question.area, spelt(question.field)) if part) or question.id


def packages(decided: Sequence[Decided], facts: Facts, lexicon: Lexicon, language: str) -> list[str]:
    """The packages that have to come into a manifest, and what is there already."""
    from deedlog.core.clarify.decided import technologies_in

    found = []
    for one in decided:
        for technology in technologies_in(one.value, lexicon):
            there = next((facts.packages[name] for name in technology.packages if name in facts.packages), "")
            there = there or facts.technologies.get(technology.name, "")
            if there:
                found.append(sentence(language, "there", value=technology.name, file=there))
            elif (name := _package(technology)) and (manifest := _manifest(technology, facts)):
                found.append(sentence(language, "package", package=name, file=manifest, value=technology.name))
    return list(dict.fromkeys(found))


def _package(technology: Technology) -> str:
    """The package that is called like it; of others nobody knows which one is meant."""
    plain: Callable[[str], str] = lambda text: re.sub(r"[^a-z0-9]", "", text.lower())  # noqa: E731
    same = [name for name in technology.packages if plain(name) == plain(technology.name)]
    return same[0] if same else technology.packages[0] if len(technology.packages) == 1 else ""


def _manifest(technology: Technology, facts: Facts) -> str:
    """The manifest of the ecosystem it is at home in, where the repository has one."""
    manifests = {
        **dict.fromkeys(("javascript", "typescript"), ("package.json",)),
        "python": ("pyproject.toml", "requirements.txt", "Pipfile", "setup.py"),
        "go": ("go.mod",),
        "rust": ("Cargo.toml",),
        "ruby": ("Gemfile",),
        "php": ("composer.json",),
        "dart": ("pubspec.yaml",),
        "elixir": ("mix.exs",),
        "java": ("pom.xml", "build.gradle", "build.gradle.kts"),
    }
    homes = [name for name in facts.ecosystems if name in technology.ecosystems]
    seen = {path.rpartition("/")[2]: path for path in reversed([*facts.packages.values()])}
    return next((seen[name] for home in homes for name in manifests.get(home, ()) if name in seen), "")


def constraints(
    decided: Sequence[Decided], removed: Sequence[Decided], rejected: Sequence[str], lang: str
) -> list[str]:
    """What to use, a line for each area, and what not to use."""
    by_area: dict[str, list[str]] = {}
    for one in decided:
        by_area.setdefault(one.area, []).append(f"{one.value} ({spelt(one.field)})")
    joined = sentence(lang, "with")
    gone = [one.detail for one in removed]
    return [
        *(sentence(lang, "use", area=area, choices=joined.join(choices)) for area, choices in by_area.items()),
        *(sentence(lang, "leave", area=one.area, name=one.detail, field=spelt(one.field)) for one in removed),
        *(sentence(lang, "avoid", name=name) for name in rejected if name not in gone),
    ]


def criteria(kind: str, title: str, decided: Sequence[Decided], removed: Sequence[Decided], lang: str) -> list[str]:
    used = [
        sentence(lang, "in_use", value=one.value, area=one.area, field=spelt(one.field)) for one in decided if one.value
    ]
    gone = [sentence(lang, "not_in_use", name=one.detail) for one in removed]
    done = {"fix": ["fix", "fix_test"], "refactor": ["refactor"], "docs": ["docs"], "tests": ["tests"]}
    names = done.get(kind, [] if gone and not used else ["done"])
    short = one_line(title, LONGEST_TITLE)
    last = [] if kind == "docs" else [sentence(lang, "pass")]
    return [*used, *gone, *(sentence(lang, name, title=short) for name in names), *last]
