from __future__ import annotations

import pytest

from deedlog.core.terminal import MOST_COLUMNS, Screen, plain


@pytest.mark.parametrize(
    ("printed", "seen"),
    [
        ("as it is\twith a tab", "as it is\twith a tab"),
        ("10%\r55%\r100%", "100%"),
        ("a long line\rshort\x1b[K", "short"),
        ("ends with a return\r", "ends with a return"),
        ("abc\b\bX", "aXc"),
        ("abc\x1b[2DX", "aXc"),
        ("abc\x1b[1GX", "Xbc"),
        ("abcdef\x1b[1G\x1b[3P", "def"),
        ("abc\x1b[2Kd", "   d"),
        ("ab\x1b[2Cc", "ab  c"),
        ("\x1b[1A\x1b[3Bmoved over lines", "moved over lines"),
        ("\x1b]0;a title\x07text", "text"),
        ("\x1b]0;a title\x1b[31mtext", "text"),
        ("\x1bP1;2|device\x1b\\text", "text"),
        ("\x1b]8;;https://example.com\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b[38;2;1;2;3mcolour\x1b[m", "colour"),
        ("\x9b31mone byte\x9b0m", "one byte"),
        ("bell\x07 nothing\x00 shift\x0e", "bell nothing shift"),
        ("unfinished \x1b", "unfinished "),
        ("unfinished \x1b[31", "unfinished "),
        ("unfinished \x1b]8;;http", "unfinished "),
        ("\x1b(B\x1b=kept", "kept"),
    ],
)
def test_escapes_are_obeyed_or_left_out(printed: str, seen: str) -> None:
    assert plain(printed) == seen


def test_a_cursor_is_not_moved_out_of_all_bounds() -> None:
    assert len(plain("\x1b[999999999Cx\x1b[99999999999999999999Gy")) <= MOST_COLUMNS + 2


def test_what_a_line_leaves_switched_on_holds_for_the_next() -> None:
    screen = Screen()
    assert screen.line("\x1b[1;31mred") == [("red", ("bold", "c1"), "")]
    assert screen.line("still\x1b[22m thin\x1b[39m plain") == [
        ("still", ("bold", "c1"), ""),
        (" thin", ("c1",), ""),
        (" plain", (), ""),
    ]


@pytest.mark.parametrize(
    ("codes", "look"),
    [
        ("31", ("c1",)),
        ("97", ("c15",)),
        ("44", ("on-c4",)),
        ("101", ("on-c9",)),
        ("38;5;9", ("c9",)),
        ("38;5;208", ("n320",)),
        ("48;5;255", ("on-n333",)),
        ("38;2;255;0;0", ("n300",)),
        ("38:2::0:0:255", ("n003",)),
        ("48:5:196", ("on-n300",)),
        ("38;2;1;2;3;4", ("n000", "underline")),
        ("38;5", ()),
        ("38", ()),
        ("4:0", ()),
        ("999;;77777777777777777777", ()),
    ],
)
def test_colours_are_named_by_the_nearest_there_is(codes: str, look: tuple[str, ...]) -> None:
    assert Screen().line(f"\x1b[{codes}mx") == [("x", look, "")]


@pytest.mark.parametrize("address", ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "//example.com"])
def test_only_links_to_the_web_are_links(address: str) -> None:
    assert Screen().line(f"\x1b]8;;{address}\x07here\x1b]8;;\x07") == [("here", (), "")]
    assert Screen().line("\x1b]8;id=1;https://a.example\x07here")[0][2] == "https://a.example"
