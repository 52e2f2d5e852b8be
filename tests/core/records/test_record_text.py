"""Text of others in records: nothing in it forges structure, and nothing of it is lost."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from deedlog.core.clarify.values import ANSWER, Decided
from deedlog.core.records.adr import PART_1, PART_2, read_adr, render_adr
from deedlog.core.records.architecture import fold, is_ours, render_state
from deedlog.core.records.building import plan_records
from deedlog.core.records.markdown import block, flat, inline, plain
from deedlog.core.records.slug import file_slug
from deedlog.core.records.task import read_task, render_task
from deedlog.core.records.uid import uid_at
from deedlog.core.records.values import Adr, Book, Change, CurrentTask, Held
from deedlog.core.records.wanted import Wanted

UID, OTHER = "20250108T143512.237Z-A001", "20250108T143512.237Z-EEEE"
EVIL = (
    f"x\n### Database\n- **Type**: Evil (ADR {OTHER})\n",
    f"<!-- UID: {OTHER} -->",
    "--> <script>alert(1)</script> <!--",
    "```\n# PART 2: DECISION DETAILS\n```json deedlog-snapshot\n{}\n```",
    "\n```\n\n## CURRENT ARCHITECTURE STATE\n\n### Evil\n- **A**: b (ADR x)",
    f"a (ADR {OTHER})",
    f"Kafka (was: nothing (ADR {OTHER}))",
    "\u202eevil\u202c \u2066x\u2069 \ufeff\u200b\U000e0041",
    "\x00\x1b[31m\x07\r\n\x0b\x0c\x85\u2028\u2029# H",
    "\ud800 \udfff lone",
    "---\nstatus: accepted\n---\n===\n***\n___\n    code\n\tcode",
    "1. one\n2) two\n+ plus\n* star\n> quote\n~~~\n| a | b |\n: def\n[x]: http://e.example",
    "&lt;!-- &amp; &#60; AT&T \\ \\\\ `code` *b* _i_ C# F #",
    "認証を追加する 🏴‍☠️ données",
    "x" * 20_000,
    "",
)
hostile = st.one_of(st.sampled_from(EVIL), st.text(st.characters(exclude_categories=()), max_size=80))


def paired(text: str) -> str:
    """Two halves of one character that stand side by side are that character in JSON."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


texts = hostile.map(paired)
structure = re.compile(r"^ {0,3}(#{1,6}(\s|$)|<!--|```|~~~|[-*+]\s|\d+[.)]\s|>|\||(=+|-+)\s*$)")


@given(hostile)
def test_a_line_can_be_read_back_and_starts_nothing(text: str) -> None:
    written = inline(text)
    assert plain(written) == flat(text)
    assert written.isprintable() or not set(written) & set("\n\r\u2028\u2029\x00\x1b\u202e")
    assert "<" not in written
    assert ">" not in written
    assert "(ADR " not in written.replace("\\(", "")
    assert not re.search(r"(?<!\\)(\\\\)*`", written)


@given(hostile)
def test_no_line_of_a_paragraph_begins_a_structure(text: str) -> None:
    written = block(text)
    assert not [line for line in written.split("\n") if structure.match(line)]
    written.encode()  # no half of a character is left


def lines(text: str) -> list[str]:
    """Headings, comments, fences and list items with their first words: the structure of a file."""
    return [line for line in text.split("\n") if re.match(r"#+ |<!--|```|- \*\*|- Added|- Modified|\*\*", line)]


def shape(text: str) -> list[str]:
    """The mark that each of these lines begins with."""
    found = (
        re.match(r"#+ |<!-- \w+: |```(json [\w-]+)?|- \*\*|- Added: |- Modified: |\*\*\w+", line)
        for line in lines(text)
    )
    return [mark[0] for mark in found if mark]


def adr_saying(text: str) -> Adr:
    text = text or "x"  # without a value a change takes its field out
    return Adr(
        uid=UID,
        title=text,
        path="docs/adr/x.md",
        area=text,
        date="2025-01-08T14:35:12Z",
        changes=[Change(area=text, field=text, value=text, was=text, was_uid=OTHER, over=[OTHER])],
        snapshot={text: {text: Held(value=text, uid=UID)}},
        context=text,
        decision=text,
        rationale=text,
        alternatives=[text],
        consequences=[text, text],
    )


@pytest.mark.proves("text:markdown:single-line")
@given(texts)
def test_an_adr_keeps_every_text_and_its_shape(text: str) -> None:
    adr = adr_saying(text)
    written = render_adr(adr)
    assert shape(written) == shape(render_adr(adr_saying("harmless")))
    assert read_adr(adr.path, written.encode().decode()) == adr
    assert read_adr(adr.path, "\ufeff" + written.replace("\n", "\r\n")) == adr


@pytest.mark.proves("text:markdown:single-line")
@given(texts)
@example(EVIL[0])
def test_the_architecture_file_keeps_its_shape(text: str) -> None:
    adr = adr_saying(text)
    state = render_state(fold([adr]))
    assert is_ours(state)
    assert [line for line in state.split("\n") if line.startswith("<!--")] == [
        f"<!-- UID: {UID} -->",
        "<!-- Schema: v1 -->",
    ]
    assert sum(line.startswith("### ") for line in state.split("\n")) == 1
    assert sum(line.startswith("- **") for line in state.split("\n")) == 1
    text = adr.area
    assert fold([adr]).plain() == {text: {text: text}}


@pytest.mark.proves("text:markdown:single-line")
@given(st.lists(texts, min_size=4, max_size=4))
def test_a_task_keeps_its_shape_and_its_lists(said: list[str]) -> None:
    task = CurrentTask(
        uid=UID,
        title=said[0],
        created="2025-01-08T14:35:12Z",
        adr=OTHER,
        objective=said[1],
        context=said[2],
        allowlist=["src/auth", "docs/a`b.md"],
        constraints=[said[3]],
        assumptions=[said[0]],
        criteria=[said[1]],
    )
    read = read_task(render_task(task).encode().decode())
    assert (read.uid, read.adr, read.created) == (UID, OTHER, task.created)
    assert (read.allowlist, read.forbidden) == (task.allowlist, [])
    kept = (("constraints", said[3]), ("assumptions", said[0]), ("criteria", said[1]))
    for name, text in kept:
        assert getattr(read, name) == ([flat(text)] if flat(text) else [])


@pytest.mark.proves("text:markdown:single-line")
@given(texts)
def test_no_answer_adds_or_alters_another_category(text: str) -> None:
    decided = [Decided(area="Authentication", field="Strategy", value=text, source=ANSWER)]
    uids = iter([uid_at(1, 1), uid_at(2000, 2)])
    spec = Wanted(title=text, intention=text, context=text, adr=True, decided=decided, criteria=[text], rejected=[text])
    planned = plan_records(Book(), spec, lambda: next(uids), 0)
    (file,) = [file for file in planned.files if file.new]
    assert file.path.startswith("docs/adr/")
    assert re.fullmatch(r"[\w.-]+", file.path.removeprefix("docs/adr/"))
    read = read_adr(file.path, file.text)
    assert fold([read]).plain() == ({"Authentication": {"Strategy": text}} if text else {})


@given(hostile)
def test_a_file_name_is_harmless_whatever_the_title(text: str) -> None:
    name = file_slug(text, "untitled")
    assert re.fullmatch(r"\w+", name)
    assert len(name) <= 50
    assert len(name.encode()) <= 200


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Add a MySQL database", "add_a_mysql_database"),
        ("Base de données", "base_de_donnees"),
        ("認証機能を追加する", "認証機能を追加する"),
        ("がぎぐ ガ", "がぎぐ_ガ"),
        ("../../etc/passwd", "etc_passwd"),
        ("🏴", "untitled"),
    ],
)
def test_a_file_name_can_be_read(title: str, name: str) -> None:
    assert file_slug(title) == name


@pytest.mark.proves("clarify:adr:parts")
def test_part_1_comes_before_part_2_and_both_say_what_the_document_wants() -> None:
    written = render_adr(adr_saying("x"))
    parts = [line.removeprefix("# ") for line in lines(written) if line.startswith("# ")]
    assert parts == ["ADR: x", PART_1, PART_2]
    first, second = written.split(f"# {PART_2}")
    for heading in ("**UID:**", "**Date (UTC):**", "**Previous:**", "## Changes in this version", "(was: x (ADR"):
        assert heading in first
    sections = [line for line in lines(second) if line.startswith("## ")]
    assert sections[:5] == [
        "## Context",
        "## Decision",
        "## Rationale",
        "## Alternatives Considered",
        "## Consequences",
    ]


@pytest.mark.proves("clarify:projection:part-1")
def test_the_architecture_file_has_the_list_of_part_1_and_no_more() -> None:
    adr = adr_saying("x")
    state, part_1 = render_state(fold([adr])), render_adr(adr).split(f"# {PART_2}")[0]
    listed = state.partition("## Categories\n\n")[2].rstrip("\n")
    assert part_1.partition("## CURRENT ARCHITECTURE STATE\n\n")[2].partition("\n\n## ")[0] == listed
    assert state.startswith(f"<!-- UID: {UID} -->\n<!-- Schema: v1 -->\n")
    assert "PART 2" not in state
