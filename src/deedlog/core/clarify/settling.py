"""What is decided already, and by what: the request, an answer, the architecture, a memory, the repository."""

from __future__ import annotations

import re

from deedlog.core.clarify.roles import KEPT, WANTED
from deedlog.core.clarify.values import (
    ANSWER,
    DECISION,
    MEMORY,
    PROPOSAL,
    REPOSITORY,
    REQUEST,
    Decided,
    Evidence,
)  # fmt: skip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.clarify.lexicon import Lexicon, Topic
    from deedlog.core.clarify.signals import Signals


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
    for one in s.of_role(WANTED, KEPT):
        technology = one.technology
        if technology.key not in found and technology.key not in torn:
            found[technology.key] = Decided(
                area=technology.area, field=technology.field, value=one.value, source=REQUEST
            )
    return list(found.values())


def conflicts(s: Signals) -> dict[str, list[str]]:
    """Fields that can have one value and are given two."""
    found: dict[str, list[str]] = {}
    for one in s.of_role(WANTED):
        names = found.setdefault(one.technology.key, [])
        if one.technology.key in EXCLUSIVE and one.technology.name not in names:
            names.append(one.technology.name)
    return {key: names for key, names in found.items() if len(names) > 1}


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
        if "sets" in given:
            area, _, field = given["sets"].partition(".")
            text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            found.append(Decided(area=area, field=field, value=text, source=ANSWER, detail=name))
    return found


def in_proposal(s: Signals) -> list[Decided]:
    proposal = s.evidence.proposal
    choices = proposal.choices if proposal else {}
    return [
        Decided(area=key.partition(".")[0], field=key.partition(".")[2], value=value, source=PROPOSAL)
        for key, value in choices.items()
        if key.count(".") == 1
    ]


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
