"""How a logged decision becomes an ADR."""

from __future__ import annotations

import re

from deedlog.core.clarify.decided import technologies_in
from deedlog.core.clarify.folding import folded
from deedlog.core.clarify.matching import Phrases
from deedlog.core.clarify.rivals import beside
from deedlog.core.clarify.values import REQUEST, Decided
from deedlog.core.drift import chosen_in
from deedlog.core.records.wanted import Wanted
from deedlog.core.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from deedlog.core.clarification import WrittenAdr
    from deedlog.core.clarify.lexicon import Lexicon
    from deedlog.core.records.values import Adr, Book
    from deedlog.core.remark import Decision
    from deedlog.core.task import Task

ELSE = "Other"
LOGGED = re.compile(r"(?:\A|\n)Logged as (dec-[0-9a-z]+)(?: on task-\d+, [^\n]*)?\.\s*\Z")
LIBRARY = "library_choice"
ASKING = re.compile(
    r"^(?:which|what|quel(?:le)?s?)\s+(?=\S)|\s+(?:to use|should we use|do we use|utiliser)$", re.IGNORECASE
)
GENERAL = re.compile(
    r"\b(?:librar(?:y|ies)|packages?|librairies?|biblioth[eè]ques?|paquets?)\b|ライブラリ", re.IGNORECASE
)
LONGEST_TITLE, LONGEST_FIELD, LONGEST_VALUE = 80, 40, 300


def wanted(decision: Decision, task: Task | None, title: str, lexicon: Lexicon, book: Book) -> Wanted:
    """The ADR of a decision: question, options, choice, reasoning and trade-offs become its sections.

    The context names the decision, so that the file itself tells, in any clone, what it was made from.
    """
    decided = decided_by(decision, lexicon)
    chosen = decision.chosen.strip().casefold()
    return Wanted(
        title=title or _title(decided),
        intention=decision.question,
        context=f"Logged as {decision.id}{_on(task)}.",
        adr=True,
        task=False,
        decided=beside(decided, book.architecture.plain(), lexicon),
        decision=decision.chosen,
        rationale=decision.reasoning,
        alternatives=[option for option in decision.options_considered if option.strip().casefold() != chosen],
        consequences=[line for line in map(str.strip, decision.trade_offs.splitlines()) if line],
    )


def _on(task: Task | None) -> str:
    return f" on {task.ref}, {one_line(task.name)}" if task else ""


def decided_by(decision: Decision, lexicon: Lexicon) -> list[Decided]:
    """The fields that the choice decides; one that names no known technology is told by what it was chosen from."""
    found: dict[str, Decided] = {}
    for technology in chosen_in(decision.chosen, lexicon):
        before = found.get(technology.key)
        value = f"{before.value} + {technology.name}" if before else technology.name
        found[technology.key] = Decided(area=technology.area, field=technology.field, value=value, source=REQUEST)
    if found:
        return [*found.values()]
    area, field = _field_of(decision, lexicon)
    return [Decided(area=area, field=field, value=one_line(decision.chosen, LONGEST_VALUE), source=REQUEST)]


def _field_of(decision: Decision, lexicon: Lexicon) -> tuple[str, str]:
    """The area and the field of a choice that is no known technology.

    Only a library takes a field that has a name already: "how is the cache cleared" must not replace the cache.
    """
    area, field, text = _topic_of(decision.question, lexicon)
    if decision.category == LIBRARY:
        for technology in technologies_in("; ".join(decision.options_considered), lexicon):
            return technology.area, technology.field
        if area != ELSE:
            return area, field if "librar" in text or not GENERAL.search(decision.question) else "Library"
    return area, one_line(ASKING.sub("", decision.question.strip().rstrip("?\uff1f ")), LONGEST_FIELD)


def _topic_of(question: str, lexicon: Lexicon) -> tuple[str, str, str]:
    """The part of the architecture that a question is about, and the words that say so."""
    topics = [topic for topic in lexicon.topics if topic.area != ELSE]
    words = ((word, str(at)) for at, topic in enumerate(topics) for said in topic.words.values() for word in said)
    text = folded(question)
    hits = Phrases(words).find(text)
    if not hits:
        return ELSE, "", ""
    longest = max(hits, key=lambda hit: (hit.end - hit.start, -hit.start))
    topic = topics[int(longest.tag)]
    return topic.area, topic.field, text[longest.start : longest.end]


def _title(decided: Sequence[Decided]) -> str:
    first = decided[0]
    name = first.field if first.area == ELSE else f"{first.area} {first.field}"
    return one_line(f"{name}: {', '.join(one.value for one in decided)}", LONGEST_TITLE)


def promoted_from(adr: Adr, written: WrittenAdr | None) -> str:
    """The id of the logged decision that an ADR was made from; empty where it was not.

    The ledger knows, which has it `written`; of an ADR that was written elsewhere its own last words tell.
    """
    if written:
        return written.decision_id
    found = LOGGED.search(adr.context)
    return found[1] if found else ""
