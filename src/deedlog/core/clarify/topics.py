"""Which parts of the architecture a request wants something of: "add a cache", not "clear the cache key"."""

from __future__ import annotations

import re

from deedlog.core.clarify import japanese
from deedlog.core.clarify.acts import INTRODUCE, QUIET, REMOVE, STRUCTURAL, UPGRADE, Act, governing
from deedlog.core.clarify.moods import tells, wishes, wishes_after
from deedlog.core.clarify.reading import EN, FR, JA, NEED, NOUN, Reading, Sentence
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.core.clarify.lexicon import Lexicon, Topic
    from deedlog.core.clarify.matching import Hit

_BRINGS = re.compile(
    "introduc|set up|setting up|implement|adopt|build|create|add|bring in|integrat|stand up|roll|need|want|have"
)
_SHOWS = ("make", "show", "display", "print", "log", "return", "include", "apply", "render", "handle", "list", "put")
_A_NEW = re.compile(r"\b(?:an?|some)\s+(?:\w+\s+)?$")
_MAKES = ("set up", "implement", "introduce", "build", "create")
_THERE = re.compile(r"\b(?:the|our|this|that|its|their|existing|current|your)\s+(?:\w+\s+)?$")
_TO_COME = re.compile(
    r"\b(?:possible|supported|available|added|introduced|implemented|in place|set up|required|mandatory|needed|there|"
    r"integrated|provided|offered|wanted|built|necessary|working|enabled|missing|nice|great|good|cool|helpful|useful)\b"
)
_LOCAL = re.compile(
    r"\s+(?:to|in|for|on|of) (?:the |this |our |each |every )?(?:[\w-]+ ){0,3}(?:function|method|class|"
    r"endpoint|handler|script|page|form|"
    r"component|module|file|helper|controller|view|route|query|table|list|command|dialog|screen|field|"
    r"customer list|header)s?\b"
)
_LOCAL_TOPICS = ("Infra.Observability", "Storage.Search")  # small things in one place are also called so
_APART = re.compile(r"\b(?:for|to|of|in|on|that|which|from|at|by|when|if|after|before|into|about|as|so|until|like)\b")
_GENERIC = re.compile(
    r"\b(?:support|way|ways|solution|system|service|tool|something|mechanism|layer|library|option|possibility|ability|means|"
    r"infrastructure|setup|integration|feature|functionality|provider|framework|engine|place|kind|sort|form|order|us|me|need|"
    r"want|have|get|do|platform|package|product)\s+(?:for|to|of|that|which|in|on|by)\b[^,;]*$|^\s*(?:us|me|to|for|in|on)\b[^,;]{0,24}$"
    r"|\b(?:into|onto|in|to|behind)\s+(?:an?|some|something like an?)\s+(?:\w+\s+)?$"
)
_WANTED = re.compile(
    r"\b(?:needs?|wants?|lacks?|missing|besoin d[e']|faut|faudrait|faudra|manque|vou[dl]\w+|veu\w+|aimer\w+|"
    r"souhait\w+|requiert|exige|demande)\b[^,;.]{0,28}$"
)
_ARTICLES = re.compile(
    r"[\s-]*(?:moi |nous )?(?:(?:du|de la|de l'|des|de|d'|un|une|le|la|les|l'|notre|nos)\s*){0,3}"
    r"(?:(?:vraie?|bon|bonne|petite?|simple|nouveau|nouvelle|(?:systeme|solution|service|outil|"
    r"environnement|mecanisme|dispositif|mode|couche|moteur|plateforme|brique|module|serveur|"
    r"vraie solution|espece|sorte|"
    r"gestion|support|prise en charge|mise en place|ajout|integration|partie) d(?:e\s|'|u\s|es\s|e la\s|e l'))\s*)?"
)
_OF = re.compile(r"(?:\bd[eu]s?|\bd'|\bde la|\bde l'|\bau|\baux|\bdans (?:le|la|les|l')|\bsur (?:le|la|les|l'))\s*$")
_SOLUTION = re.compile(
    r"\b(?:solution|outil|service|prestataire|fournisseur|systeme|moyen|mecanisme|quelque chose|alternative|truc)\s+"
    r"(?:pour|de|d'|a)\s*(?:gerer\s+)?(?:l'|la |le |les |nos |notre )?$"
)
_SAID = re.compile(r"(?:\b(?:le|la|les|notre|nos|ce|cette|ces|leurs?|son|sa|ses)\s+|\bl')$")
_HEADLINE = re.compile(
    r"\W*(?:[a-z]{2,6}-\d+\W+)?(une?\s|du\s|de la\s|de l'|des\s)?(?:vraie?\s|petite?\s|bon(?:ne)?\s|nouvel(?:le)?\s)?"
    r"(?:(?:systeme|solution|service|outil|mecanisme|couche|mise en place|ajout) d(?:e\s|'|u\s|es\s|e la\s|e l'))?"
)
_ENGLISH_HEADLINE = re.compile(
    r"\W*(?:[a-z]{2,6}-\d+\W+)?(?:(?:todo|task|feature|feature request|request|wish|idea|story|epic|"
    r"wanted|next|goal|new|please|and|also)\b[:,\s]*)*"
    r"(an?\s|some\s|proper\s|better\s|basic\s|simple\s|real\s|full\s|automatic\s|automated\s|central\s|centralised\s|"
    r"centralized\s|shared\s|nightly\s|daily\s|online\s|mobile\s)?(?:[a-z-]+\s)?"
)
_ABSENT = re.compile(
    r"(?:\b(?:there (?:is|are)|there's|we have|we've got|has|have|with) no|"
    r"(?:^|[:,;.])\s*(?:still |currently )?(?:no|zero)(?=\s)|\bwithout any|\b(?:don't|do not|doesn't|"
    r"does not) (?:even )?have(?: an?| any)?|"
    r"\b(?:haven't|hasn't) got (?:an?|any)|\b(?:lack|lacks|lacking|missing)(?: an?| any)?|"
    r"\baucune?|\b(?:a|ai|as|ont|avons|existe|dispose) (?:\w+ )?pas (?:encore )?(?:de|d')|\ba ni|"
    r"\brien (?:pour|cote))\s*(?:(?!new|extra|additional|more|other|nouv)\w+\s)?$"
)
_NEXT_WORD = re.compile(r"[\s'-]*([\w']+)")
_PARTS = (
    "機能|基盤|システム|環境|手段|仕組み|導入|追加|整備|構築|対応|化|"
    "方式|手法|ツール|サービス|サーバー?|実装|設計|方針|選定|層|処理|先|まわり|周り|管理"
)
_IS_OBJECT = re.compile(
    rf"$|[をがはもと、。\s)」!?]|に(?:対応|した|して|する|関|移|切|変|置き換|乗り換|統一)|で(?:きる|も)|の?(?:{_PARTS}|的な|みたいな|のような|っぽい)|ごと|つけ|付け|入れ|作|つく|ほし|欲し|やりた|挟|って|したい|させ|でき|し(?:て|た|よう)"
)
_VALUE = re.compile(r"(?:の\S{0,6})?を\s*\d")
_LACKS = re.compile("(?:は|が|も)(?:まだ|一切|全く|特に)?(?:何も)?(?:ない|無い|ありません|なし|未整備|未導入)")
_WITHOUT = re.compile(
    "(?:ない|なし|無し)で|ずに?$|(?:な|無)く[て、]?$|以外[のでに]?"
)  # what stood before it is denied, not what follows
_NOT_ANY = re.compile(r"\bany\b|\baucune?\b|一切")
_AWAY = ("なくし", "無くし")  # of a trouble, not of a technology
_LISTED = 14  # letters before a noun in a clause of its own: "add a cache, monitoring and a queue"
_OBJECT_FAR, _DENIED_FAR = 45, 30


class Wanted(Value):
    topic: Topic
    start: int
    end: int


class _Place(Value):
    """A topic's words, with the sentence, the clause and the verb they stand in."""

    reading: Reading
    sentence: Sentence
    acts: list[Act]
    start: int
    end: int
    clause: tuple[int, int]
    ends: frozenset[str]  # words that cannot go on a compound noun

    @property
    def text(self) -> str:
        return self.reading.text.text

    @property
    def before(self) -> str:
        return self.text[self.clause[0] : self.start]

    def in_clause(self, name: str) -> bool:
        return any(self.clause[0] <= start < self.clause[1] for start, _ in self.sentence.hits.get(name, []))


def topics_wanted(reading: Reading, acts: list[list[Act]], lexicon: Lexicon) -> list[Wanted]:
    found: list[Wanted] = []
    ends = frozenset(lexicon.words.get(reading.language, {}).get("prepositions", []))
    for number, sentence in enumerate(reading.sentences):
        for hit in reading.topics:
            if not sentence.start <= hit.start < sentence.end or _is_named(reading, hit):
                continue
            clause = reading.clause_at(hit.end - 1 if reading.language == JA else hit.start)
            place = _Place(
                reading=reading,
                sentence=sentence,
                acts=acts[number],
                start=hit.start,
                end=hit.end,
                clause=clause,
                ends=ends,
            )
            if _is_needed(place) if hit.tag.startswith(NEED) else _is_object(place):
                topic = lexicon.topics[int(hit.tag[len(NOUN) :])]
                if topic.key in _LOCAL_TOPICS and _LOCAL.match(place.text, hit.end, sentence.end):
                    continue
                found.append(Wanted(topic=topic, start=hit.start, end=hit.end))
    return found


def _is_named(reading: Reading, hit: Hit) -> bool:
    """Whether the words are code, a quotation, or part of a technology's name."""
    if reading.within(hit.start, reading.code) or reading.within(hit.start, reading.quoted):
        return True
    return any(
        name.start <= hit.start < name.end and name.end - name.start > hit.end - hit.start for name in reading.names
    )


def _is_object(place: _Place) -> bool:
    """Whether a noun is the very thing that somebody wants, not an attribute of another."""
    act = governing(place.acts, place.start)
    if _is_absent(place) or _is_all(place) or _is_headline(place):
        return True
    if act and act.kind in (*QUIET, REMOVE, UPGRADE):
        return False
    before = [
        end
        for start, end in place.sentence.hits.get("deny", [])
        if place.clause[0] <= start < place.start and not _WITHOUT.search(place.text, start, end + 1)
    ]
    apart = place.start - max(before, default=-_DENIED_FAR)
    if apart < (_LISTED if place.sentence.has("modal") else _DENIED_FAR):
        return False
    if place.reading.language == JA:
        return _is_japanese_object(place, act)
    if place.in_clause("existing"):
        return False
    return _is_english_object(place, act) if place.reading.language == EN else _is_french_object(place, act)


def _is_japanese_object(place: _Place, act: Act | None) -> bool:
    reading, sentence = place.reading, place.sentence
    if not _IS_OBJECT.match(place.text, place.end) or _VALUE.match(place.text, place.end) or place.in_clause("past"):
        return False
    open_one = sentence.has("decide") and not sentence.has("problem", "explain")
    if not open_one and not japanese.wishes(reading, sentence):
        return False
    if (
        japanese.is_unused(place.text, place.end)
        or japanese.is_blamed(reading, sentence, place.end)
        or japanese.is_told(reading, sentence, place.end)
    ):
        return False
    return act is None or act.kind in STRUCTURAL


def _is_english_object(place: _Place, act: Act | None) -> bool:
    following = _NEXT_WORD.match(place.text, place.end, place.clause[1])
    if (
        following
        and following[1] not in place.ends
        and not following[1].isdigit()
        and not _is_said_of(place, following)
    ):
        return False
    near = act is not None and place.start - act.end < _LISTED
    if _THERE.search(place.before) and not (act and act.word in _MAKES and near):
        return False
    act = _of_clause(place, act)
    if act and act.kind == INTRODUCE:
        if act.word in _SHOWS and not _A_NEW.search(place.before):
            return False
        if _APART.search(place.text, act.end, place.start) and not _GENERIC.search(place.text, act.end, place.start):
            return False
        return bool(_BRINGS.match(act.word)) or place.start - act.end < _OBJECT_FAR
    return act is not None or _is_wished(place)


def _is_said_of(place: _Place, following: re.Match[str]) -> bool:
    """A participle goes on no compound: "a documentation site generated from", but "login failed" tells a fault."""
    spans = [start for kind in ("problem", "tells") for start, _ in place.sentence.hits.get(kind, [])]
    return following[1].endswith(("ed", "ly")) and following.start(1) not in spans


def _is_french_object(place: _Place, act: Act | None) -> bool:
    if (act and _ARTICLES.fullmatch(place.text, act.end, place.start)) or _SOLUTION.search(place.before):
        return True
    if (_OF.search(place.before) or _SAID.search(place.before)) and not _WANTED.search(place.before):
        return False
    return _of_clause(place, act) is not None or _is_wished(place)


def _of_clause(place: _Place, act: Act | None) -> Act | None:
    """The verb, unless the noun stands in another clause that says something of its own."""
    if act and not place.clause[0] <= act.start < place.clause[1] and len(place.before) > _LISTED:
        return None
    return act


def _is_wished(place: _Place) -> bool:
    if _WANTED.search(place.before):
        return True
    sentence = place.sentence
    asks = sentence.asks and not sentence.has("chat")
    governed = governing(place.acts, place.start)
    if place.reading.language == EN and (
        _is_subject(place) or (place.in_clause("tells") and not place.in_clause("modal"))
    ):
        return False
    return sentence.has("modal") and not sentence.has("problem") and not governed and not asks


def _is_subject(place: _Place) -> bool:
    """What should be in some way is there already: "uploads should be limited", but "uploads should be possible"."""
    spans = [span for span in place.sentence.hits.get("modal", []) if place.clause[0] <= span[0] < place.clause[1]]
    behind = bool(spans) and min(spans)[0] >= place.end
    return behind and not _TO_COME.search(place.text, place.end, place.clause[1])


def _is_needed(place: _Place) -> bool:
    """Whether people want to be able to do it; that they cannot is no wish but a fault."""
    sentence = place.sentence
    at = place.end - 1 if place.reading.language == JA else place.start
    act = governing(place.acts, at) or next((one for one in place.acts if one.start <= at < one.end), None)
    if _NOT_ANY.search(place.text, place.start, place.end):
        return True
    within = place.reading.language == JA and act is not None and (act.start >= place.start or act.word in _AWAY)
    if (act and act.kind in (*QUIET, REMOVE) and act.start != place.start and not within) or _is_denied(place):
        return False
    if any(one.has("report") for one in place.reading.sentences):
        return False
    if place.reading.language == JA:
        needed = japanese.is_need(place.reading, sentence, place.start, place.end)
        return needed and not place.in_clause("past")
    if _is_there(place) or (sentence.asks and not sentence.has("chat", "modal")):
        return False
    if place.reading.language == EN and _is_only_told(place):
        return False
    orders = (
        place.reading.language == EN
        and not place.before.strip()
        and not any(map(place.in_clause, ("tells", "problem")))
    )
    if orders or any(one.kind in STRUCTURAL for one in place.acts):
        return True
    asked = any(place.clause[0] <= start < place.start for start, _ in sentence.hits.get("modal", []))
    blamed = place.in_clause("problem") and not (asked and place.reading.language == FR)
    told = place.in_clause("past") or blamed
    wished = sentence.has("modal") or wishes(place.reading, sentence) or wishes_after(place.reading, sentence)
    return wished and not told


def _is_only_told(place: _Place) -> bool:
    """An English clause that tells how it is needs a wish beside it, and no fault: "it takes long. Cache it"."""
    if place.sentence.has("existing"):
        return True
    led = any(place.clause[0] <= act.start <= place.start for act in place.acts)
    if led or place.in_clause("modal") or not place.in_clause("tells"):
        return False
    return any(one.has("problem") for one in place.reading.sentences)


def _is_there(place: _Place) -> bool:
    """Whether the clause says that it is there; "déjà" behind a need is about something else."""
    spans = [span for span in place.sentence.hits.get("existing", []) if place.clause[0] <= span[0] < place.clause[1]]
    return any(start < place.end or place.text[start:end] != "deja" for start, end in spans)


def _is_denied(place: _Place) -> bool:
    """Whether what a French need says is not wanted: "on ne veut plus payer la licence"."""
    spans = [end for start, end in place.sentence.hits.get("deny", []) if place.clause[0] <= start < place.start]
    return place.reading.language == FR and any(place.start - end < _LISTED for end in spans)


def _is_absent(place: _Place) -> bool:
    """That it is missing is why it is named: "there is no scheduler so far"."""
    if place.in_clause("problem"):
        return False
    if place.reading.language == JA:
        return bool(_LACKS.match(place.text, place.end))
    return bool(_ABSENT.search(place.text, place.sentence.start, place.start))


def _is_headline(place: _Place) -> bool:
    """A sentence that is a thing and no verb: "mise en cache des fiches", "full-text search over the articles"."""
    reading, sentence = place.reading, place.sentence
    opening = _HEADLINE.fullmatch(place.text, sentence.start, place.start)
    if reading.language == EN:
        opening = _ENGLISH_HEADLINE.fullmatch(place.text, sentence.start, place.start)
    if reading.language == JA or not opening or tells(sentence, place.clause) or sentence.has("problem", "existing"):
        return False
    if any(place.in_clause(kind) for kind in ("deny", "introduce", "remove", "fix", "refactor", "configure")):
        return False
    following = _NEXT_WORD.match(place.text, place.end, place.clause[1])
    ends = not following or following[1] in place.ends
    return ends and not sentence.asks and (bool(opening[1]) or len(sentence.clauses) == 1)


def _is_all(place: _Place) -> bool:
    """A request that is nothing but the noun."""
    sentence = place.sentence
    around = sentence.end - sentence.start - (place.end - place.start)
    return (
        len(place.reading.sentences) == 1
        and around < _LISTED
        and not place.text[place.end : sentence.end].strip(" .!")
        and not sentence.has(
            "problem", "existing", "deny", "remove", "fix", "refactor", "configure", "vague", "explain"
        )
    )
