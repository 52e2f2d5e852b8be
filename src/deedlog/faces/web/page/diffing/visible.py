"""Foreign text as HTML that hides nothing: what turns the direction of text, or prints nothing, is written out."""

from __future__ import annotations

import re
from unicodedata import name

from markupsafe import Markup, escape

ODD = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
FIRST_BYTE, LAST_BYTE = 0xDC80, 0xDCFF  # a byte that is no text


def visible(text: str) -> Markup:
    """Text, escaped; characters nobody would see are shown as what they are."""
    if not ODD.search(text):
        return escape(text)
    parts: list[str] = []
    at = 0
    for found in ODD.finditer(text):
        parts += [escape(text[at : found.start()]), _told(found.group())]
        at = found.end()
    return Markup("").join([*parts, escape(text[at:])])


def _told(character: str) -> Markup:
    code = ord(character)
    if FIRST_BYTE <= code <= LAST_BYTE:
        sign, about = f"\\x{code - FIRST_BYTE + 0x80:02x}", "a byte that is not text"
    elif code < 0x20:  # noqa: PLR2004  # as terminals have it: few fonts have the pictures of these
        sign, about = f"^{chr(code + ord('@'))}", f"U+{code:04X}"
    else:
        sign, about = f"U+{code:04X}", name(character, "a control character").lower()
    return Markup('<span class="odd" title="{}">{}</span>').format(about, sign)
