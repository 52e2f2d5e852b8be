"""The words of a text as they are compared: without case, accents, endings and words that say nothing.

English and French share one list of endings, because nobody says in which language a wish is written.
"""

from __future__ import annotations

import re
from unicodedata import normalize

from deedlog.core.clarify.matching import is_japanese, is_katakana

ACCENT = re.compile("[\u0300-\u036f]")
BLANKS = str.maketrans("'\u2019_\n\t", "     ")
I_HAVE = re.compile(r"\b(?:j|n|je|y|en) ai\b|\bai[- ]je\b")  # French, and no artificial intelligence
URL = re.compile(r"https?://\S+|\bwww\.\S+")
WORD = re.compile(r"[a-z0-9]+(?:\.(?:js|dev|io|net))?")
LEAST = 4  # letters that an ending leaves
ENDINGS = {
    "s": (("ations", "at"), ("ements", ""), ("ments", ""), ("ings", ""), ("ates", "at"), ("eurs", ""), ("ers", ""),
          ("ees", ""), ("ies", "y"), ("es", "")),
    "n": (("ation", "at"),),
    "t": (("ement", ""), ("ment", "")),
    "g": (("ating", "at"), ("ing", "")),
    "d": (("ated", "at"), ("ed", "")),
    "r": (("eur", ""), ("er", "")),
    "x": (("aux", "al"),),
    "z": (("ez", ""),),
    "e": (("ate", "at"), ("ee", ""), ("e", "")),
}  # fmt: skip
EMPTY = frozenset(
    re.findall(
        r"\S+",
        """
a an the this that these those it its i me my mine we us our you your he she they them their his her him
is are was were be been am do does did done have has had can could will would should shall may might must
to of in on at by for from with without into onto about as and or but if so than then too very just also not no
what which who whom whose how when where why there here all any some each every both few more most other such only own
please want wants need needs like got let lets s t re ve ll m d don via per up out off over under again
le la les l un une des du de d et ou au aux en dans sur pour par avec sans que qu qui quoi dont ce c cet cette ces ca
mon ma mes ton ta tes sa ses notre nos votre vos leur leurs je j tu il elle on nous vous ils elles me te se y
est sont suis es etes sommes etait etaient sera serait ete etre as avons avez ont avoir avait fait faire fais faut
peux peut pouvez pouvoir veux veut voudrais voudrait aimerais ne pas plus moins tres bien tout tous toute toutes
comment quand si comme donc mais ni n m t s chez entre vers quel quelle quels quelles svp merci
""",
    )
)
LIGHT = frozenset(
    re.findall(
        r"\S+",
        """
make makes making create created add adding get gets give gives show shows find finds list lists open see look looks
check checks help helps use uses using put set tell take keep start starts run runs write read update updates change
changes changed new work works working manage manages thing things way good best nice quick quickly fast soon today
tomorrow yesterday week month night morning boss team people person user users one first last next many much long
app apps data information content project projects system tool tools server servers mcp support supports access allow
time hour hours page pages text code machine program broken release form forms later company kind part whole
allows provide provides through based including various interact enables model context protocol ai
creer cree ajouter ajoute donner donne montrer montre trouver trouve ouvrir ouvre voir regarder verifier aider aide
utiliser utilise mettre mets lancer lance ecrire lire lis modifier changer mise jour nouveau nouvelle nouveaux semaine
mois demain hier aujourd hui patron equipe gens personne utilisateur utilisateurs premier derniere dernier prochaine
appli application applications donnees projet outil serveur heure heures temps texte code machine programme
page pages entreprise partie chercher cherche gerer afficher affiche dis dit
アプリ ページ データ 新しい 確認 追加 作る 作って 変更 更新 調べる 調べて
探す 探して 画面 会社 サーバー サイト 表
""",
    )
)
LITTLE = 0.35  # what such a word counts


def words(text: str) -> list[str]:
    """The Latin words of a folded text, in order."""
    text = URL.sub(" url ", I_HAVE.sub(" ", text)).replace("rendez-vous", "rendezvous").replace("e-mail", "email")
    return WORD.findall(text)


def plain(text: str) -> str:
    """A text in one case and width, without accents, its apostrophes and underscores as blanks."""
    if not text.isascii():
        text = normalize("NFC", ACCENT.sub("", normalize("NFKD", text)))
    return text.lower().translate(BLANKS)


def stem(word: str) -> str:
    if len(word) < LEAST or not word.isalpha():
        return word
    for ending, instead in ENDINGS.get(word[-1], ()):
        left = len(word) - len(ending)
        if left >= LEAST and word.endswith(ending):
            return word[:left] + instead if instead else _single(word[:left])
    return word[:-1] if word.endswith("s") and word[-2:] not in {"ss", "us", "is"} else word


def _single(word: str) -> str:
    return word[:-1] if word[-1] == word[-2] and word[-1] in "bdgmnprt" else word


def has_japanese(text: str) -> bool:
    return not text.isascii() and any(map(is_japanese, text))


def runs(text: str) -> list[str]:
    """The Japanese parts of a folded text, one script each: katakana whole, kanji by twos; hiragana says little."""
    if not has_japanese(text):
        return []
    found: list[str] = []
    run = ""
    for char in [*text, " "]:
        if run and _script(char) != _script(run[-1]):
            found += _cut(run)
            run = ""
        if is_japanese(char):
            run += char
    return found


def _script(char: str) -> str:
    if not is_japanese(char):
        return ""
    if "\u3041" <= char <= "\u309f":
        return "hiragana"
    return "katakana" if is_katakana(char) else "kanji"


def _cut(run: str) -> list[str]:
    script = _script(run[0])
    if script == "hiragana" or len(run) == 1:
        return []
    return [run] if script == "katakana" else [run[at : at + 2] for at in range(len(run) - 1)]


def joins(left: str, right: str) -> bool:
    """Whether two letters belong to one word, so that nothing begins or ends between them."""
    if is_katakana(left) and is_katakana(right):
        return True
    return left.isascii() and right.isascii() and left.isalnum() and right.isalnum()


def near(word: str, other: str) -> bool:
    """Whether one slip makes one word of the other: a letter more, less, wrong or swapped with its neighbour."""
    if word == other:
        return True
    if abs(len(word) - len(other)) > 1:
        return False
    at = 0
    while at < min(len(word), len(other)) and word[at] == other[at]:
        at += 1
    left, right = word[at:], other[at:]
    return (
        left[1:] == right or left == right[1:] or left[1:] == right[1:]
        or (left[:2] == right[1::-1] and left[2:] == right[2:])
    )  # fmt: skip
