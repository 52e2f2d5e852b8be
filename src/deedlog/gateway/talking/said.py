"""What a server wrote beside the protocol, for whoever has to find out why it failed."""

from __future__ import annotations

from deedlog.core.words import one_line

MOST = 2_000
LINES = 3
WIDTH = 400


def end_of(text: str) -> str:
    """The end of it, in whole lines: what is hidden in it is not recognised when it is cut in two."""
    text = text.strip()
    return text if len(text) <= MOST else text[-MOST:].partition("\n")[2]


def hint_of(text: str) -> str:
    """Its last lines as a part of a hint; nothing where there are none."""
    lines = [line for line in end_of(text).splitlines() if line.strip()][-LINES:]
    shown = one_line(" / ".join("".join(c if c.isprintable() else " " for c in line).strip() for line in lines), WIDTH)
    return f" It wrote last: {shown}" if shown else ""
