"""What is decided already, and by what: the request, an answer, the architecture, a memory, the repository."""

from __future__ import annotations

import re

from deedlog.core.clarify.acts import UPGRADE
from deedlog.core.clarify.folding import folded
from deedlog.core.clarify.rivals import AND, PARTS, are_rivals
from deedlog.core.clarify.roles import DENIED, KEPT, LEFT, WANTED
from deedlog.core.clarify.values import (
    ANSWER,
    DECISION,
    MEMORY,
    MULTI,
    PROPOSAL,
    REPOSITORY,
    REQUEST,
    Decided,
    Evidence,
)  # fmt: skip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.core.clarify.lexicon import Lexicon, Technology, Topic
    from deedlog.core.clarify.roles import Mention
    from deedlog.core.clarify.signals import Signals
    from deedlog.core.clarify.values import Question


PROPOSED = {
    "en": "Proposed by the agent.",
    "fr": "Proposé par l'agent.",
    "ja": "エージェントの提案です。",
}
REPLACEMENT = "replacement"  # a question whose field is that of the technology it is answered with
RUNTIME, WRITTEN_IN = "Runtime.Version", "Backend.Language"
LANGUAGES = ("Python", "Ruby", "PHP", "Java", "Go", "Rust", "Elixir", "Dart")
SERVICES = (
    *("Keycloak", "Auth0", "Clerk", "Okta", "Cognito", "Firebase Auth", "Supabase Auth", "Microsoft Entra ID"),
    *("WorkOS", "Zitadel", "Authentik", "Ory Kratos", "FusionAuth", "Stytch", "Logto"),
)  # that sign people in by themselves: how is chosen with them
EXCLUSIVE = ("Database.Type", "Database.ORM", "Runtime.Package_Manager", "Frontend.State_Management")


_SENTENCES = re.compile(r"[.!?;](?=\s|$)|[\n。！？]")  # noqa: RUF001  # as Japanese ends them
_STATE = re.compile(
    r"\b(currently|now|today|already|existing|legacy|was|were|had|has|have|is|are|hates?|dislikes?|not|never|n't|no|avoid"
    r"|we use|uses|used|using|instead|actuellement|deja|déjà|utilisons|utilise|utilisait|pas|sans|est|sont|ne)\b"
    r"|n't\b|現在|今は|使って|使用し|ない|既に|すでに",
    re.IGNORECASE,
)


def in_request(s: Signals) -> list[Decided]:
    found: dict[str, Decided] = {}
    torn = conflicts(s)
    wanted = {_field_of(one) for one in s.of_role(WANTED)}
    for one in s.of_role(WANTED, KEPT):
        key = _field_of(one)
        if one.technology.key in torn or (one.role == KEPT and key in wanted) or _says_no_version(one, s):
            continue
        before = found.get(key)
        if before is None:
            area, _, field = key.partition(".")
            found[key] = Decided(area=area, field=field, value=one.value, source=REQUEST)
        elif one.value not in before.value.split(AND) and not _excludes(key, before.value, one, s.lexicon):
            found[key] = before.replace(value=f"{before.value}{AND}{one.value}")
    return list(found.values())


def _says_no_version(one: Mention, s: Signals) -> bool:
    """Whether something that is there shall be newer, and nobody says which version: that decides nothing."""
    there = one.technology.key == RUNTIME or one.technology.name in s.facts.technologies
    return one.act == UPGRADE and not one.version and there


def _excludes(key: str, value: str, one: Mention, lexicon: Lexicon) -> bool:
    from deedlog.core.clarify.decided import technologies_in

    named = technologies_in(value, lexicon) if key in EXCLUSIVE else []
    return any(are_rivals(other, one.technology, key, lexicon) for other in named)


def _field_of(one: Mention) -> str:
    """The field a mention decides: a language without a version is what is written in, not what it runs on."""
    is_language = one.technology.key == RUNTIME and one.technology.name in LANGUAGES
    return WRITTEN_IN if is_language and not one.version and one.act != UPGRADE else one.technology.key


def conflicts(s: Signals) -> dict[str, list[str]]:
    """Fields that can have one value and are given two."""
    found: dict[str, dict[str, Technology]] = {}
    for one in s.of_role(WANTED):
        if one.technology.key in EXCLUSIVE:
            found.setdefault(one.technology.key, {}).setdefault(one.technology.name, one.technology)
    return {
        key: [*several]
        for key, several in found.items()
        if any(are_rivals(one, other, key, s.lexicon) for one in several.values() for other in several.values())
    }


def in_context(s: Signals) -> list[Decided]:
    """What is wished beside the request settles what it leaves open; how things are is no wish, nor are two."""
    from deedlog.core.clarify.signals import signals

    wishes = [part for part in _SENTENCES.split(s.evidence.context) if part.strip() and not _STATE.search(part)]
    if not wishes:
        return []
    told = signals(". ".join(wishes), s.facts, s.lexicon, Evidence())
    found: dict[str, set[str]] = {}
    for one in told.of_role(WANTED, KEPT):
        found.setdefault(one.technology.key, set()).add(one.value)
    return [
        Decided(area=key.partition(".")[0], field=key.partition(".")[2], value=min(values), source=REQUEST)
        for key, values in found.items()
        if len(values) == 1
    ]


def in_answers(s: Signals) -> list[Decided]:
    found = []
    for name, value in s.evidence.answers.items():
        given = s.lexicon.questions.get(name, {})
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        if "sets" in given:
            area, _, field = given["sets"].partition(".")
            found.append(Decided(area=area, field=field, value=text, source=ANSWER, detail=name))
        elif name == REPLACEMENT:
            found += _named_in(text, name, s.lexicon)
    return found


def _named_in(text: str, name: str, lexicon: Lexicon) -> list[Decided]:
    """The technologies that an answer in words names."""
    from deedlog.core.clarify.decided import technologies_in

    return [
        Decided(area=one.area, field=one.field, value=one.name, source=ANSWER, detail=name)
        for one in technologies_in(text, lexicon)
    ]


def in_proposal(s: Signals) -> list[Decided]:
    """What is proposed and somebody said: the request, its context or an answer names it."""
    return [one for one in _proposed(s) if _is_said(s, one.value)]


def unsaid(s: Signals) -> list[Decided]:
    return [one for one in _proposed(s) if not _is_said(s, one.value)]


def _proposed(s: Signals) -> list[Decided]:
    proposal = s.evidence.proposal
    choices = proposal.choices if proposal else {}
    return [
        Decided(area=key.partition(".")[0], field=key.partition(".")[2], value=value, source=PROPOSAL)
        for key, value in choices.items()
        if key.count(".") == 1
    ]


def _is_said(s: Signals, value: str) -> bool:
    """Whether a value is named, and not turned down."""
    named = _names(value, s.lexicon)
    if named & {one.technology.name for one in s.of_role(DENIED, LEFT)}:
        return False
    said = "\n".join([s.reading.text.original, s.evidence.context, *map(str, s.evidence.answers.values())])
    if named:
        return named <= _names(said, s.lexicon)
    return bool(re.search(rf"(?<![a-z0-9]){re.escape(folded(value))}(?![a-z0-9])", folded(said)))


def as_proposed(s: Signals, question: Question) -> Question:
    """The question with what is proposed for its field recommended."""
    value = next((one.value for one in unsaid(s) if one.key == f"{question.area}.{question.field}"), "")
    if not value or question.type == MULTI:
        return question
    why = PROPOSED.get(s.reading.language) or PROPOSED["en"]
    same = [option for option in question.options if option.casefold() == value.casefold()]
    options = question.options if same or not question.options else [value, *question.options]
    return question.replace(recommended=same[0] if same else value, why=why, options=options)


def leaving(s: Signals, decided: list[Decided], *, replaces: bool) -> list[Decided]:
    """The fields of the architecture whose technology goes and nothing takes their place.

    One that goes for a technology of another area may stay where it is used for something else; one that is merely
    not wanted goes only where another takes its place.
    """
    wanted = {one.technology.name for one in s.of_role(WANTED, KEPT)}
    left = {one.technology.name for one in s.of_role(LEFT)} - wanted
    denied = ({one.technology.name for one in s.of_role(DENIED)} if replaces else set()) - wanted
    keys, areas = {one.key.casefold() for one in decided}, {one.area.casefold() for one in decided}
    found = []
    for area, fields in s.facts.architecture.items():
        near = area.casefold() in areas
        gone = (left if near or not decided else set()) | (denied if near else set())
        for field, value in fields.items():
            key = f"{area}.{field}"
            parts = PARTS.split(value)
            rest = [part for part in parts if not _names(part, s.lexicon) & gone and not _moved(key, part, decided, s)]
            if key.casefold() not in keys and len(rest) < len(parts):
                went = ", ".join(part for part in parts if part not in rest)
                found.append(Decided(area=area, field=field, value=", ".join(rest), source=REQUEST, detail=went))
    return found


def _names(text: str, lexicon: Lexicon) -> set[str]:
    from deedlog.core.clarify.decided import technologies_in

    return {one.name for one in technologies_in(text, lexicon)}


def _moved(key: str, value: str, decided: list[Decided], s: Signals) -> bool:
    """Whether a technology is decided under the field it has now, and this is the one it had once."""
    if not any(one.area == key.partition(".")[0] and one.value == value for one in decided):
        return False
    return not any(given.get("sets") == key and value in offered(given) for given in s.lexicon.questions.values())


def offered(given: dict[str, Any]) -> set[str]:
    """Every option that a question can have."""
    lists = [given.get("options", []), *given.get("having", {}).values(), *given.get("by", {}).values()]
    return {option for options in lists for option in options}


def implied(decided: list[Decided]) -> set[str]:
    """The fields that are settled with others."""
    return {"Authentication.Strategy" for one in decided if one.area == "Authentication" and one.value in SERVICES}


def around(s: Signals) -> list[Decided]:
    """What the architecture, the memories and the repository say, in this order."""
    found: dict[str, Decided] = {}
    for area, fields in s.facts.architecture.items():
        for field, value in fields.items():
            key = f"{area}.{field}"
            found[key] = Decided(
                area=area, field=field, value=value, source=DECISION, detail=s.facts.decided_by.get(key, "")
            )
    for decided in (*_memories(s), *_repository(s, s.lexicon)):
        found.setdefault(decided.key, decided)
    return list(found.values())


def _memories(s: Signals) -> list[Decided]:
    from deedlog.core.clarify.decided import technologies_in

    return [
        Decided(area=one.area, field=one.field, value=one.name, source=MEMORY, detail=memory.id)
        for memory in s.facts.memories
        for one in technologies_in(f"{memory.title}. {memory.text}", s.lexicon)
    ]


def _repository(s: Signals, lexicon: Lexicon) -> list[Decided]:
    return [
        Decided(
            area=one.area, field=one.field, value=one.name, source=REPOSITORY, detail=s.facts.technologies[one.name]
        )
        for one in lexicon.technologies
        if one.name in s.facts.technologies
    ]


def is_settled(s: Signals, topic: Topic) -> bool:
    """Whether a topic is decided on record or by what the repository is built with. A memory alone is no record."""
    known = {one.key for one in around(s) if one.source != MEMORY}
    return topic.key in known or bool(known & set(topic.settled))
