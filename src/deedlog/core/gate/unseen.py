"""Characters that a person does not see, or sees as others, and a model reads all the same."""

from __future__ import annotations

import re
import unicodedata

ESCAPE = re.compile("[\x1b\x9b\x90\x9d]|\\\\(?:x1b|u001b|033)\\[", re.IGNORECASE)  # also where it is spelt out
CONTROL = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f"
FILLERS = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2060-\u2065\u206a-\u206f"
    "\u2800\u3164\ufeff\uffa0\ufff0-\ufffb"
)
ORDER = "\u202a-\u202e\u2066-\u2069"
TAGS = "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
PRIVATE = "\ue000-\uf8ff\U000f0000-\U000ffffd\U00100000-\U0010fffd"
ALONE = "\ud800-\udfff"
NEVER = re.compile(f"[{CONTROL}{FILLERS}{ORDER}{TAGS}{PRIVATE}{ALONE}]")
ALL = re.compile(
    f"[{CONTROL}{FILLERS}{ORDER}{TAGS}{PRIVATE}{ALONE}\u200c-\u200f\u061c\ufe00-\ufe0f\U000e0100-\U000e01ef]"
)
FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{2,6}\U000e007f")  # of England, Scotland and Wales
HIDDEN_LETTERS = re.compile("[\U000e0020-\U000e007e]+")
FIRST_TAG = 0xE0000  # hidden letters are ordinary ones, so much further
JOINERS = re.compile("[\u200c\u200d]")
MARKS = re.compile("[\u200e\u200f\u061c]")
SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
JOINED = re.compile("[\u0600-\u08ff\u0900-\u0dff\u0e00-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefe]")
RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe]")
IDEOGRAPH = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff\u1800-\u18af]")
WORD = re.compile(r"[^\W\d_]{3,}")
LATIN = re.compile("[A-Za-z]")
ALIKE = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u04bb\u051b\u051d\u0261"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0406\u0408\u0405"
    "\u03bf\u03c1\u03bd\u03b1\u03b9\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7",
    "aeopcyxijsdhqwgABEKMHOPCTXIJSopvaiABEZHIKMNOPTYX",
)
SPELT = re.compile(r"\\(?:u00|x)([2-7][0-9a-f])", re.IGNORECASE)  # `\u0069`
SPACED = re.compile(r"(?<![^\W_])(?:[^\W\d_][ .\-]){3,}[^\W\d_](?![^\W_])")  # `i g n o r e`
DIGITS = re.compile(r"\b(?:[a-z]+[013457]+[a-z]+|[013457][a-z]{3,})\b", re.IGNORECASE)  # `prev1ous`
WITH_DIGITS = re.compile(r"(?=[0-9]*[a-z])[a-z0-9]+", re.IGNORECASE)
LETTER_OF = str.maketrans("013457", "oieast")
LIKE_LATIN = re.compile(f"[{''.join(map(chr, ALIKE))}]")


def has_unseen(text: str) -> bool:
    """Whether it has characters that nothing visible needs: a joiner between emoji or Persian letters is needed."""
    if text.isascii() and text.isprintable():
        return False
    text = FLAG.sub("\U0001f3f4", text).removeprefix("\ufeff")
    if NEVER.search(text):
        return True
    if MARKS.search(text) and not RIGHT_TO_LEFT.search(text):
        return True
    return any(not _is_joined(text, found.start()) for found in JOINERS.finditer(text)) or any(
        not _is_selected(text, found.start()) for found in SELECTORS.finditer(text)
    )


def has_lookalikes(text: str) -> bool:
    """Whether a word is of Latin letters and of others that look the same."""
    if text.isascii():
        return False
    return any(LATIN.search(word[0]) and LIKE_LATIN.search(word[0]) for word in WORD.finditer(text))


def plain(text: str) -> str:
    """What a model may take it for: without what is not seen, with ordinary letters. Hidden letters become seen."""
    if text.isascii():
        return text
    shown = HIDDEN_LETTERS.sub(lambda run: " " + "".join(chr(ord(c) - FIRST_TAG) for c in run[0]), text)
    return unicodedata.normalize("NFKC", ALL.sub("", shown)).translate(ALIKE if LATIN.search(shown) else {})


def undisguised(text: str) -> str:
    """The same with letters that are spelt out, set apart or written as digits put back; mostly it is as it was."""
    found = SPELT.sub(lambda code: chr(int(code[1], 16)), text) if "\\" in text else text
    found = SPACED.sub(lambda word: re.sub(r"[ .\-]", "", word[0]), found)
    if DIGITS.search(found):
        found = WITH_DIGITS.sub(lambda word: word[0].replace("11", "ll").translate(LETTER_OF), found)
    return found


def _is_joined(text: str, at: int) -> bool:
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if JOINED.match(before):
        return True
    return text[at] == "\u200d" and _is_picture(before) and _is_picture(after)


def _is_selected(text: str, at: int) -> bool:
    """A selector belongs to the one character before it: an emoji, a digit of a key, an ideograph."""
    before = text[at - 1 : at]
    if SELECTORS.match(before):
        return False
    return _is_picture(before) or bool(IDEOGRAPH.match(before)) or (bool(before) and before in "0123456789#*")


def _is_picture(character: str) -> bool:
    return bool(character) and (
        unicodedata.category(character) in ("So", "Sk", "Sm") or character in "\ufe0f\u203c\u2049"
    )
