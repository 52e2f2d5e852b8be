"""The words that names of files and folders are made of, whatever style or language they are written in."""

from __future__ import annotations

import re
import unicodedata

MOST_WORDS_TOGETHER = 8
LEAST_SINGULAR = 2
ASCII_WORD = re.compile(r"[A-Z]{2,}s(?![a-z])|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
SHAPE_WORD = re.compile("A+(?!a)|A?a+|0+|漢+|あ+|ア+|x+")
ACCENT = re.compile("[\u0300-\u036f]")
LETTERS = str.maketrans({"œ": "oe", "Œ": "Oe", "æ": "ae", "Æ": "Ae", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L"})
NAMES = re.compile("GitHub|GitLab|GraphQL|JavaScript|LinkedIn|OAuth|TypeScript|(?<![a-z])iOS")
NO_EXTENSION = {".env", "caddyfile", "containerfile", "dockerfile", "jenkinsfile", "makefile"}

NOT_PLURAL = {"does", "has", "https", "ios", "news"}
IRREGULAR = (
    ("analysis", "analyses"),
    ("child", "children"),
    ("criterion", "criteria"),
    ("index", "indices"),
    ("matrix", "matrices"),
    ("person", "people"),
    ("schema", "schemata"),
    ("vertex", "vertices"),
)
OTHER_NUMBER = {a: b for pair in IRREGULAR for a, b in (pair, pair[::-1])}


def plain(text: str) -> str:
    """`Été` as `ete`: no accents, no case. Marks that make another letter, as in Japanese, stay."""
    return _bare(text).casefold()


def _bare(text: str) -> str:
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text.translate(LETTERS))
    return unicodedata.normalize("NFC", ACCENT.sub("", decomposed))


def words(name: str) -> list[str]:
    """`HTTPApiClient` and `http-api_client` as http, api, client; `ユーザー認証` as ユーザー, 認証."""
    bare = NAMES.sub(lambda found: found[0].capitalize(), _bare(name))
    if bare.isascii():
        return [word.lower() for word in ASCII_WORD.findall(bare)]
    return [bare[found.start() : found.end()].casefold() for found in SHAPE_WORD.finditer(_shape(bare))]


def _shape(text: str) -> str:
    shape: list[str] = []
    for char in text:
        before = shape[-1] if shape else "-"
        goes_on = (char == "ー" and before in "あア") or unicodedata.category(char).startswith("M")
        shape.append(before if goes_on else _kind(char))
    return "".join(shape)


def _kind(char: str) -> str:
    if not char.isalnum():
        return "-"
    if char.isupper():
        return "A"
    if char.islower():
        return "a"
    if char.isdecimal():
        return "0"
    if "ぁ" <= char <= "ゟ":
        return "あ"
    if "ァ" <= char <= "ヿ" or "ㇰ" <= char <= "ㇿ":
        return "ア"
    return "漢" if "㐀" <= char <= "鿿" or "豈" <= char <= "﫿" or char > "\U0001ffff" or char in "々〆" else "x"


def stem(file_name: str) -> str:
    """A file's name without its last extension."""
    before, dot, _ = file_name.rpartition(".")
    return before if dot and before and before.lower() not in NO_EXTENSION else file_name


def spellings(name: str) -> set[str]:
    """Every neighbouring run of its words, written together: what may be meant by a part of it."""
    found = words(name)
    ends = range(1, min(len(found), MOST_WORDS_TOGETHER) + 1)
    return {"".join(found[at : at + size]) for size in ends for at in range(len(found) - size + 1)}


def numbers(word: str) -> set[str]:
    """The word, its plurals and its singulars, so far as letters tell."""
    if word in NOT_PLURAL or len(word) < LEAST_SINGULAR:
        return {word}
    return {word, *_plurals(word), *_singulars(word)} - NOT_PLURAL


def _plurals(word: str) -> list[str]:
    found = [word + "s"] if not word.endswith(("s", "x", "z")) else []
    if word.endswith(("s", "x", "z", "ch", "sh", "o")):
        found.append(word + "es")
    if word.endswith("y"):
        found.append(word[:-1] + "ies")
    if word.endswith(("eau", "eu")):
        found.append(word + "x")
    if word.endswith("al"):
        found.append(word[:-2] + "aux")
    if word in OTHER_NUMBER:
        found.append(OTHER_NUMBER[word])
    if "ァ" <= word[-1] <= "ヺ":
        found.append(word + "ー")  # ユーザ and ユーザー are one word
    return found


def _singulars(word: str) -> list[str]:
    found = []
    if word.endswith("ies"):
        found.append(word[:-3] + "y")
    if word.endswith(("ses", "xes", "zes", "ches", "shes", "oes")):
        found.append(word[:-2])
    if word.endswith("s") and not word.endswith("ss"):
        found.append(word[:-1])
    if word.endswith(("eaux", "eux")):
        found.append(word[:-1])
    if word.endswith("aux"):
        found.append(word[:-3] + "al")
    if word.endswith("ー"):
        found.append(word[:-1])
    return [one for one in found if len(one) >= LEAST_SINGULAR]
