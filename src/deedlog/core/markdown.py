"""Text of others in Markdown: it never becomes structure, a link or HTML."""

from __future__ import annotations

import re

from deedlog.core.words import one_line

SPECIAL = re.compile(r"[\\`*_{}\[\]|~#]|:(?=//)|^[-+=]|(?<=^\d)[.)]|(?<=^\d\d)[.)]")  # what could mean something
RUN = re.compile(r"`+")
LONGEST_LINE = 2_000
HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
UNSEEN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def line(text: object, width: int = LONGEST_LINE) -> str:
    """`text` on one line, as it reads; marks that would turn the direction of what follows are left out."""
    flat = one_line(UNSEEN.sub(" ", str(text)), width)
    escaped = re.sub(r"[&<>]", lambda found: HTML[found[0]], flat)
    return SPECIAL.sub(lambda found: f"\\{found[0]}", escaped)


def quoted(text: str) -> str:
    """`text` as a quotation, line by line."""
    return "\n".join(f"> {line(each)}".rstrip() for each in text.strip().splitlines())


def fenced(text: str, language: str = "") -> str:
    """`text` as it is; its fence is longer than any in it."""
    fence = "`" * max(3, 1 + max((len(run) for run in RUN.findall(text)), default=0))
    ending = "" if text.endswith("\n") else "\n"
    return f"{fence}{language}\n{text}{ending}{fence}"


def code(text: object) -> str:
    """A name or path on one line, as it is."""
    flat = UNSEEN.sub(" ", " ".join(str(text).split())).replace("|", "¦")
    fence = "`" * (1 + max((len(run) for run in RUN.findall(flat)), default=0))
    gap = " " if flat.startswith("`") or flat.endswith("`") else ""
    return f"{fence}{gap}{flat}{gap}{fence}" if flat else ""
