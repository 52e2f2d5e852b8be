"""Code coloured: which part of each line is a keyword, a string, a comment. Pygments is loaded when it is needed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from time import monotonic
from typing import Any

Tokens = list[tuple[int, int, str]]  # from, to, class
MOST_CHARACTERS = 300_000  # of one side of one hunk
LONGEST_LINE = 2_000
MOST_SECONDS = 1.0
CLASSES = (  # by the beginning of what Pygments calls it; the first that fits
    ("Token.Comment.Preproc", "p"),
    ("Token.Comment", "c"),
    ("Token.Keyword.Constant", "m"),
    ("Token.Keyword.Type", "t"),
    ("Token.Keyword", "k"),
    ("Token.Operator.Word", "k"),
    ("Token.Name.Function", "f"),
    ("Token.Name.Class", "f"),
    ("Token.Name.Builtin", "t"),
    ("Token.Name.Exception", "t"),
    ("Token.Name.Decorator", "p"),
    ("Token.Name.Tag", "k"),
    ("Token.Name.Attribute", "f"),
    ("Token.Name.Constant", "m"),
    ("Token.Literal.String", "s"),
    ("Token.Literal", "m"),
    ("Token.Generic.Heading", "k"),
    ("Token.Generic.Subheading", "k"),
    ("Token.Generic.Strong", "f"),
)


def coloured(path: str, lines: Sequence[str]) -> list[Tokens]:
    """The tokens of each line. What stands together in a hunk is read at once: a string may span its lines."""
    found: list[Tokens] = [[] for _ in lines]
    texts = [line if len(line) <= LONGEST_LINE else "" for line in lines]
    lexer = _lexer(path) if lines and sum(map(len, texts)) <= MOST_CHARACTERS else None
    if lexer is None:
        return found
    try:
        _read(lexer, texts, found)
    except Exception:  # noqa: BLE001  # code that a lexer cannot read is shown without colours
        return [[] for _ in lines]
    return found


def _read(lexer: Any, texts: list[str], found: list[Tokens]) -> None:
    row = column = 0
    until = monotonic() + MOST_SECONDS
    for _, kind, value in lexer.get_tokens_unprocessed("\n".join(texts) + "\n"):
        name = _class(kind)
        for at, part in enumerate(value.split("\n")):
            if at:
                row, column = row + 1, 0
            if name and part and row < len(found):
                found[row].append((column, column + len(part), name))
            column += len(part)
        if monotonic() > until:
            return


@lru_cache(maxsize=500)
def _class(kind: Any) -> str:
    said = str(kind)
    return next((name for start, name in CLASSES if said.startswith(start)), "")


def _lexer(path: str) -> Any:
    name = path.rpartition("/")[2].rstrip('"')
    ending = name.rpartition(".")[2]
    found = _lexer_class(f"file.{ending}" if "." in name[1:] and ending.isalnum() and ending != "txt" else name)
    return found() if found else None  # one each: some keep notes while they read


@lru_cache(maxsize=200)
def _lexer_class(name: str) -> Any:
    from pygments.lexers import find_lexer_class_for_filename  # type: ignore[import-untyped]

    return find_lexer_class_for_filename(name)
