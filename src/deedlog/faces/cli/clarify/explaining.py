"""Why the gate says what it says, and the files it would lead to, for people."""

from __future__ import annotations

from deedlog.faces.cli.clarify.showing import INDENT, listed, plain, understood
from deedlog.faces.cli.style import CYAN, GREEN, RED, UNDERLINED
from deedlog.faces.cli.terminal import clean, width, wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from deedlog.faces.cli.style import Style

    Json = dict[str, Any]

PAINTS = {"+": GREEN, "-": RED, "@": CYAN}


def explained(request: str, found: Json, style: Style, room: int) -> Iterator[str]:
    """The request with the words that counted underlined, the rules they met, and what follows."""
    yield from marked(request, [(row["start"], row["end"]) for row in found["why"]], style)
    yield ""
    yield style.bold("Rules:")
    for row in found["why"]:
        words = f"“{plain(row['text'])}” " if row["text"] else ""
        lines = wrapped(f"{plain(row['rule'])}: {words}{plain(row['about'])}", room - len(INDENT))
        yield from (INDENT + line for line in lines)
    yield ""
    yield from wrapped(verdict(found), room)
    yield from understood(found, style, room)
    if found["questions"]:
        yield ""
        yield from wrapped(f"{_counted(len(found['questions']), 'question')} would be asked:", room)
        yield ""
        yield from listed(found["questions"], style, room)
    else:
        yield from wrapped(f"Nothing is open: {_counted(len(found['files']), 'file')} would be written.", room)
        yield from (INDENT + plain(file["path"]) for file in found["files"])


def verdict(found: Json) -> str:
    adr = "an ADR is due" if found["adr"] else "no ADR is due"
    return f"Kind of change: {plain(found['kind'])}; {adr} (rule {plain(found['rule'])})."


def _counted(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def marked(request: str, spans: list[tuple[int, int]], style: Style) -> Iterator[str]:
    """The request, with these parts of it underlined: by the terminal where it can, else on a line below."""
    counted = {place for start, end in spans if start >= 0 for place in range(start, end)}
    at = 0
    for line in request.split("\n"):
        places = [at + place in counted for place in range(len(line))]
        at += len(line) + 1
        if style.colour:
            yield "".join(_runs(line, places, style))
        else:
            yield clean(line)
            below = "".join(("^" if on else " ") * width(clean(c)) for c, on in zip(line, places, strict=True))
            if below.strip():
                yield below.rstrip()


def _runs(line: str, places: list[bool], style: Style) -> Iterator[str]:
    """A line in pieces that are underlined or not."""
    start = 0
    for end in range(1, len(line) + 1):
        if end == len(line) or places[end] != places[start]:
            piece = clean(line[start:end])
            yield style.painted(UNDERLINED, piece) if places[start] else piece
            start = end


def differences(found: Json, style: Style) -> Iterator[str]:
    """The files that would be written, as a unified diff."""
    for file in found["files"]:
        for line in clean(file["diff"]).splitlines():
            head = line.startswith(("+++", "---"))
            yield style.bold(line) if head else style.painted(PAINTS.get(line[:1], ""), line)
