"""JSON-ready data as YAML that every parser reads back as it was, whatever is in its texts."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

PLAIN = re.compile(r"[^\W\d_][\w./-]*(?: [\w./-]+)*")
WORDS = {"true", "false", "null", "yes", "no", "on", "off", "y", "n"}  # not texts, in one version of YAML or the other
ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
SPACES = str.maketrans("", "", "\t\u00a0\u3000")  # nothing in YAML, though they count as not printable
INDENT = "  "
WIDEST_SHORT = 0xFFFF
LONGEST_LINE = 80


def dumps(data: dict[str, Any]) -> str:
    """A mapping as a document: long texts as blocks, everything else a line each."""
    return "".join(f"{line}\n" for line in _mapping(data))


def _mapping(data: dict[str, Any]) -> Iterator[str]:
    for name, value in data.items():
        yield from _entry(f"{scalar(name)}:", value)


def _entry(head: str, value: Any) -> Iterator[str]:
    """`head` with a value, which begins on the same line where it fits there."""
    if value and isinstance(value, dict | list):
        yield head
        yield from (INDENT + line for line in (_mapping(value) if isinstance(value, dict) else _sequence(value)))
    elif isinstance(value, str) and _is_block(value):
        yield f"{head} {_block_mark(value)}"
        yield from (INDENT + line if line else "" for line in value.removesuffix("\n").split("\n"))
    else:
        yield f"{head} {scalar(value)}"


def _sequence(data: list[Any]) -> Iterator[str]:
    for value in data:
        if value and isinstance(value, dict):
            first, *others = _mapping(value)
            yield f"- {first}"
            yield from (INDENT + line for line in others)
        elif isinstance(value, str):
            yield f"- {quoted(value)}"
        else:
            yield from _entry("-", value)


def scalar(value: Any) -> str:
    """A value that fits on a line: a text as it is where nobody could take it for something else."""
    if isinstance(value, str):
        return value if PLAIN.fullmatch(value) and value.lower() not in WORDS else quoted(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, float):
        mantissa, e, exponent = repr(value).partition("e")
        return f"{mantissa}{'' if '.' in mantissa else '.0'}e{exponent}" if e else mantissa
    return str(value) if isinstance(value, int) else "[]" if isinstance(value, list) else "{}"


def quoted(text: str) -> str:
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(char: str) -> str:
    if char in ESCAPES:
        return ESCAPES[char]
    if char.isprintable():
        return char
    return f"\\u{ord(char):04x}" if ord(char) <= WIDEST_SHORT else f"\\U{ord(char):08x}"


def _is_block(text: str) -> bool:
    """Whether a text can stand as it is: long, and of nothing that would be read as something else."""
    lines = text.split("\n")
    return (
        ("\n" in text or len(text) > LONGEST_LINE)
        and text.strip() != ""
        and all(line.translate(SPACES).isprintable() for line in lines)
    )


def _block_mark(text: str) -> str:
    """What tells a reader how deep the block is, where its first line does not, and how many line ends it has."""
    depth = str(len(INDENT)) if text[0] in " \t\n" else ""
    ends = len(text) - len(text.rstrip("\n"))
    return f"|{depth}{'-+'[ends > 1] if ends != 1 else ''}"
