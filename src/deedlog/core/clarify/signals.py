"""Everything in a request and around it that a rule of the gate can be about, found once."""

from __future__ import annotations

import re

from deedlog.core.clarify import roles
from deedlog.core.clarify.acts import Act, acts_of
from deedlog.core.clarify.decided import by_their_names
from deedlog.core.clarify.reading import Reading, Sentence, read
from deedlog.core.clarify.topics import Wanted, topics_wanted
from deedlog.core.clarify.values import Evidence, Facts, Reason
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.clarify.lexicon import Lexicon
    from deedlog.core.clarify.roles import Mention

MANY_FILES = 10
_FILES = re.compile(
    r"\b(\d[\d,.]*)\s*\+?\s*(?:files|modules|services|packages|classes|components|endpoints|routes|controllers|handlers|"
    r"screens|repos|repositories|call sites|usages|fichiers|composants|controleurs|ecrans)\b"
    r"|(\d+)\s*(?:ファイル|箇所|モジュール|画面|クラス)"
)
_STEP = re.compile(r"v?(\d+)(?:\.\d+)*\s*(?:→|->|=>|to|a|vers|から|へ)\s*(?:[a-z. ]{0,16}?)v?(\d+)(?:\.\d+)*")
_SPECIFIC = re.compile(
    r"(?<!\d)\d{1,3}(?!\d)|[`#]|[\"«「][^\"»」]{14,}[\"»」]|\b\w+[_/]\w+|\w\.\w|\bby \w+ing\b|\ben \w+ant\b"
)


class Signals(Value):
    lexicon: Lexicon
    facts: Facts
    evidence: Evidence
    reading: Reading
    acts: list[list[Act]]  # by sentence
    mentions: list[Mention]
    topics: list[Wanted]

    def reason(self, rule: str, about: str, start: int, end: int) -> Reason:
        """With the words of the original text; a negative start means it is not said there."""
        if start < 0:
            return Reason(rule=rule, about=about)
        a, b = self.reading.text.span(start, min(end, len(self.reading.text.text)))
        return Reason(rule=rule, about=about, text=self.reading.text.original[a:b].strip(), start=a, end=b)

    def kinds(self) -> set[str]:
        return {act.kind for acts in self.acts for act in acts}

    def kinds_in(self, sentence: int) -> set[str]:
        return {act.kind for act in self.acts[sentence]}

    def of_role(self, *wanted: str) -> list[Mention]:
        return [mention for mention in self.mentions if mention.role in wanted]

    def sentences_with(self, *classes: str) -> list[Sentence]:
        return [sentence for sentence in self.reading.sentences if sentence.has(*classes)]


def signals(text: str, facts: Facts, lexicon: Lexicon, evidence: Evidence) -> Signals:
    facts = facts.replace(technologies=by_their_names(facts.technologies, lexicon))
    reading = read(text, lexicon)
    acts = [acts_of(reading, sentence) for sentence in reading.sentences]
    return Signals(
        lexicon=lexicon,
        facts=facts,
        evidence=evidence,
        reading=reading,
        acts=acts,
        mentions=roles.mentions_of(reading, acts, lexicon, facts),
        topics=topics_wanted(reading, acts, lexicon),
    )


def files_named(text: str) -> tuple[int, int, int]:
    """The largest number of files a text speaks of, and where."""
    best = (0, -1, -1)
    for match in _FILES.finditer(text):
        number = int(re.sub(r"\D", "", match[1] or match[2]) or 0)
        if number > best[0]:
            best = (number, *match.span())
    return best


def is_specific(text: str) -> bool:
    return bool(_SPECIFIC.search(text))


def minor_step(text: str) -> bool:
    """Whether a text goes from one version to another of the same major one."""
    return any("." in match[0] and int(match[1]) == int(match[2]) for match in _STEP.finditer(text))


def major_step(text: str) -> bool:
    """Whether a text goes from one major version to another."""
    return any(int(match[1]) != int(match[2]) for match in _STEP.finditer(text))
