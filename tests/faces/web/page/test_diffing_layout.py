from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deedlog.faces.web.page.diffing import layout
from deedlog.faces.web.page.diffing.colours import coloured
from deedlog.faces.web.page.diffing.files import files_of, tree_of
from deedlog.faces.web.page.diffing.parsed import ADDED, REMOVED, FilePatch, Hunk, Line
from deedlog.faces.web.page.diffing.visible import visible
from deedlog.faces.web.page.diffing.words import differing, paired

TAG = re.compile(r"<[^>]*>")


def read(html: str) -> str:
    return unescape(TAG.sub("", html))


def of(rows: list[str], path: str = "a.py") -> FilePatch:
    """A patch of one hunk, from lines with their signs."""
    old = new = 0
    lines = []
    for row in rows:
        old, new = old + (row[0] != ADDED), new + (row[0] != REMOVED)
        lines.append(Line(row[0], row[1:], old if row[0] != ADDED else None, new if row[0] != REMOVED else None))
    return FilePatch(path, path, "modified", "", hunks=[Hunk(1, old, 1, new, "", lines)])


def shown(rows: list[str], path: str = "a.py") -> list[layout.Shown]:
    return [line for part in layout.parts(of(rows, path)) for line in part.lines]


def test_the_line_that_replaces_another_stands_beside_it() -> None:
    lines = shown(
        [" a", "-total = price", "-log(total)", "+total = price * count", "+check(total)", "+log(total, 2)", " b"]
    )
    rows = [[side.line.text if side else None for side in row] for row in layout.side_by_side(lines)]
    assert rows == [
        ["a", "a"],
        ["total = price", "total = price * count"],
        [None, "check(total)"],
        ["log(total)", "log(total, 2)"],
        ["b", "b"],
    ]


def test_only_the_words_that_differ_are_marked() -> None:
    old, new = "return price * count", "return price * amount"
    left, right = differing(old, new)
    assert [old[slice(*span)] for span in left] == ["count"]
    assert [new[slice(*span)] for span in right] == ["amount"]


def test_lines_with_nothing_in_common_have_no_words_marked() -> None:
    assert differing("import os", "x = {1: 2}") == ([], [])


def test_lines_without_likeness_are_not_paired() -> None:
    assert paired(["import os", "import re"], ["def f():"]) == []


@given(old=st.text("ab (.)\té\u202e<&", max_size=40), new=st.text("ab (.)\té\u202e<&", max_size=40))
def test_whatever_is_marked_both_sides_have_the_same_rest(old: str, new: str) -> None:
    left, right = differing(old, new)
    rests = []
    for text, spans in ((old, left), (new, right)):
        at, rest = 0, ""
        for start, end in spans:
            rest, at = rest + text[at:start], end
        rests.append(rest + text[at:])
    if left or right:
        # joined spans may swallow a little of what is the same, on either side
        assert len(rests[0]) <= len(old)
        assert len(rests[1]) <= len(new)
    lines = shown([f"-{old}", f"+{new}"], "page.html")
    for line, text in zip(lines, (old, new), strict=True):
        assert read(str(line.code)).replace("U+202E", "\u202e") == text


@given(rows=st.lists(st.sampled_from([" same", "-a = 1", "+a = 2", "-b", "+c()", "+"]), max_size=30))
def test_side_by_side_shows_every_line_once_and_in_order(rows: list[str]) -> None:
    lines = shown(rows)
    beside = layout.side_by_side(lines)
    assert [left for left, _ in beside if left] == [line for line in lines if line.sign != ADDED]
    assert [right for _, right in beside if right] == [line for line in lines if line.sign != REMOVED]


def test_a_string_over_several_lines_is_coloured_on_all_of_them() -> None:
    tokens = coloured("a.py", ["x = '''one", "two", "three'''", "y = 1"])
    assert [[name for _, _, name in line] for line in tokens] == [
        ["s"] * len(tokens[0]),
        ["s"],
        ["s"] * len(tokens[2]),
        ["m"],
    ]
    assert tokens[1] == [(0, 3, "s")]


def test_code_of_an_unknown_kind_is_shown_without_colours() -> None:
    assert coloured("data.unheard-of", ["a", "b"]) == [[], []]


def test_markup_in_code_is_text() -> None:
    (line,) = shown(["+<script>alert('x')</script>"], "a.html")
    assert "<script" not in line.code
    assert read(str(line.code)) == "<script>alert('x')</script>"


@pytest.mark.proves("page:diff:seen")
def test_characters_that_turn_text_around_are_written_out() -> None:
    for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200B, 0x7F):
        html = str(visible(f"a{chr(code)}b"))
        assert chr(code) not in html
        assert f"U+{code:04X}" in html


def test_a_byte_that_is_no_text_and_a_carriage_return_are_seen() -> None:
    assert read(str(visible("caf\udce9"))) == "caf\\xe9"
    assert [read(str(line.code)) for line in shown(["-a\r", "+a", " b\r"])] == ["a^M", "a", "b"]


def test_a_long_line_is_cut_and_says_by_how_much() -> None:
    (line,) = shown(["+" + "x" * 5_000])
    assert len(read(str(line.code))) == layout.LONGEST_LINE
    assert line.cut == 5_000 - layout.LONGEST_LINE
    ((whole,),) = (part.lines for part in layout.parts(of(["+" + "x" * 5_000]), longest=layout.LONGEST_SHOWN))
    assert whole.cut == 0


def test_parts_of_a_long_file_have_every_line_once() -> None:
    file = of([f"{'+- '[n // 7 % 3]}line {n}" for n in range(5_000)])
    seen: list[str] = []
    at = 0
    while at < file.lines:
        lines = [line for part in layout.parts(file, at) for line in part.lines]
        seen += [line.line.text for line in lines]
        assert lines[-1].at == at + len(lines) - 1
        at = lines[-1].at + 1
    assert seen == [f"line {n}" for n in range(5_000)]


@pytest.mark.proves("page:diff:large")
def test_sixty_thousand_lines_are_shown_part_by_part() -> None:
    file = of([f"+value_{n} = {n}" for n in range(60_000)])
    assert sum(len(part.lines) for part in layout.parts(file)) <= layout.PART * 1.25
    assert [part.lines[0].line.new for part in layout.parts(file, 59_990)] == [59_991]


def test_folders_with_one_folder_in_them_stand_in_one_row() -> None:
    files = files_of(
        {"path": path, "status": "added", "by": "task"} for path in ("src/a/b/one.py", "src/a/b/two.py", "top")
    )
    tree = tree_of(files)
    assert list(tree.folders) == ["src/a/b"]
    assert [str(file.name) for file in tree.folders["src/a/b"].files] == ["one.py", "two.py"]
    assert [file.path for file in tree.files] == ["top"]
    assert tree.count == 3


def test_a_rename_is_one_file() -> None:
    rows = [
        {"path": "a", "status": "deleted", "by": "task", "renamed_to": "b"},
        {"path": "b", "status": "added", "by": "task", "renamed_from": "a"},
    ]
    assert [(file.path, file.mark) for file in files_of(rows)] == [("b", "R")]
