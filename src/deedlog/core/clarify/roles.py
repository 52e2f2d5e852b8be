"""What a request wants of each technology it names: have it, leave it, not have it, or nothing at all.

Direction and polarity are read clause by clause. In English and French the word that turns a technology down or away
stands before it ("instead of X", "au lieu de X"), in Japanese behind it (Xではなく).
"""

from __future__ import annotations

import re

from deedlog.core.clarify import english, japanese
from deedlog.core.clarify.acts import (
    CONFIGURE,
    FIX,
    INTRODUCE,
    MIGRATE,
    QUIET,
    REFACTOR,
    STRUCTURAL,
    TESTS,
    UPGRADE,
    Act,
    governing,
)
from deedlog.core.clarify.moods import heads, tells
from deedlog.core.clarify.naming import ARROW, VERSION, Place, means_technology
from deedlog.core.clarify.purpose import for_purpose
from deedlog.core.clarify.reading import EN, JA, NAME, Reading, Sentence
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.clarify.lexicon import Lexicon, Technology
    from deedlog.core.clarify.matching import Hit
    from deedlog.core.clarify.values import Facts

WANTED, LEFT, DENIED, KEPT, OPTION, MERE = "wanted", "left", "denied", "kept", "option", "mere"
ALL_BUT = re.compile(  # whatever it is, this it is not
    r"\b(?:anything|everything|any(?: [\w-]+){1,3}|whatever|tout|n'importe (?:quoi|quel\w*(?: [\w-]+){0,3}))"
    r" (?:but|except|except for|other than|save|sauf|hormis|a part|excepte)\s+$"
)
_MEANS = re.compile(r"\b(?:with|by|via|using|through|moving|switching|to|onto|avec|grace a|sur|par|vers|en)\b[^.]*$")
_DIRECT_MEANS = re.compile(
    r"\b(?:with|by|via|using|through|on|avec|grace a|par|sur|sous|en|dans|chez|vers|into|onto)"
    r"\s+(?:an?\s+|une?\s+|du\s+)?(?:(?:bucket|cluster|compte|serveur|instance|service|base|stockage|bus|topic|vm|vps|runner)\s+)?$"
)
_DEFINITE = re.compile(
    r"(?:(?<!-)\b(?:the|our|this|that|these|existing|current|its|their|my|your|le|la|les|notre|nos|ce(?! sera)|cette"
    r"|mon|ma|au|aux)\s+|\bl')(?:\w+\s+)?$"
)
_STEP = re.compile(r"\s*v?\d+(?:\.\d+)*\s*(?:→|->|=>|to|a|vers|から)\s*v?(\d+(?:\.\d+)*)(?![a-z0-9_%])")
_TO_VERSION = re.compile(
    r"\s*(?:(?:from |de )?v?\d+(?:\.\d+)*)?\s*(?:→|->|=>|up to|to|a|vers|en|から)\s*(?:version\s+|"
    r"la version\s+)?v?(\d+(?:\.\d+)*)(?![a-z0-9_%])"
)
_ARROW_WITH_NOUNS = re.compile(r"(?:\s+[\w-]+)?" + ARROW.pattern + r"(?:[\w-]+\s+)?")
_ALONE = re.compile(
    r"[\s,]*(?:instead|please|pls|plz|stp|svp|everywhere|partout|a la place|then|from now on|desormais)"
)
_OR = re.compile(
    r"\s*(?:,\s*)?(?:or|ou|ou bien|vs\.?|versus|/|か|または|もしくは|と|、)\s*(?:(?:an?|une?|the|le|la)\s+)?"
)
_FROM_JAPANESE = re.compile(r"[\d\s.v]*(?:db|の(?:\S{0,6}))?から")
_STATE_JAPANESE = re.compile(r"で(?:\S{0,8})(?:てる|ている|ています|てます|ていた|てある|てあり|であ[るり])")
_STEP_JAPANESE = re.compile(r"を?\s?(?:バージョン)?\s?v?\d+(?:\.\d+)*\s?(?:から|→)\s?v?(\d+(?:\.\d+)*)")
_PART_JAPANESE = re.compile(r"(?:\s[a-z]+)?の(?!やつ|導入|追加|採用|利用|使用|構築|組み込)|\(")
_OF = ("de", "d'", "du")
_PREPOSITIONS = ("from", "de", "d'", "du", "depuis", "off", "take")
_REMOVALS = (
    "drop", "remov", "get", "ditch", "retire", "delete", "kick", "throw", "rip", "phase", "uninstall", "stop",
    "vir", "retir", "supprim", "enlev", "abandon", "quitt", "arret", "degag", "jet", "desinstall",
)  # fmt: skip
_TO_FROM_REMOVAL = (
    "in favour of",
    "in favor of",
    "au profit de",
    "en faveur de",
    "use",
    "using",
    "adopt",
    "pour",
    "to",
)
_ADDING = ("ajout", "rajout", "cree", "creer", "ecri")
_INTO = re.compile(r"\W(?:(?:dans|a)\s+$|(?:au|aux|a la|a l')\b[^,;]{0,40}$)")
_PIECE = re.compile(
    r"\b(?:une?|des|la|le)\s+(?:nouve\w+ )?(?:migration|story|composant|hook|topic|table|index|collection|resolver|"
    r"mutation|requete|modele|vue|widget|ressource|regle|etape|variable|tag)s?\s+$"
)  # a thing that is written with it: "une migration Knex"
_WITH = re.compile(r"\b(?:et|avec|via|par)\b")
_SOON, _FAR = 12, 30


class Mention(Value):
    """`act` is the class of the verb that governs it."""

    technology: Technology
    start: int
    end: int
    sentence: int
    role: str = ""
    version: str = ""
    act: str = ""
    word: str = ""

    @property
    def value(self) -> str:
        versioned = self.technology.versioned and self.version
        return f"{self.technology.name} {self.version}" if versioned else self.technology.name


def mentions_of(reading: Reading, acts: list[list[Act]], lexicon: Lexicon, facts: Facts) -> list[Mention]:
    """Every technology that is really named, with its role."""
    found: list[Mention] = []
    for number, sentence in enumerate(reading.sentences):
        named = [
            hit
            for hit in reading.names
            if sentence.start <= hit.start < sentence.end and not reading.within(hit.start, reading.code)
        ]
        inside = []
        for hit in named:
            technology = lexicon.technologies[int(hit.tag[len(NAME) :])]
            place = Place(
                reading=reading,
                sentence=sentence,
                start=hit.start,
                end=hit.end,
                company=len({one.tag for one in named}) > 1,
            )
            if means_technology(technology, place, facts):
                act = governing(acts[number], hit.start) or _itself(reading, technology, acts[number], hit)
                mention = _mention(reading, technology, hit.start, hit.end, number, act)
                inside.append(mention.replace(technology=_taken_for(reading, mention, lexicon)))
        found += _with_roles(reading, sentence, acts[number], inside)
    return _ours_for(found)


def _itself(reading: Reading, technology: Technology, acts: list[Act], hit: Hit) -> Act | None:
    """The verb that a technology's name is: "dockerise"."""
    if reading.text.text[hit.start : hit.end] in technology.guarded:
        return None
    return next((act for act in acts if act.start == hit.start and act.end >= hit.end), None)


def _mention(reading: Reading, technology: Technology, start: int, end: int, number: int, act: Act | None) -> Mention:
    text = reading.text.text
    step = (_TO_VERSION if act and act.kind == UPGRADE else _STEP).match(text, end)
    version = step or VERSION.match(text, end) or (_STEP_JAPANESE.match(text, end) if reading.language == JA else None)
    return Mention(
        technology=technology,
        start=start,
        end=end,
        sentence=number,
        role=WANTED if step else "",
        version=version[1] if version else "",
        act=act.kind if act else "",
        word=act.word if act else "",
    )


def _taken_for(reading: Reading, mention: Mention, lexicon: Lexicon) -> Technology:
    given = mention.technology
    versioned = bool(mention.version) or mention.act == UPGRADE
    return (
        for_purpose(reading, given, (mention.start, mention.end), lexicon, version=versioned) if given.serves else given
    )


def _ours_for(found: list[Mention]) -> list[Mention]:
    """What takes a place is wanted although it exists: "no Service Bus, publish through our RabbitMQ"."""
    left = [one.technology for one in found if one.role in (LEFT, DENIED)]
    keys, names = {one.key for one in left}, {one.name for one in left}

    def takes_place(one: Mention) -> bool:
        technology = one.technology
        free = one.role == MERE and one.act in ("", INTRODUCE)
        return free and technology.key in keys and technology.name not in names

    return [one.replace(role=WANTED) if takes_place(one) else one for one in found]


def _with_roles(reading: Reading, sentence: Sentence, acts: list[Act], inside: list[Mention]) -> list[Mention]:
    marked = (
        [_japanese(reading, sentence, inside, at) for at in range(len(inside))]
        if reading.language == JA
        else [_marked(reading, sentence, acts, inside, at) for at in range(len(inside))]
    )
    past = [_is_past(reading, sentence, one.start) for one in inside]
    roles = [role if gone else one.role or role for one, role, gone in zip(inside, marked, past, strict=True)]
    roles = _arrows(reading, inside, roles)
    roles = [role or _unmarked(reading, sentence, acts, one) for one, role in zip(inside, roles, strict=True)]
    for at in range(len(inside) - 1):
        one, other = inside[at], inside[at + 1]
        if reading.text.text[one.end : other.start] == "の" and roles[at + 1] == WANTED and roles[at] == MERE:
            roles[at] = WANTED  # one of the other's kind: Entra IDのOIDC
        alike = one.technology.key == other.technology.key and not {roles[at], roles[at + 1]} & {DENIED}
        if alike and _are_options(reading, sentence, one, other):
            roles[at] = roles[at + 1] = OPTION
    return [one.replace(role=role) for one, role in zip(inside, roles, strict=True)]


def _are_options(reading: Reading, sentence: Sentence, one: Mention, other: Mention) -> bool:
    """A or B, where somebody asks, or says that it is open."""
    between = reading.text.text[one.end : other.start]
    if reading.language == JA:
        return sentence.has("decide", "openly") and bool(re.search("か|と|または|もしくは", between))
    joined = _OR.fullmatch(between)
    open_one = sentence.asks or sentence.has("decide", "openly")
    if open_one and re.fullmatch(r"\s*,\s*", between):
        return True
    far = len(between) < _FAR + _SOON and bool(re.search(r"\b(?:or|ou)\b", between)) and open_one
    between_two = bool(re.search(r"\b(?:between|entre)\s+(?:\w+\s+)?$", reading.text.text[: one.start]))
    if open_one and between_two and re.fullmatch(r"\s*(?:et|and|ou|or)\s+(?:\w+\s+)?", between):
        return True
    either = bool(re.search(r"\b(?:either|soit|whether)\s+(?:\w+\s+)?$", reading.text.text[: one.start]))
    return far or bool(joined and (open_one or either or re.search(r"\b(?:or|ou)\b", between)))


def _marked(reading: Reading, sentence: Sentence, acts: list[Act], inside: list[Mention], index: int) -> str:
    if ALL_BUT.search(reading.text.text, sentence.start, inside[index].start):
        return DENIED
    return _walked(reading, sentence, acts, inside, index)


def _walked(reading: Reading, sentence: Sentence, acts: list[Act], inside: list[Mention], index: int) -> str:
    """From left to right: the last marker before a technology holds, until another comes or the clause ends."""
    mention = inside[index]
    text = reading.text.text
    if any(mention.end <= start < mention.end + _FAR for start, _ in sentence.hits.get("refused", [])):
        return LEFT
    clause = reading.clause_at(mention.start)
    if reading.language == EN and english.GONE.match(text, mention.end, clause[1]):
        return LEFT
    state, since, word = "", clause[0], ""
    for start, end, kind in _marks(sentence):
        if not (clause[0] <= start and end <= mention.start):
            continue
        named = any(since <= other.start < start for other in inside[:index])
        if kind == "arrive":
            removal = word.startswith(_REMOVALS) and text[start:end] not in _TO_FROM_REMOVAL
            if named or (state == "leave" and not removal):
                state, since = "", end
        elif not _is_out_of_reach(sentence, text[start:end], kind, mention.start - end) and not (
            text[start:end] in _PREPOSITIONS and state == "deny" and not named
        ):
            state, since, word = kind, end, text[start:end]
    resumed = any(since <= act.start < mention.start for act in acts if act.kind == INTRODUCE)
    if state == "deny" and resumed and any(since <= other.start < mention.start for other in inside[:index]):
        state = ""
    if not state and mention.act == MIGRATE and _goes_elsewhere(reading, sentence, inside, index):
        return LEFT
    return {"leave": LEFT, "deny": DENIED, "keepers": KEPT, "": ""}[state]


def _is_out_of_reach(sentence: Sentence, word: str, kind: str, gap: int) -> bool:
    """Short markers hold only for what follows soon, and the French "de" is no leaving unless something moves."""
    if kind == "leave" and word in _PREPOSITIONS:
        return gap > _SOON or (word in _OF and not sentence.has("migrate", "replace", "remove", "upgrade"))
    if kind == "keepers":
        return gap > _SOON
    return kind == "deny" and gap > _FAR and len(word) < len("don't")


def _goes_elsewhere(reading: Reading, sentence: Sentence, inside: list[Mention], index: int) -> bool:
    """Moving X to Y leaves X."""
    if index + 1 == len(inside) or inside[index + 1].technology.area != inside[index].technology.area:
        return False
    between = reading.text.text[inside[index].end : inside[index + 1].start]
    if any(inside[index].end <= start < inside[index + 1].start for start, _ in sentence.hits.get("deny", [])):
        return False
    return sentence.has("arrive") and bool(re.search(r"\b(?:to|into|onto|vers|a|sur|for|with|par|by)\b", between))


def _marks(sentence: Sentence) -> list[tuple[int, int, str]]:
    """Markers in their order; one inside a longer one does not count."""
    found = [
        (start, end, kind)
        for kind in ("leave", "arrive", "deny", "keepers")
        for start, end in sentence.hits.get(kind, [])
    ]
    found.sort(key=lambda mark: (mark[0], -mark[1]))
    kept: list[tuple[int, int, str]] = []
    for mark in found:
        if not kept or mark[0] >= kept[-1][1] or (mark[0], mark[1]) == kept[-1][:2]:
            kept.append(mark)
    return kept


def _japanese(reading: Reading, sentence: Sentence, inside: list[Mention], index: int) -> str:
    text = reading.text.text
    mention = inside[index]
    following = inside[index + 1].start if index + 1 < len(inside) else sentence.end
    stop = min(following, reading.clause_at(mention.start)[1])
    for start, end in sentence.hits.get("leave", []):
        near = mention.end <= start <= mention.end + _SOON and start < following
        if text[start:end] == "だと" and start > mention.end:
            continue
        if near and (text[start:end] != "から" or _FROM_JAPANESE.match(text, mention.end)):
            return MERE if _is_past(reading, sentence, mention.start) else LEFT
    if any(mention.end <= start < stop for start, _ in sentence.hits.get("deny", [])):
        return DENIED
    particle = text[mention.end : mention.end + 1]
    removed = any(mention.end <= start <= mention.end + 2 * _SOON for start, _ in sentence.hits.get("remove", []))
    if particle in ("は", "を") and removed and index + 1 == len(inside):
        return LEFT
    if particle == "を" and index + 1 < len(inside) and sentence.has("replace", "migrate"):
        after = text[inside[index + 1].end : inside[index + 1].end + 1]
        return LEFT if after in ("に", "へ") else ""
    return ""


def _arrows(reading: Reading, inside: list[Mention], roles: list[str]) -> list[str]:
    text = reading.text.text
    for at in range(len(inside) - 1):
        one, other = inside[at], inside[at + 1]
        version = VERSION.match(text, one.end)
        if _ARROW_WITH_NOUNS.fullmatch(text, version.end() if version else one.end, other.start):
            roles[at], roles[at + 1] = LEFT, WANTED
    return roles


def _unmarked(reading: Reading, sentence: Sentence, acts: list[Act], mention: Mention) -> str:
    """What a technology is that nothing turns down: wanted, or only named."""
    if sentence.has("adr"):
        return WANTED
    if _is_past(reading, sentence, mention.start) or reading.within(mention.start, reading.quoted):
        return MERE
    if reading.language == JA:
        return WANTED if _is_wanted_in_japanese(reading, sentence, mention) else MERE
    if mention.act in QUIET and mention.act != FIX:
        means = (
            reading.language == EN and mention.act in (CONFIGURE, REFACTOR) and english.by_means(reading, mention.start)
        )
        if reading.language == EN and mention.act == TESTS and mention.technology.area == "Testing":
            means = english.is_chosen_tool(reading, mention.start, mention.end)
        return WANTED if means else MERE
    if reading.language == EN and mention.act != FIX:
        act = governing(acts, mention.start)
        return WANTED if english.wants_name(reading, sentence, act, (mention.start, mention.end)) else MERE
    if mention.act == FIX:
        act = governing(acts, mention.start)
        between = reading.text.text[act.end if act else sentence.start : mention.start]
        return WANTED if _MEANS.search(between) and not _DEFINITE.search(between) else MERE
    there = bool(_DEFINITE.search(reading.text.text, max(0, mention.start - 24), mention.start))
    a, b = reading.clause_at(mention.start)
    if mention.act in STRUCTURAL and any(a <= start < b for start, _ in sentence.hits.get("existing", [])):
        return MERE
    if mention.act in STRUCTURAL:
        there = there or _is_put_into(reading, acts, mention)
        return MERE if there and mention.act in (INTRODUCE, MIGRATE) else WANTED
    return WANTED if not there and _is_stated(reading, sentence, acts, mention) else MERE


def _is_put_into(reading: Reading, acts: list[Act], mention: Mention) -> bool:
    """What something is added to is there: "ajoute une règle dans Cloudflare"."""
    act = governing(acts, mention.start)
    before = reading.text.text[act.end if act else mention.start : mention.start]
    return mention.word.startswith(_ADDING) and (
        _PIECE.search(before) is not None or (_INTO.search(before) is not None and not _WITH.search(before))
    )


def _is_stated(reading: Reading, sentence: Sentence, acts: list[Act], mention: Mention) -> bool:
    """Without a verb that leads: "X instead", "login with X", "orders go to X from now on"."""
    text = reading.text.text
    if sentence.has("problem") or (sentence.asks and not sentence.has("modal")) or reading.environment:
        return False
    if _ALONE.match(text, mention.end):
        return True
    before = text[sentence.start : mention.start]
    clause = reading.clause_at(mention.start)
    led = any(clause[0] <= act.start < clause[1] for act in acts)
    if not led and heads(reading, sentence, mention.start, mention.end):
        return True
    if not acts and len(reading.sentences) == 1 and len(text) - (mention.end - mention.start) < _SOON:
        return True
    if _DIRECT_MEANS.search(before):
        return sentence.has("modal") or not (acts or tells(sentence, clause))
    topics = [hit for hit in reading.topics if sentence.start <= hit.start < clause[0]]
    if topics and not text[clause[0] : mention.start].strip() and text[: clause[0]].rstrip().endswith(":"):
        return True
    preceded = any(
        clause[0] <= start < mention.start for kind in ("modal", "arrive") for start, _ in sentence.hits.get(kind, [])
    )
    return sentence.has("modal", "deny", "migrate", "replace") and preceded


def _is_wanted_in_japanese(reading: Reading, sentence: Sentence, mention: Mention) -> bool:
    text = reading.text.text
    if japanese.is_settled_on(text, mention.end):
        return japanese.wishes(reading, sentence)
    stays = _PART_JAPANESE.match(text, mention.end) or _STATE_JAPANESE.match(text, mention.end)
    if mention.act in QUIET or (stays and not mention.version):
        return False
    led = mention.act in STRUCTURAL
    return japanese.is_chosen(reading, sentence, mention.start, mention.end) or japanese.is_wanted_name(
        reading, sentence, mention.end, led=led
    )


def _is_past(reading: Reading, sentence: Sentence, at: int) -> bool:
    a, b = reading.clause_at(at)
    return any(a <= start < b for start, _ in sentence.hits.get("past", []))
