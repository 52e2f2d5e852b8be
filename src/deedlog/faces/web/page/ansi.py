"""Printed lines as HTML: colours are classes of log.css, links are links, everything else is escaped text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from deedlog.core.terminal import Screen, sought

if TYPE_CHECKING:
    from deedlog.core.terminal import Look, Run

OPEN, CLOSE = Markup('<span class="{}">'), Markup("</span>")
LINK = Markup('<a href="{}" rel="noopener noreferrer nofollow">')
MARKED = Markup("<mark>{}</mark>")


class Painter:
    """Paints lines one after the other; what is looked for is marked."""

    def __init__(self, looked_for: str = "") -> None:
        self._screen = Screen()
        self._sought = sought(looked_for) if looked_for else None

    def line(self, text: str) -> Markup:
        runs = self._screen.line(text)
        return Markup("").join(_run(run, marks) for run, marks in _marked(runs, self._sought))


def _marked(runs: list[Run], wanted: re.Pattern[str] | None) -> Iterator[tuple[Run, list[tuple[int, int]]]]:
    """Each run with the places in it that are marked; what is looked for may go over several runs."""
    whole = "".join(run[0] for run in runs)
    spans = [match.span() for match in wanted.finditer(whole)] if wanted else []
    start = 0
    for run in runs:
        end = start + len(run[0])
        inside = [(max(a, start) - start, min(b, end) - start) for a, b in spans if a < end and b > start]
        yield run, inside
        start = end


def _run(run: Run, marks: list[tuple[int, int]]) -> Markup:
    text, look, link = run
    inner = _with_marks(text, marks)
    if classes := _classes(look):
        inner = OPEN.format(classes) + inner + CLOSE
    if link:
        inner = LINK.format(link) + inner + Markup("</a>")
    return inner


def _with_marks(text: str, marks: list[tuple[int, int]]) -> Markup:
    pieces, at = [], 0
    for start, end in marks:
        pieces += [escape(text[at:start]), MARKED.format(text[start:end])]
        at = end
    return Markup("").join([*pieces, escape(text[at:])])


def _classes(look: Look) -> str:
    """Inverse video is one look of its own, whatever the colours: it must be readable."""
    if "inverse" in look:
        look = tuple(name for name in look if not name.startswith(("on-", "c", "n")) and name != "dim")
    return " ".join(look)
