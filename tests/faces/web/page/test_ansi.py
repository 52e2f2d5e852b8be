from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

from deedlog.faces.web.page.ansi import Painter
from deedlog.faces.web.page.look import STATIC

STYLES = Path(STATIC, "log.css").read_text()
NAMES = [*(f"c{number}" for number in range(16)), *("n" + "".join(rgb) for rgb in product("0123", repeat=3))]
PANEL = "#0f1117"


def test_colours_are_classes_and_text_is_escaped() -> None:
    assert Painter().line("\x1b[1;31m<b>\x1b[0m & more") == '<span class="bold c1">&lt;b&gt;</span> &amp; more'


def test_links_are_links_and_cannot_be_left() -> None:
    painted = Painter().line('\x1b]8;;https://a.example/"><script>\x1b\\x\x1b]8;;\x1b\\')
    assert painted.startswith('<a href="https://a.example/&#34;&gt;&lt;script&gt;"')
    assert "<script>" not in painted


@pytest.mark.parametrize("text", ["\x1b[", "\x1b]8;;", "\x1b", "\x9b", "\x00", "\x1b[31;\x07", "\x7f"])
def test_no_escape_is_left(text: str) -> None:
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", Painter().line(f"a{text}"))


def test_what_is_looked_for_is_marked_also_across_colours() -> None:
    assert (
        Painter("ERR&").line("an e\x1b[31mrr\x1b[0m&amp")
        == 'an <mark>e</mark><span class="c1"><mark>rr</mark></span><mark>&amp;</mark>amp'
    )


def test_inverse_text_has_one_look() -> None:
    assert Painter().line("\x1b[7;31;44;1mx") == '<span class="inverse bold">x</span>'


@pytest.mark.proves("page:log:colours")
def test_every_colour_is_readable_on_every_ground() -> None:
    colours = {name: _style(f".log .{name}{{color:") for name in NAMES}
    grounds = {name: _style(f".log .on-{name}{{background:") for name in NAMES}
    darkest = min(_light(colour) for colour in [*colours.values(), "#b4bcca", "#d6dbe6"])
    lightest = max(_light(ground) for ground in [*grounds.values(), PANEL])
    assert (darkest + 0.05) / (lightest + 0.05) >= 4.5


def _style(start: str) -> str:
    at = STYLES.index(start) + len(start)
    return STYLES[at : at + 7]


def _light(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
