"""What the rules of the gate look for. Each answers with the words that make its rule speak, or with None."""

from __future__ import annotations

import re

from deedlog.core.clarify import japanese_finding
from deedlog.core.clarify.acts import (
    CONFIGURE,
    DOCS,
    EXPLAIN,
    FIX,
    INTRODUCE,
    MIGRATE,
    QUIET,
    REFACTOR,
    REMOVE,
    REPLACE,
    TESTS,
    UPGRADE,
)  # fmt: skip
from deedlog.core.clarify.english import GONE
from deedlog.core.clarify.moods import compares, hollow, wishes
from deedlog.core.clarify.reading import EN, JA, NOUN
from deedlog.core.clarify.rivals import PARTS, is_alternative
from deedlog.core.clarify.roles import ALL_BUT, DENIED, KEPT, LEFT, OPTION, WANTED
from deedlog.core.clarify.settling import is_settled
from deedlog.core.clarify.signals import MANY_FILES, Signals, files_named, is_specific, major_step, minor_step
from deedlog.core.clarify.unlisted import unlisted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from deedlog.core.clarify.reading import Sentence
    from deedlog.core.clarify.roles import Mention

    Span = tuple[int, int] | None

ELSEWHERE = (-1, -1)  # not in the text: a fact or a proposal says it
LIBRARY, STACK = "Other.Library", "Other.Stack"
_BUILT_ON = ("Version", "Framework", "ORM", "Type", "Language", "Styling", "Build", "IaC")
_PATCH = re.compile(r"\d+\.\d+\.\d+")
_IDENTIFIER = re.compile(r"\b[a-z]+[A-Z][a-z]\w*")
_TO_MAJOR = re.compile(
    r"\b(?:upgrade|upgrading|update|bump)(?: it| this| everything)? to (?:version )?v?\d+(?:\.\d+)?\b"
)
_HOW_IT_IS = re.compile(
    r"\b(?:(?:do|does|did) (?:we|you|it|they|this|the \w+) (?:currently |actually |even )?(?:us|hav|run|"
    r"stor|keep|deploy|host|work)\w*"
    r"|are we (?:using|on|running)|is (?:being )?used|was used)\b"
)
_DECIDES = re.compile(
    r"\b(?:decide|choose|settle|figure out|work out|decider|trancher|choisir|definir)\s+(?:on\s+)?"
    r"(?:how|where|which|what|whether|comment|ou|quel|quelle|si|an?|une?)\b|か(?:を)?(?:決め|相談|検討)"
)
_NAMED = re.compile(
    r"\s+(?!(?:an?|the|our|some|more|all|this|that|new|une?|le|la|les|des|du|de)\b)([a-z][\w.+-]{2,})(?=\s|$|[.,])"
)
_BRINGS = ("pull in", "bring in", "install", "bringing in", "installer", "installe", "installez")
_SWAPPED = re.compile(
    r"\s+([\w.+-]{3,})\s+(?:for|with)\s+(?!an?\b|the\b|our\b|something\b)[\w.+-]{2,}(?=\s*(?:$|[.,]|in\b))"
)
_PUT_FOR = re.compile(r"\s+[^.;]{1,40}?\s(?:by|with|par)\s+([a-z0-9]{3,})(?=\s*(?:$|[.,]))")
_THE_LIBRARY = re.compile(
    r"\b(?:with|using|use|via) the ([\w-]+) (?:crate|library|package|gem|sdk|plugin)\b"
    r"|\bavec la (?:librairie|bibliotheque|lib|gem) ([\w-]+)"
)
_OUT_IN = re.compile(  # the short ways: "yarn out, bun in", "put Jolt in", "rustls in its place"
    r"\b[\w.+-]{3,} out,? (?:and )?([\w.+-]{3,}) in\b|\bbye(?: bye)?,? [\w.+-]{3,}, hello ([\w.+-]{3,})"
    r"|(?:^|[.,;!] )([\w.+-]{3,}) in its (?:place|stead)\b|(?:^|[.,;!] )(?!now|then|that|what|here|"
    r"how)([\w.+-]{3,}) it is(?=\s*(?:[.,!]|$))"
)
_GOES_FOR = (
    "go for",
    "going for",
    "go with",
    "going with",
    "adopt",
    "opt for",
    "integrate",
    "integrer",
    "adopter",
    "prefer",
)
_NEXT_WORD = re.compile(r"\s([a-z]{3,})")
_BUILDS = re.compile(
    r"build|creat|make|write|develop|start|want|need|i want|we want|i need|we need|i'd like|we'd like|"
    r"scaffold|bootstrap|"
    r"spin up|set up|prototype|have|code|launch|cree|constru|develop|fai|mont|lanc|demarr|voudr|veu|fau|"
    r"avoir|ecri|prototyp"
)
_OPENING = re.compile(
    r"[\W\d]*(?:(?:ok|hi|hello|idea|new|nouveau|nouvelle|je veux|il me faut|on lance|je voudrais|i want|"
    r"i need|idee)\b\W*)*"
    r"(?:(?:an?|une?|new)\s+(?:[\w'-]+\s+){0,3})?"
)
_PLACED = re.compile(
    r"\b(?:the|our|this|that|my|your|their|its|every|each|in|on|to|for|of|from|into|"
    r"le|la|les|notre|nos|ce|cette|mon|ma|mes|dans|sur|du|de la|au|aux|chaque|pour|des)\s+(?:[\w'-]+\s+)?$|\bl'$"
)
_OBJECT = 40
_THE = re.compile(r"\s+(?:le|la|les|l')\b(?![^.;]*\b(?:vers|chez)\b)")  # "passe la file en priorité basse"
_NEAR, _FAR = 2, 12


def adr(s: Signals) -> Span:
    """A decision record is asked for, and not declined."""
    for number, sentence in enumerate(s.reading.sentences):
        for start, end in sentence.hits.get("adr", [])[:1]:
            denied = any(b <= start and start - b < _FAR for _, b in sentence.hits.get("deny", []))
            wished = sentence.has("modal") or s.kinds_in(number) - {FIX} or not sentence.has("problem")
            if not denied and wished:
                return start, end
    return None


def choice(s: Signals) -> Span:
    """A or B? Which one is not said."""
    if EXPLAIN in s.kinds() and not s.sentences_with("decide"):
        return None
    return next((_of(one) for one in s.of_role(OPTION)), None)


def strategy(s: Signals) -> Span:
    """Architecture, strategy or approach that is to be decided."""
    for number, sentence in enumerate(s.reading.sentences):
        if not sentence.has("strategy"):
            continue
        if s.reading.language == JA and japanese_finding.has_settled(s, sentence):
            continue
        decides = sentence.has("decide")
        kinds = s.kinds_in(number)
        if kinds & {FIX, DOCS, TESTS} or (not decides and (REFACTOR in kinds or sentence.has("problem"))):
            continue
        wished = sentence.has("modal") and not sentence.has("existing")
        if decides or wished or s.sentences_with("decide") or (s.reading.language == JA and sentence.has("want")):
            return sentence.hits["strategy"][0]
    return None


def undecided(s: Signals) -> Span:
    """Asks how something of the architecture is to be done, not how it works."""
    if s.reading.language == JA and (open_one := japanese_finding.unsettled(s)):
        return open_one
    for number, sentence in enumerate(s.reading.sentences):
        kinds = s.kinds_in(number)
        if _HOW_IT_IS.search(s.reading.text.text, sentence.start, sentence.end):
            continue
        if sentence.has("openly") and sentence.asks and not kinds & {FIX, DOCS, TESTS}:
            return sentence.hits["openly"][0]
        if sentence.has("free") and not s.kinds() & {FIX, DOCS, TESTS, EXPLAIN}:
            return sentence.hits["free"][0]
        asks = sentence.asks or _DECIDES.search(s.reading.text.text, sentence.start, sentence.end)
        if not sentence.has("decide") or not asks or kinds & {FIX, EXPLAIN, DOCS, TESTS}:
            continue
        near = any(sentence.start <= hit.start < sentence.end for hit in s.reading.topics)
        if near or sentence.has("either") or s.topics or s.of_role(WANTED, OPTION):
            return sentence.hits["decide"][0]
    return None


def another(s: Signals) -> Span:
    """One more of something that is there already."""
    for sentence in s.sentences_with("another"):
        if sentence.has("providers") and not sentence.has("decide", "replace", "migrate"):
            return sentence.hits["another"][0]
    return None


def replaces(s: Signals) -> Span:
    for left in s.of_role(LEFT):
        others = [one for one in s.of_role(WANTED, KEPT) if one.technology.name != left.technology.name]
        if any(abs(one.sentence - left.sentence) <= _NEAR for one in others):
            return _of(left)
        kinds = s.kinds_in(left.sentence)
        unnamed = s.reading.sentences[left.sentence].has("unnamed")
        if unnamed and kinds & {REPLACE, MIGRATE, REMOVE} and not kinds & {FIX, DOCS, TESTS}:
            return _of(left)
    for number, sentence in enumerate(s.reading.sentences):
        for act in s.acts[number]:
            if act.kind == REPLACE and sentence.has("unnamed"):
                return act.start, act.end
    return None


def instead(s: Signals) -> Span:
    """Y and not X, where both decide the same."""
    for wanted in s.of_role(WANTED, KEPT):
        for denied in s.of_role(DENIED):
            near = abs(denied.sentence - wanted.sentence) <= _NEAR
            if near and denied.technology.key == wanted.technology.key:
                return _of(wanted)
    return None


def changes(s: Signals) -> Span:
    """A decided field gets another value: something it holds is an alternative to what is wanted."""
    for one in s.of_role(WANTED):
        current = s.facts.architecture.get(one.technology.area, {}).get(one.technology.field, "")
        names = (one.technology.name.lower(), one.value.lower(), *one.technology.aliases)
        held = [part for part in PARTS.split(current) if part]
        if any(part.lower() in names for part in held):
            continue
        if any(is_alternative(part, one.technology, one.technology.key, s.lexicon) for part in held):
            return _of(one)
    return None


def migrates(s: Signals) -> Span:
    for number, sentence in enumerate(s.reading.sentences):
        named = any(one.sentence == number for one in s.of_role(WANTED, LEFT))
        if minor_step(s.reading.text.text[sentence.start : sentence.end]):
            continue
        for act in s.acts[number]:
            if act.kind in (MIGRATE, REPLACE):
                near = any(act.first <= one.start < act.reach for one in s.topics)
                near = near and not (act.word.startswith("pass") and _THE.match(s.reading.text.text, act.end))
                if (named and act.word not in ("change", "move")) or (near and not sentence.has("problem")):
                    return act.start, act.end
    return None


def upgrades(s: Signals) -> Span:
    """From one major version to another, of something a program is built on."""
    for number, sentence in enumerate(s.reading.sentences):
        text = s.reading.text.text[sentence.start : sentence.end]
        kinds = s.kinds_in(number)
        if kinds & {FIX, DOCS, TESTS, EXPLAIN} or sentence.has("problem", "past") or _PATCH.search(text):
            continue
        based = [one for one in s.mentions if one.sentence == number and one.technology.field in _BUILT_ON]
        versions = [one for one in based if one.version]
        moves = kinds & {UPGRADE, MIGRATE} or (s.reading.language == JA and sentence.has("upgrade", "migrate"))
        if versions and (moves or major_step(text)):
            return _of(versions[0])
        known = [one for one in s.mentions if one.sentence < number and one.technology.field in _BUILT_ON]
        to = _TO_MAJOR.search(s.reading.text.text, sentence.start, sentence.end) if kinds & {UPGRADE} else None
        if to and known and not based:
            return to.span()
    return None


def introduces(s: Signals) -> Span:
    """A technology that neither the repository nor the architecture has."""
    held = (value for fields in s.facts.architecture.values() for value in fields.values())
    there = {*s.facts.technologies, *(part for value in held for part in PARTS.split(value))}
    for one in s.of_role(WANTED):
        sentence = s.reading.sentences[one.sentence]
        small = minor_step(s.reading.text.text[sentence.start : sentence.end])
        if one.technology.name not in there and one.act != UPGRADE and not small:
            return _of(one)
    return None


def leaves(s: Signals) -> Span:
    """A technology is to go, whatever comes instead."""
    text = s.reading.text.text
    ends = s.lexicon.words[s.reading.language].get("prepositions", [])
    for left in s.of_role(LEFT):
        if left.act in QUIET:
            continue
        if s.reading.language == JA:
            if left.act in (REMOVE, MIGRATE, REPLACE, INTRODUCE) and text[left.end : left.end + 1] != "の":
                return _of(left)
            continue
        following = _NEXT_WORD.match(text, left.end)
        if s.reading.language == EN and GONE.match(text, left.end) and not s.sentences_with("problem"):
            return _of(left)
        compound = following and following[1] not in ends
        open_one = not left.act and s.sentences_with("openly", "decide", "alternative")
        if not compound and (open_one or left.act in (REMOVE, MIGRATE, REPLACE) or s.facts.architecture):
            return _of(left)
    return None


def library(s: Signals) -> Span:
    return next(((one.start, one.end) for one in s.topics if one.topic.key == LIBRARY), None)


def alternative(s: Signals) -> Span:
    """Something else is wanted, and not said what."""
    for number, sentence in enumerate(s.reading.sentences):
        wishes = s.kinds_in(number) & {INTRODUCE, REPLACE, MIGRATE} or sentence.has("modal", "want", "decide")
        if sentence.has("alternative") and wishes and not s.kinds_in(number) & set(QUIET):
            return sentence.hits["alternative"][0]
    return None


def unknown(s: Signals) -> Span:
    """Pull in such-and-such: a name that no list knows."""
    if s.reading.language == JA:
        return japanese_finding.unlisted(s)
    text = s.reading.text
    for acts in s.acts:
        for act in acts:
            name = _NAMED.match(text.text, act.end) if act.word in _BRINGS else None
            if act.word.startswith("swap") and not name:
                name = _SWAPPED.match(text.text, act.end)
            if not name and (act.word in _GOES_FOR or act.kind == REPLACE):
                name = (_PUT_FOR if act.kind == REPLACE else _NAMED).match(text.text, act.end)
                name = name if name and text.original[text.at[name.start(1)]].isupper() else None
            if not name and act.kind in (INTRODUCE, REPLACE, MIGRATE):
                name = _THE_LIBRARY.search(text.text, act.end, act.reach)
            if name:
                return name.span()
    swapped = _OUT_IN.search(text.text)
    return swapped.span() if swapped else unlisted(s)


def many_files(s: Signals) -> Span:
    proposal = s.evidence.proposal
    if proposal and proposal.estimated_files >= MANY_FILES:
        return ELSEWHERE
    number, start, end = files_named(s.reading.text.text)
    spread = s.reading.language == JA and REFACTOR in s.kinds() and not s.sentences_with("problem")
    if number >= MANY_FILES and (spread or not s.kinds() & {FIX, DOCS, TESTS, EXPLAIN}):
        return start, end
    for index, sentence in enumerate(s.reading.sentences):
        kinds = s.kinds_in(index)
        kinds = s.kinds() if s.reading.language == JA and not kinds else kinds
        moves = kinds & {REFACTOR, MIGRATE, REPLACE, UPGRADE} and not kinds & {FIX, DOCS, TESTS, CONFIGURE}
        if sentence.has("scope") and moves:
            return sentence.hits["scope"][0]
    return None


def new_dependencies(s: Signals) -> Span:
    proposal = s.evidence.proposal
    return ELSEWHERE if proposal and proposal.new_dependencies else None


def new_project(s: Signals) -> Span:
    """Something is to be built where there is nothing yet."""
    if s.facts.ecosystems or s.facts.technologies or s.facts.architecture:
        return None
    if s.reading.language == JA:
        return japanese_finding.built(s)
    for hit in s.reading.topics:
        if s.lexicon.topics[int(hit.tag[len(NOUN) :])].key == STACK:
            return hit.start, hit.end
    if s.sentences_with("problem", "vague"):
        return None
    for number, sentence in enumerate(s.reading.sentences):
        if sentence.has("product") and not s.kinds_in(number) & set(QUIET):
            found = next((span for span in sentence.hits["product"] if _is_new(s, number, span[0])), None)
            if found:
                return found
    return None


def _is_new(s: Signals, sentence: int, at: int) -> bool:
    """An app is something new, the app is there already: "build a small app", "new project: an app"."""
    if s.reading.language == JA:
        return True
    text, start = s.reading.text.text, s.reading.sentences[sentence].start
    made = any(_BUILDS.match(act.word) and at - act.end < _OBJECT for act in s.acts[sentence] if act.end <= at)
    opens = not text[start:at].strip(" ,.") or bool(_OPENING.fullmatch(text, start, at))
    return (made or opens) and not _PLACED.search(text, start, at)


def all_but(s: Signals) -> Span:
    """A choice that is left open but for one: "anything but Kafka"."""
    text = s.reading.text.text
    found = (one for one in s.of_role(DENIED) if ALL_BUT.search(text, 0, one.start))
    return next(((one.start, one.end) for one in found), None) if not s.of_role(WANTED) else None


def first(s: Signals) -> Span:
    """A part of the architecture that nothing has been decided about yet."""
    for one in s.topics:
        if one.topic.triggers and one.topic.key not in (LIBRARY, STACK) and not is_settled(s, one.topic):
            return one.start, one.end
    return None


def absent(s: Signals) -> Span:
    """Something is wished for that there is nothing for yet, whatever it is."""
    wished = INTRODUCE in s.kinds() or any(one.has("modal") or wishes(s.reading, one) for one in s.reading.sentences)
    if not wished or s.kinds() & {FIX, DOCS, TESTS, EXPLAIN, REMOVE}:
        return None
    return next((sentence.hits["absent"][0] for sentence in s.sentences_with("absent")), None)


def category(s: Signals) -> Span:
    proposal = s.evidence.proposal
    return ELSEWHERE if proposal and set(proposal.categories) & set(s.lexicon.areas) else None


def configures(s: Signals) -> Span:
    led = led_by(CONFIGURE)(s)
    if led and s.reading.language == JA and not japanese_finding.sets_value(s, led[0]):
        return None
    if led is None and s.reading.environment and not s.of_role(WANTED, LEFT) and not s.topics:
        return 0, len(s.reading.text.text)
    return led


def led_by(*kinds: str) -> Callable[[Signals], Span]:
    """A verb of one of these classes leads a clause."""

    def find(s: Signals) -> Span:
        return next(((act.start, act.end) for acts in s.acts for act in acts if act.kind in kinds), None)

    return find


def vague(s: Signals) -> Span:
    """To be made better, and nothing that says what."""
    if s.reading.language == JA:
        return None if s.of_role(WANTED, LEFT) else japanese_finding.vaguely(s)
    if s.of_role(WANTED, LEFT):
        return None
    blamed = any(one.has("problem") and not hollow(s.reading, one) for one in s.reading.sentences)
    for number, sentence in enumerate(s.reading.sentences):
        if sentence.has("past") and not s.acts[number]:
            continue
        hits = sentence.hits.get("vague", [])
        clear = is_specific(s.reading.text.text[sentence.start : sentence.end]) or _IDENTIFIER.search(
            s.reading.text.original
        )
        found = hits[0] if hits and not clear else None
        found = found or (
            None
            if blamed or (clear and s.reading.language == EN)
            else _hollow(s, sentence) or compares(s.reading, sentence)
        )
        if found:
            return found
    return None


def _hollow(s: Signals, sentence: Sentence) -> Span:
    """In English "fix it" may follow what "it" is: the whole request has to be hollow."""
    if s.reading.language == EN and not all(hollow(s.reading, one) for one in s.reading.sentences):
        return None
    return hollow(s.reading, sentence)


def problem(s: Signals) -> Span:
    return next((sentence.hits["problem"][0] for sentence in s.sentences_with("problem")), None)


def question(s: Signals) -> Span:
    asking = (one for one in s.reading.sentences if one.asks and not one.has("chat", "modal"))
    return next(((one.start, one.end) for one in asking), None)


def _of(mention: Mention) -> tuple[int, int]:
    return mention.start, mention.end
