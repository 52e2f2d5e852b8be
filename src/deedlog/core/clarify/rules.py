"""The rules of the gate, in the order of their precedence. Each finds the words that make it speak."""

from __future__ import annotations

import re

from deedlog.core.clarify.acts import (
    CONFIGURE, DOCS, EXPLAIN, FIX, INTRODUCE, MIGRATE, REFACTOR, REMOVE, REPLACE, STRUCTURAL, TESTS, UPGRADE,
)  # fmt: skip
from deedlog.core.clarify.reading import JA
from deedlog.core.clarify.roles import DENIED, KEPT, LEFT, OPTION, WANTED
from deedlog.core.clarify.signals import MANY_FILES, Signals, files_named, is_specific, major_step
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from deedlog.core.clarify.values import Reason

ASKED, STRUCTURE, NONE, FIRST, OTHERWISE = "asked", "structure", "non-trigger", "first", "otherwise"


class Rule(Value):
    """`step` is its place in the precedence; one that `asks` leaves something open by itself."""

    id: str
    step: str
    kind: str
    about: str
    find: Callable[[Signals], tuple[int, int] | None]


def _adr(s: Signals) -> tuple[int, int] | None:
    for sentence in s.sentences_with("adr"):
        start, end = sentence.hits["adr"][0]
        if not any(b <= start and start - b < 12 for _, b in sentence.hits.get("deny", [])):
            if not (sentence.has("problem") and not sentence.has("modal")):
                return start, end
    return None


def _strategy(s: Signals) -> tuple[int, int] | None:
    """Architecture, strategy or approach that is to be decided."""
    for number, sentence in enumerate(s.reading.sentences):
        if not sentence.has("strategy"):
            continue
        kinds = {act.kind for act in s.acts[number]}
        if (
            kinds & {FIX, DOCS, TESTS}
            or (REFACTOR in kinds and not sentence.has("decide"))
            or (sentence.has("problem") and not sentence.has("decide"))
        ):
            continue
        if (
            sentence.has("decide")
            or (sentence.has("modal") and not sentence.has("existing"))
            or (s.reading.language == JA and sentence.has("want"))
        ):
            return sentence.hits["strategy"][0]
    return None


def _choice(s: Signals) -> tuple[int, int] | None:
    """A or B? Which one is not said."""
    return next(((one.start, one.end) for one in s.of_role(OPTION)), None)


def _undecided(s: Signals) -> tuple[int, int] | None:
    """Asks how something of the architecture is to be done, not how it works."""
    for number, sentence in enumerate(s.reading.sentences):
        kinds = {act.kind for act in s.acts[number]}
        if not sentence.has("decide") or not sentence.asks or kinds & {FIX, EXPLAIN, DOCS, TESTS}:
            continue
        near = [hit for hit in s.reading.topics if sentence.start <= hit.start < sentence.end]
        if near or sentence.has("either") or s.topics or s.of_role(WANTED, OPTION):
            return sentence.hits["decide"][0]
    return None


def _new_dependencies(s: Signals) -> tuple[int, int] | None:
    proposal = s.evidence.proposal
    return (-1, -1) if proposal and proposal.new_dependencies else None


def _many_files(s: Signals) -> tuple[int, int] | None:
    proposal = s.evidence.proposal
    if proposal and proposal.estimated_files >= MANY_FILES:
        return -1, -1
    number, start, end = files_named(s.reading.text.text)
    kinds = s.kinds()
    if number >= MANY_FILES and not (set(kinds) & {FIX, DOCS, TESTS, EXPLAIN}):
        return start, end
    for index, sentence in enumerate(s.reading.sentences):
        inside = {act.kind for act in s.acts[index]}
        if (
            sentence.has("scope")
            and inside & {REFACTOR, MIGRATE, REPLACE, UPGRADE}
            and not inside & {FIX, DOCS, TESTS, CONFIGURE}
        ):
            return sentence.hits["scope"][0]
    return None


def _replaces(s: Signals) -> tuple[int, int] | None:
    for left in s.of_role(LEFT):
        others = [one for one in s.of_role(WANTED, KEPT) if one.technology.name != left.technology.name]
        if others and abs(others[0].sentence - left.sentence) <= 2:
            return left.start, left.end
        sentence = s.reading.sentences[left.sentence]
        kinds = {act.kind for act in s.acts[left.sentence]}
        if kinds & {FIX, DOCS, TESTS} or sentence.has("problem") and not kinds:
            continue
        if sentence.has("unnamed") and (kinds & {REPLACE, MIGRATE, REMOVE}):
            return left.start, left.end
    for number, sentence in enumerate(s.reading.sentences):
        for act in s.acts[number]:
            if act.kind == REPLACE and sentence.has("unnamed"):
                return act.start, act.end
    return None


def _refused_for(s: Signals) -> tuple[int, int] | None:
    """Y instead of X: X is denied, Y wanted, and both decide the same field."""
    for wanted in s.of_role(WANTED):
        for denied in s.of_role(DENIED):
            if denied.technology.key == wanted.technology.key and denied.sentence == wanted.sentence:
                return wanted.start, wanted.end
    return None


def _changes(s: Signals) -> tuple[int, int] | None:
    """A decided field gets another value."""
    for one in s.of_role(WANTED):
        current = s.facts.architecture.get(one.technology.area, {}).get(one.technology.field)
        if current and current.lower() not in (one.technology.name.lower(), one.value.lower(), *one.technology.aliases):
            return one.start, one.end
    return None


def _leaves(s: Signals) -> tuple[int, int] | None:
    """A technology is to go, whatever comes instead."""
    text = s.reading.text.text
    for left in s.of_role(LEFT):
        if left.act in (FIX, DOCS, TESTS, REFACTOR, CONFIGURE, EXPLAIN):
            continue
        if s.reading.language == JA:
            if left.act in (REMOVE, MIGRATE, REPLACE, INTRODUCE) and not re.match(r"の", text[left.end : left.end + 1]):
                return left.start, left.end
            continue
        following = re.match(r"\s([a-z]{3,})", text[left.end : left.end + 20])
        ends = s.lexicon.words[s.reading.language].get("prepositions", [])
        if following and following[1] not in ends:
            continue
        if left.act in (REMOVE, MIGRATE, REPLACE) or s.facts.architecture:
            return left.start, left.end
    return None


def _migrates(s: Signals) -> tuple[int, int] | None:
    for number, sentence in enumerate(s.reading.sentences):
        for act in s.acts[number]:
            if act.kind not in (MIGRATE, REPLACE):
                continue
            near = [one for one in s.topics if act.first <= one.start < act.reach]
            named = [one for one in s.mentions if one.sentence == number and one.role in (WANTED, LEFT)]
            if (named and act.word not in ("change", "move")) or (near and not sentence.has("problem")):
                return act.start, act.end
    return None


def _upgrades(s: Signals) -> tuple[int, int] | None:
    """From one major version to another, of something a program is built on."""
    based = ("Version", "Framework", "ORM", "Type", "Language", "Styling", "Build", "IaC")
    for number, sentence in enumerate(s.reading.sentences):
        named = [one for one in s.mentions if one.sentence == number and one.technology.field in based]
        kinds = {act.kind for act in s.acts[number]}
        text = s.reading.text.text[sentence.start : sentence.end]
        if not named or kinds & {FIX, DOCS, TESTS, EXPLAIN} or sentence.has("problem", "past"):
            continue
        versions = [one.version for one in named if one.version]
        if major_step(text) and versions and not re.search(r"\d+\.\d+\.\d+", text):
            return named[0].start, named[0].end
        if (
            versions
            and (kinds & {UPGRADE, MIGRATE} or s.reading.language == JA and sentence.has("upgrade", "migrate"))
            and not re.search(r"\d+\.\d+\.\d+", text)
        ):
            return named[0].start, named[0].end
    return None


def _introduces(s: Signals) -> tuple[int, int] | None:
    for one in s.of_role(WANTED):
        if one.technology.name in s.facts.technologies or one.technology.name in _decided(s):
            continue
        return one.start, one.end
    return None


def _decided(s: Signals) -> set[str]:
    return {value for fields in s.facts.architecture.values() for value in fields.values()}


def _library(s: Signals) -> tuple[int, int] | None:
    for one in s.topics:
        if one.topic.key == "Other.Library":
            return one.start, one.end
    return None


def _another(s: Signals) -> tuple[int, int] | None:
    """One more of something that is there already."""
    for sentence in s.sentences_with("another"):
        if sentence.has("providers") and not sentence.has("decide", "replace", "migrate"):
            return sentence.hits["another"][0]
    return None


def _configures(s: Signals) -> tuple[int, int] | None:
    text = s.reading.text.text
    for number, sentence in enumerate(s.reading.sentences):
        for act in s.acts[number]:
            if act.kind == CONFIGURE:
                return act.start, act.end
    if s.reading.environment and not s.of_role(WANTED, LEFT) and not s.topics:
        return 0, len(text)
    return None


def _led_by(*kinds: str) -> Callable[[Signals], tuple[int, int] | None]:
    def find(s: Signals) -> tuple[int, int] | None:
        return next(((act.start, act.end) for acts in s.acts for act in acts if act.kind in kinds), None)

    return find


def _problem(s: Signals) -> tuple[int, int] | None:
    return next((sentence.hits["problem"][0] for sentence in s.sentences_with("problem")), None)


def _question(s: Signals) -> tuple[int, int] | None:
    for sentence in s.reading.sentences:
        if sentence.asks and not sentence.has("chat") and not sentence.has("modal"):
            return sentence.start, sentence.end
    return None


def _first(s: Signals) -> tuple[int, int] | None:
    from deedlog.core.clarify.settling import is_settled

    for one in s.topics:
        if one.topic.triggers and one.topic.key != "Other.Library" and not is_settled(s, one.topic):
            return one.start, one.end
    return None


def _vague(s: Signals) -> tuple[int, int] | None:
    text = s.reading.text.text
    hits = [sentence.hits["vague"][0] for sentence in s.sentences_with("vague")]
    if not hits or is_specific(text) or s.of_role(WANTED, LEFT):
        return None
    return hits[0]


_NAMED = re.compile(
    r"\s+(?!(?:an?|the|our|some|more|all|this|that|new|une?|le|la|les|des|du|de)\b)([A-Za-z][\w.+-]{2,})(?=\s|$|[.,])"
)
_BRINGS = ("pull in", "bring in", "install", "bringing in", "installer", "installe", "installez")


def _unknown(s: Signals) -> tuple[int, int] | None:
    """Pull in such-and-such: a name that no list knows."""
    for acts in s.acts:
        for act in acts:
            name = _NAMED.match(s.reading.text.text, act.end) if act.word in _BRINGS else None
            if name:
                return name.span(1)
    return None


def _new_project(s: Signals) -> tuple[int, int] | None:
    """Something is to be built where there is nothing yet."""
    if s.facts.ecosystems or s.facts.technologies or s.facts.architecture:
        return None
    for number, sentence in enumerate(s.reading.sentences):
        kinds = {act.kind for act in s.acts[number]}
        if (
            sentence.has("product")
            and (INTRODUCE in kinds or sentence.has("modal", "decide", "want"))
            and not kinds & {FIX, DOCS, TESTS, EXPLAIN}
        ):
            return sentence.hits["product"][0]
    return None


def _category(s: Signals) -> tuple[int, int] | None:
    proposal = s.evidence.proposal
    return (-1, -1) if proposal and set(proposal.categories) & set(s.lexicon.areas) else None


RULES = (
    Rule(id="asked.adr", step=ASKED, kind="docs", about="asks for a decision record", find=_adr),
    Rule(id="asked.choice", step=ASKED, kind="question", about="asks to choose between technologies", find=_choice),
    Rule(
        id="asked.strategy", step=ASKED, kind="question", about="a strategy or approach to be decided", find=_strategy
    ),
    Rule(id="asked.open", step=ASKED, kind="question", about="asks how it should be done", find=_undecided),
    Rule(id="none.another", step=NONE, kind="configure", about="one more of what is there", find=_another),
    Rule(
        id="structure.replace",
        step=STRUCTURE,
        kind="replace",
        about="a technology takes another's place",
        find=_replaces,
    ),
    Rule(
        id="structure.instead", step=STRUCTURE, kind="replace", about="one technology, not another", find=_refused_for
    ),
    Rule(id="structure.change", step=STRUCTURE, kind="replace", about="changes what is decided", find=_changes),
    Rule(id="structure.migrate", step=STRUCTURE, kind="migrate", about="a migration", find=_migrates),
    Rule(id="structure.upgrade", step=STRUCTURE, kind="upgrade", about="another major version", find=_upgrades),
    Rule(id="structure.introduce", step=STRUCTURE, kind="introduce", about="brings in a technology", find=_introduces),
    Rule(id="structure.remove", step=STRUCTURE, kind="remove", about="takes a technology out", find=_leaves),
    Rule(id="structure.library", step=STRUCTURE, kind="introduce", about="a new dependency or service", find=_library),
    Rule(id="structure.unknown", step=STRUCTURE, kind="introduce", about="brings in something by name", find=_unknown),
    Rule(id="structure.files", step=STRUCTURE, kind="refactor", about="touches many files", find=_many_files),
    Rule(
        id="structure.proposed", step=STRUCTURE, kind="introduce", about="proposes dependencies", find=_new_dependencies
    ),
    Rule(id="first.project", step=FIRST, kind="introduce", about="a new project", find=_new_project),
    Rule(id="first.topic", step=FIRST, kind="introduce", about="a first decision in an area", find=_first),
    Rule(id="none.configure", step=NONE, kind="configure", about="configuration only", find=_configures),
    Rule(id="none.docs", step=NONE, kind="docs", about="documentation", find=_led_by(DOCS)),
    Rule(id="none.tests", step=NONE, kind="tests", about="tests", find=_led_by(TESTS)),
    Rule(id="first.proposed", step=FIRST, kind="introduce", about="an area is proposed", find=_category),
    Rule(id="none.vague", step=OTHERWISE, kind="vague", about="what to do is left open", find=_vague),
    Rule(id="none.fix", step=NONE, kind="fix", about="a bug fix", find=_led_by(FIX)),
    Rule(id="none.refactor", step=NONE, kind="refactor", about="a refactoring", find=_led_by(REFACTOR)),
    Rule(id="none.problem", step=NONE, kind="fix", about="reports a fault", find=_problem),
    Rule(id="none.question", step=OTHERWISE, kind="question", about="asks something", find=_question),
)
