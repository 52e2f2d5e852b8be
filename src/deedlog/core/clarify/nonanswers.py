"""Texts below a question that answer nothing: who leaves it to others, does not know, or says what not."""

from __future__ import annotations

import re
from unicodedata import normalize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_ENDS = " .!?…。！？、,;:)("  # noqa: RUF001  # as Japanese ends sentences
_ACCENTS = re.compile("[\u0300-\u036f]")


def _plain(text: str) -> str:
    """No case, no accents, one kind of apostrophe; a Japanese letter keeps its marks, which make it another one."""
    marked = normalize("NFD", normalize("NFKC", text).replace("\u2019", "'").casefold())
    return normalize("NFC", _ACCENTS.sub("", marked))


_LEAVES_IT = frozenset(
    _plain(text)
    for text in (
        *("you decide", "you choose", "you pick", "your choice", "your call", "you tell me", "up to you", "whatever"),
        *("whichever", "anything", "any", "any of them", "either", "either one", "either is fine", "anything is fine"),
        *("whatever you want", "whatever you like", "whatever you think", "whatever you think is best", "as you like"),
        *("it doesn't matter", "doesn't matter", "does not matter", "i don't care", "don't care", "i do not care"),
        *("no preference", "no opinion", "surprise me", "the default", "default", "the best", "best", "the best one"),
        *("the usual", "what you recommend", "whatever you recommend", "the recommended one", "recommended", "auto"),
        *("peu importe", "comme tu veux", "comme vous voulez", "comme tu préfères", "comme vous préférez", "au choix"),
        *("n'importe", "n'importe lequel", "n'importe laquelle", "n'importe quoi", "à toi de voir", "à vous de voir"),
        *("à toi de choisir", "à vous de choisir", "tu choisis", "tu décides", "vous décidez", "décide", "décidez"),
        *("ça m'est égal", "m'est égal", "sans préférence", "pas de préférence", "aucune préférence", "par défaut"),
        *("お任せ", "おまかせ", "お任せします", "おまかせします", "任せる", "任せます", "お任せで", "おまかせで"),
        *("どれでも", "どれでもいい", "どれでもいいです", "どれでも良い", "どちらでも", "どちらでもいい", "どっちでも"),
        *("どちらでもいいです", "どっちでもいい", "なんでもいい", "何でもいい", "何でもいいです", "なんでもいいです"),
        *("特にこだわりなし", "こだわりなし", "こだわらない", "既定", "デフォルト", "おすすめ", "おすすめで"),
    )
)
_DOES_NOT_KNOW = frozenset(
    _plain(text)
    for text in (
        *("tbd", "tba", "todo", "to do", "fixme", "xxx", "unknown", "undecided", "idk", "dunno", "i dunno", "no idea"),
        *("i have no idea", "no clue", "i don't know", "don't know", "i do not know", "do not know", "not sure"),
        *("i'm not sure", "i am not sure", "unsure", "don't know yet", "not decided", "not decided yet", "later"),
        *(
            "je ne sais pas",
            "je sais pas",
            "j'sais pas",
            "sais pas",
            "ne sais pas",
            "aucune idée",
            "pas sûr",
            "pas sûre",
        ),
        *("je ne suis pas sûr", "je n'en sais rien", "aucun avis", "plus tard", "a definir", "à décider", "inconnu"),
        *(
            "未定",
            "不明",
            "分からない",
            "わからない",
            "分かりません",
            "わかりません",
            "よく分からない",
            "よくわからない",
        ),
        *("知らない", "知りません", "決めていない", "まだ決めていない", "決まっていない", "まだ未定", "後で", "あとで"),
    )
)
_UNSURE = re.compile(
    r"(?:i'?m |i am |we'?re |we are )?(?:still )?(?:not|un) ?(?:really |quite )?(?:sure|certain|decided)"
    r"(?: yet| about it)?"
    r"|let'?s (?:discuss|talk|see|think|decide|wait)\b.{0,30}|(?:to be|needs to be) (?:discussed|decided|defined)"
    r"|(?:the )?same(?: as (?:before|last time|usual|now|always))?|as before|like before|idem|pareil|comme avant"
    r"|a voir|on verra|en discuter|discutons.{0,20}"
    r"|(?:前|以前|今)と同じ(?:で)?|同じ|相談(?:したい|しましょう)|検討中|要検討"
)
_NOTHING = frozenset(
    _plain(text)
    for text in (
        *("n/a", "n.a.", "na", "nil", "null", "none", "undefined", "nan", "true", "false", "yes", "no", "yep", "nope"),
        *(
            "yeah",
            "ok",
            "okay",
            "sure",
            "maybe",
            "oui",
            "non",
            "peut-être",
            "d'accord",
            "はい",
            "いいえ",
            "多分",
            "うん",
        ),
        *("invalid", "bogus", "nonsense", "foo", "bar", "foobar", "asdf", "qwerty", "test", "hello", "hi", "lol"),
        *("back", "go back", "quit", "exit", "cancel", "help", "abort", "stop", "next", "continue", "why", "retour"),
        *("annuler", "aide", "quitter", "suivant", "戻る", "キャンセル", "ヘルプ", "なし", "無し"),
    )
)
_SAID_AS_TEXT = frozenset(
    map(_plain, ("yes", "no", "oui", "non", "はい", "いいえ", "なし", "無し", "none", "maybe", "test"))
)
_NOT = re.compile(r"(?:not|pas|anything but|all but|everything but|tout sauf|surtout pas|anything except)\s+\S.*")
_WITHOUT = re.compile(
    r"(?:no|non?|never|without|avoid|except|don'?t use|do not use|sans|jamais|eviter|ne pas utiliser)\s+(?P<what>\S.*)"
)
_NOT_JAPANESE = re.compile(
    r".+(?:以外(?:なら(?:何|なん)でも)?|ではない(?:もの)?|じゃない(?:もの)?|は使わない|を使わない|は嫌|はなし)"
)
_EITHER = re.compile(
    r"\s*(?:,|;|、|\s/\s|\|)\s*|\s+(?:or|ou|or else|ou bien)\s+|または|もしくは|あるいは|(?<=\w)か(?=[A-Z])"
)
_BOTH = re.compile(r"\s+(?:and|et|plus)\s+|\s*[&+]\s*|(?<=\w)と(?=[A-Z])")
_SKIPS = re.compile(
    r"[(\[]?skip(?:ped|ping)?[)\]]?|skip (?:it|this|that|this one|that one|this question|for now|please)"
    r"|pass|i pass|je passe|on passe|passer?|スキップ(?:する|します|で)?|飛ばす|飛ばして|パス"
)
_NUMBERED = re.compile(r"(?:option|choice|no\.?|choix|選択肢)\s*#?\s*(\d{1,2})")
_BEFORE = re.compile(
    r"(?:\(?(?:\d{1,2}|[a-z])[.):]|[-*•])\s+|(?:option|choice|choix) (?:\d{1,2}|[a-z])\s*[:.)-]\s*"
    r"|(?:(?:let'?s|please|we'?ll|we will|i'?d|i would|just)\s+)*"
    r"(?:use|go with|go for|take|choose|pick|prefer|like)\s+(?=\S)"
    r"|(?:utilis(?:er|ons|e)|prendre|prenons|je prends|on prend|va pour|partons sur)\s+(?=\S)",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"(?:\s*[(\[](?:recommended|recommandée?|推奨|default|par défaut)[)\]]"
    r"|[\s,]+(?:please|thanks|pls|svp|stp|s'il (?:te|vous) pla[iî]t)[.!]*"
    r"|(?:で|を)?お願いします。?|(?:を使う|を使います|にします|にする|でいいです|がいい(?:です)?)。?)$",
    re.IGNORECASE,
)
_LETTERED = ("Language", "Plugins")  # fields whose values can be one letter: C, D, R


def flattened(text: str) -> str:
    """A text as it is compared: no case, no accents, one kind of apostrophe, no full stop."""
    return _plain(text.strip(_ENDS)).strip(_ENDS)


def is_skip(text: str) -> bool:
    return _SKIPS.fullmatch(flattened(text)) is not None or _SKIPS.fullmatch(_plain(text.strip())) is not None


def number_of(text: str) -> int:
    """The place of the option that is named by its number ("option 2"); 0 where none is."""
    found = _NUMBERED.fullmatch(flattened(text))
    return int(found[1]) if found else 0


def without_manners(text: str) -> str:
    """What is named in "2. OAuth", "Use OAuth", "OAuth, please" and "OAuth (recommended)"."""
    narrow = normalize("NFKC", text)
    before = _BEFORE.match(narrow)
    bare = narrow[before.end() :] if before else narrow
    while found := _AFTER.search(bare, 1):
        bare = bare[: found.start()]
    return bare.strip() or text if bare != narrow else text


def leaves_it(text: str) -> bool:
    """Whether somebody leaves the choice to whoever asks."""
    return flattened(text) in _LEAVES_IT


def flaw_of_text(text: str) -> str:
    """Why a free text says nothing; empty where it says something."""
    said = flattened(text)
    if said in _DOES_NOT_KNOW or _UNSURE.fullmatch(said):
        return f"{text!r:.80} is no answer: say skip to leave it open"
    if said in _NOTHING - _SAID_AS_TEXT or len(said) == 1 or not any(c.isalnum() for c in text):
        return f"{text!r:.80} says nothing"
    return ""


def flaw_of_value(text: str, field: str) -> str:
    """Why a text cannot be somebody's own value; empty where it can."""
    said = flattened(text)
    if said in _DOES_NOT_KNOW or _UNSURE.fullmatch(said):
        return f"{text!r:.80} is no answer: say skip to go on with what is recommended"
    letter = len(said) <= 1 and not (field in _LETTERED and text.isupper())
    if said in _NOTHING or letter or not any(c.isalnum() for c in text):
        return f"{text!r:.80} is not one of the options, and names nothing else"
    return ""


def flaw_of_denial(text: str, is_known: Callable[[str], bool]) -> str:
    """Why a text that says what is not wanted is no answer."""
    said = flattened(text)
    without = _WITHOUT.fullmatch(said)
    if _NOT.fullmatch(said) or _NOT_JAPANESE.fullmatch(said) or (without and is_known(without["what"])):
        return f"{text!r:.80} says what it should not be: name what it should be, or say skip"
    return ""


def flaw_of_several(text: str, is_option: Callable[[str], bool], is_known: Callable[[str], bool]) -> str:
    """Why a text that names more than one is no answer where one is to be chosen."""
    plain = normalize("NFKC", text)
    for parting, counts in ((_EITHER, is_known), (_BOTH, is_option)):
        named = [part.strip() for part in parting.split(plain) if part.strip()]
        if len(named) > 1 and all(map(counts, named)):
            return f"{text!r:.80} names {len(named)}, and one is to be chosen: name one"
    return ""
