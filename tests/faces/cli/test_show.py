from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deedlog.faces.cli.show import answer_lines
from deedlog.faces.cli.style import Style, short
from deedlog.faces.cli.table import Table
from deedlog.faces.cli.terminal import clean, cut, padded, width, wrapped

PLAIN = Style()
ROWS = [
    {"workflow_id": "wf-1", "name": "認証を足す", "status": "in_progress"},
    {"workflow_id": "wf-22", "name": "e\u0301te\u0301", "status": "failed"},
]


def lines(answer: Any, style: Style = PLAIN) -> list[str]:
    return list(answer_lines(answer, style))


@pytest.mark.proves("face:cli:readable")
def test_a_list_is_an_aligned_table_also_with_wide_and_combining_characters() -> None:
    shown = lines({"workflows": ROWS})
    assert shown == [
        "workflow_id  name        status",
        "wf-1         認証を足す  in_progress",
        "wf-22        e\u0301te\u0301         failed",
    ]
    assert {width(line[: line.index(word)]) for line, word in zip(shown[1:], ("in_", "failed"), strict=True)} == {25}


def test_without_a_terminal_nothing_is_cut_or_converted() -> None:
    long = "x" * 500
    answer = {"rows": [{"name": long, "at": "2025-01-15T10:00:00Z"}], "next_cursor": "abc"}
    assert lines(answer) == ["name" + " " * 58 + "at", f"{long}  2025-01-15T10:00:00Z", "next_cursor: abc"]


@pytest.mark.proves("face:cli:readable")
@pytest.mark.parametrize("columns", [48, 64, 80, 120])
def test_on_a_terminal_a_table_fits_and_never_cuts_ids(columns: int) -> None:
    rows = [{"seq": n, "op_id": "op-1j9x2k3m4n5p6q7r", "name": "名" * 60, "more": "x" * 90} for n in range(3)]
    shown = lines({"rows": rows}, Style(columns))
    assert all(width(line) <= columns for line in shown)
    assert all("op-1j9x2k3m4n5p6q7r" in line for line in shown[1:4])
    assert "…" in shown[1]
    assert shown[4:] == (["--json or a wider terminal shows also: more"] if columns == 48 else [])


def test_on_a_terminal_times_are_the_reader_s_with_their_distance_from_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setenv("TZ", "Asia/Kolkata")
    time.tzset()
    try:
        assert lines({"at": "2025-01-15T10:00:00.250Z", "x": 1}, Style(80))[0] == "at: 2025-01-15 15:30:00+05:30"
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(
    ("now", "shown"),
    [("2025-11-15", "09:16:37"), ("2025-11-16", "11-15 09:16"), ("2026-11-15", "2025-11-15")],
)
def test_in_a_table_a_time_is_no_longer_than_it_must_be(now: str, shown: str) -> None:
    assert short(datetime(2025, 11, 15, 9, 16, 37, tzinfo=UTC), datetime.fromisoformat(f"{now}T10:00:00Z")) == shown


def event(seq: int, **more: Any) -> dict[str, Any]:
    return {
        "seq": seq,
        "at": f"{datetime.now(UTC):%Y}-01-01T10:00:00.250Z",
        "kind": "workflow.created",
        "actor": "claude-code",
        "subjects": ["workflow://wf-1j9x2k3m4n5p6q7r"],
        "op_id": "op-1j9x2k3m4n5p6q7r",
        "operation": "start_workflow",
        "after": {"name": "x" * 100},
        **more,
    }


@pytest.mark.proves("face:cli:readable")
def test_the_columns_named_for_people_come_first_and_others_only_where_they_fit() -> None:
    rows = [event(7, text="task-1 Setup JWT started", cause=None), event(8, text="t" * 90, cause="")]
    first = ("at", "actor", "text")
    heading, row, longer, *hint = answer_lines({"events": rows}, Style(80), first)
    assert heading.split() == ["at", "actor", "text"]
    assert row.endswith("claude-code  task-1 Setup JWT started")
    assert width(longer) == 80
    assert " ".join(hint).endswith("shows also: seq, kind, subjects, op_id, operation, after")
    heading, *_ = answer_lines({"events": rows[:1]}, Style(80), first)
    assert heading.split() == ["at", "actor", "text", "seq", "kind"]
    heading, *_ = answer_lines({"events": rows}, PLAIN, first)
    assert heading.split()[:2] == ["seq", "at"]
    followed = Table(Style(80), rows[0], first)
    assert next(followed.lines(rows)).split() == ["at", "actor", "text"]


@pytest.mark.proves("face:cli:readable")
def test_rows_of_events_keep_their_subject_and_their_op_on_80_columns() -> None:
    for rows in ([event(7)], [event(12345, actor="tester")]):
        heading, row, hint = lines({"events": rows}, Style(80))
        assert heading.split() == ["seq", "at", "kind", "actor", "subjects", "op_id"]
        assert "wf-1j9x2k3m4n5p6q7r  op-1j9x2k3m4n5p6q7r" in row
        assert ".created" in row
        assert hint == "--json or a wider terminal shows also: operation, after"
    assert "workflow://wf-1j9x2k3m4n5p6q7r" in lines({"events": [event(7)]})[1]


def test_the_columns_left_out_are_all_named_on_a_narrow_terminal() -> None:
    *_, one, other = lines({"events": [event(7)]}, Style(40))
    assert f"{one} {other}" == "--json or a wider terminal shows also: subjects, op_id, operation, after"


def test_a_found_thing_s_kind_gives_way_to_its_title() -> None:
    hit = {"uri": "workflow://wf-1j9x2k3m4n5p6q7r", "kind": "workflow", "title": "t" * 40, "snippet": "s" * 90}
    heading, row, _ = lines({"hits": [hit]}, Style(80))
    assert heading.split() == ["uri", "title", "snippet"]
    assert row.startswith("workflow://wf-1j9x2k3m4n5p6q7r  tttttttttttttttttttt")


def test_what_grows_later_is_not_cut_where_one_copies_it() -> None:
    table = Table(Style(80))
    list(table.lines([event(9)]))
    assert next(iter(table.lines([event(12345)]))).startswith("12345  ")


def test_a_long_cell_does_not_push_other_rows_aside() -> None:
    rows = [{"data": "x" * 500, "end": "y"}, {"data": "short", "end": "z"}]
    assert lines({"rows": rows})[2] == "short" + " " * 57 + "z"


def test_one_thing_is_shown_field_by_field_and_long_text_is_wrapped() -> None:
    answer = {"name": "x", "summary": "word " * 20, "open": True, "tags": ["a", "b"], "none": None, "plan": [], "n": 0}
    assert lines(answer, Style(40)) == [
        "name:    x",
        "summary: word word word word word word",
        *["         word word word word word word"] * 2,
        "         word word ",
        "open:    yes",
        "tags:    a, b",
        "n:       0",
    ]


def test_a_single_text_is_printed_as_it_is() -> None:
    assert lines({"text": "# Title\n\n- item\n"}) == ["# Title\n\n- item"]


def test_several_lists_have_their_names_over_them() -> None:
    assert lines({"a": [{"x": 1}], "b": [{"y": 2}]}) == ["a:", "  x", "  1", "b:", "  y", "  2"]


def test_a_list_inside_of_one_thing_comes_after_its_fields_under_its_name() -> None:
    answer = {"workflow_id": "wf-1", "plan": [{"step": "1", "goal": "x"}], "status": "failed"}
    assert lines(answer) == ["workflow_id: wf-1", "status:      failed", "plan:", "  step  goal", "  1     x"]


def test_a_long_list_of_texts_has_a_line_for_each() -> None:
    conflicts = [f"op op-{number} was not applied: workflow wf-{number} is another here" for number in range(2)]
    assert lines({"added": 2, "conflicts": conflicts}) == [
        "added:     2",
        f"conflicts: {conflicts[0]}",
        f"           {conflicts[1]}",
    ]


def test_a_table_goes_on_without_a_second_heading() -> None:
    table = Table(PLAIN)
    assert list(table.lines([{"seq": 1, "kind": "workflow.created"}])) == ["seq  kind", "1    workflow.created"]
    assert list(table.lines([{"seq": 2, "kind": "x"}])) == ["2    x"]


@pytest.mark.proves("face:cli:escapes")
@pytest.mark.parametrize(
    "hostile",
    ["\x1b[2J", "\x1b]0;title\x07", "\x9b31m", "a\rb", "a\x08b", "\u202eevil", "\x7f", "\u2028", "\x00"],
)
def test_what_could_act_on_a_terminal_is_made_visible(hostile: str) -> None:
    for answer in ({"rows": [{"name": hostile}]}, {"name": hostile, "b": 1}, {"text": hostile}, {hostile: 1, "b": 2}):
        for style in (PLAIN, Style(80, colour=False)):
            shown = "\n".join(lines(answer, style))
            assert "\\" in shown
            assert not any(c in shown for c in hostile if c not in "[2J]0;title31mabevil")


@pytest.mark.proves("face:cli:escapes")
def test_a_name_with_a_line_end_looks_like_no_other() -> None:
    answer = {"changes": [{"path": "a\nb", "n": 1}, {"path": "a b", "n": 2}]}
    for style in (PLAIN, Style(80)):
        assert lines(answer, style) == ["path  n", "a\\nb  1", "a b   2"]
        assert lines({"paths": ["a\nb", "c"], "n": 1}, style)[0] == "paths: a\\nb, c"
        long = [f"{'x' * 40}\n{'y' * 20}", "z"]
        assert lines({"paths": long, "n": 1}, style)[:2] == [f"paths: {'x' * 40}\\n{'y' * 20}", "       z"]
    assert lines({"summary": "one\ntwo", "n": 1}) == ["summary: one", "         two", "n:       1"]


def test_only_a_colourful_style_has_colours() -> None:
    assert "\x1b[1m" in lines({"rows": ROWS}, Style(80, colour=True))[0]
    assert "\x1b" not in "".join(lines({"rows": ROWS}, Style(80)))


@given(st.text(), st.integers(min_value=2, max_value=60))
def test_cutting_padding_and_wrapping_keep_to_the_room(text: str, room: int) -> None:
    safe = clean(text).replace("\n", " ")
    assert width(cut(safe, room)) <= room
    assert width(padded(cut(safe, room), room)) == room
    assert all(width(line) <= room for line in wrapped(safe, room))
    assert "".join("".join(wrapped(safe, room)).split()) == "".join(safe.split())


@pytest.mark.proves("face:cli:readable")
def test_a_tree_is_drawn_in_front_of_its_rows() -> None:
    leaf = {"task_id": "task-3", "name": "c"}
    tree = [
        {"task_id": "task-1", "name": "a", "children": [{"task_id": "task-2", "name": "b", "children": [leaf]}, leaf]}
    ]
    assert lines({"tasks": [*tree, leaf]}) == [
        "task_id     name",
        "task-1      a",
        "├ task-2    b",
        "│ └ task-3  c",
        "└ task-3    c",
        "task-3      c",
    ]


@pytest.mark.proves("face:cli:readable")
def test_what_has_parts_is_shown_under_its_name() -> None:
    answer = {"task_id": "task-1", "outcome": {"summary": "x", "next": []}, "files": {"added": [], "deleted": []}}
    assert lines(answer) == ["task_id: task-1", "outcome:", "  summary: x", "files: none"]


@pytest.mark.proves("face:cli:readable")
def test_long_texts_in_one_thing_stand_under_each_other_and_are_not_cut() -> None:
    decisions = [{"question": "word " * 12, "chosen": "x"}, {"question": "short", "chosen": "y"}]
    assert lines({"task_id": "task-1", "decisions": decisions}, Style(40)) == [
        "task_id: task-1",
        "decisions:",
        "  - question: word word word word word",
        *["              word word word word word"],
        "              word word ",
        "    chosen:   x",
        "  - question: short",
        "    chosen:   y",
    ]


@pytest.mark.parametrize(("seconds", "shown"), [(0, "0s"), (1247, "20m 47s"), (18120, "5h 02m"), (270_000, "3d 03h")])
def test_on_a_terminal_a_duration_is_told_in_words(seconds: int, shown: str) -> None:
    assert lines({"duration_seconds": seconds, "n": 1}, Style(80))[0] == f"duration: {shown}"
    assert lines({"rows": [{"duration_seconds": seconds}]}, Style(80)) == ["duration", shown]
    assert lines({"duration_seconds": seconds, "n": 1})[0] == f"duration_seconds: {seconds}"


@pytest.mark.parametrize(
    ("milliseconds", "shown"), [(0, "0.0s"), (1_189, "1.1s"), (59_949, "59.9s"), (61_000, "1m 01s")]
)
def test_milliseconds_are_told_in_words_too(milliseconds: int, shown: str) -> None:
    assert lines({"durationMs": milliseconds, "n": 1}, Style(80))[0] == f"duration: {shown}"
    assert lines({"durationMs": milliseconds, "n": 1})[0] == f"durationMs: {milliseconds}"
    assert lines({"stall_ms": milliseconds, "n": 1}, Style(80))[0] == f"stall: {shown}"


@pytest.mark.parametrize("name", ["started_at", "committedAt", "ts"])
def test_a_moment_in_milliseconds_is_told_as_one(name: str) -> None:
    there = datetime(2025, 1, 15, 10, tzinfo=UTC).astimezone().isoformat(" ", "seconds")
    assert lines({name: 1_736_935_200_123, "n": 1}, Style(80))[0] == f"{name}: {there}"
    assert lines({name: 1_736_935_200_123, "n": 1})[0] == f"{name}: 2025-01-15T10:00:00.123Z"
    assert lines({name: 7, "n": 1}, Style(80))[0] == f"{name}: 7"


def test_rows_whose_important_columns_are_known_stand_side_by_side_also_below_other_fields() -> None:
    rows = [{"id": n, "status": "completed", "branch": f"task-3-s{n}", "worktree": "x" * 60} for n in (3, 4)]
    shown = list(answer_lines({"taskId": 3, "rows": rows, "shared": [{"path": "a"}]}, Style(40), ("id", "status")))
    assert shown[:3] == ["taskId: 3", "rows:", "  id  status     branch"]
    assert shown[3:5] == ["  3   completed  task-3-s3", "  4   completed  task-3-s4"]


def test_what_is_brief_shows_only_its_first_columns_also_without_a_terminal() -> None:
    rows = [{"run_id": "run-1", "correlation": {"a": 1}, "state": "done", "label": ""}]
    first = ("run_id", "label", "state")
    assert list(answer_lines({"runs": rows}, Style(brief=True), first)) == ["run_id  state", "run-1   done"]
    assert list(answer_lines({"n": 1, "runs": rows}, Style(brief=True), first))[1:] == [
        "runs:",
        "  run_id  state",
        "  run-1   done",
    ]
    assert "correlation" in next(answer_lines({"runs": rows}, Style(), first))


def test_lists_of_lists_have_a_line_each_however_short_they_are() -> None:
    assert lines({"n": 1, "waves": [["a", "b"], ["c"]]})[1:] == ["waves: a, b", "       c"]


@pytest.mark.proves("face:cli:readable")
def test_what_a_row_is_called_by_is_never_cut_and_what_few_rows_have_gives_way() -> None:
    rows: list[dict[str, Any]] = [
        {"name": f"google-calendar-{n}", "status": "missing-credentials", "keys": ["GOOGLE_OAUTH_CREDENTIALS"]}
        | {"reason": "r" * 60 if n == 3 else "", "description": "Plan what is to come, and when"}
        for n in range(9)
    ]
    shown = list(answer_lines({"servers": rows}, Style(80), ("name", "status", "keys", "reason", "description")))
    assert shown[0].split() == ["name", "status", "keys", "description"]
    assert shown[1].startswith("google-calendar-0  missing-credentials  GOOGLE_OA")
    assert "Plan what" in shown[1]
    assert all(width(line) <= 80 for line in shown)
    assert shown[-1] == "--json or a wider terminal shows also: reason"
