import pytest

from deedlog.core.moment import iso, seconds_between
from deedlog.core.uid import uid
from deedlog.core.words import beginning, did_you_mean, distance, fold, nearest, one_line, query_words, snippet


def test_folding_forgets_case_accents_and_width() -> None:
    assert fold("Été ＡＢＣ Straße") == "ete abc strasse"
    assert query_words("  Été  du\nNord ") == ["ete", "du", "nord"]


@pytest.mark.parametrize(
    ("one", "other", "apart"), [("", "abc", 3), ("locks", "lokcs", 1), ("same", "same", 0), ("tx", "tax", 1)]
)
def test_distance_counts_letters_and_swaps(one: str, other: str, apart: int) -> None:
    assert distance(one, other) == apart


def test_the_nearest_name_is_offered_only_when_it_is_near() -> None:
    assert nearest("wrokflow", ["workflow", "event"]) == "workflow"
    assert nearest("banana", ["workflow", "event"]) == ""
    assert did_you_mean("evnt", ["workflow", "event"]) == "did you mean 'event'?"
    assert did_you_mean("banana", ["event"], "no idea") == "no idea"
    assert did_you_mean("claude", ["claude-code", "codex"]) == "did you mean 'claude-code'?"
    assert [nearest(*pair) for pair in (("on", ["id"]), ("zz", ["a"]), ("a", ["b"]))] == ["", "", ""]
    assert [nearest(*pair) for pair in (("idd", ["id"]), ("tsk", ["task"]))] == ["id", "task"]
    assert did_you_mean("workflow", ["workflow start", "workflow complete"]) == ""


def test_text_is_cut_to_fit() -> None:
    assert one_line("a\n b") == "a b"
    assert one_line("abcdef", 4) == "abc…"
    assert "needle" in snippet("x " * 200 + "needle" + " y" * 200, ["needle"])
    assert snippet("nothing here", ["needle"]) == "nothing here"


@pytest.mark.proves("track:time:iso")
def test_times_read_as_iso_and_never_run_backwards() -> None:
    assert iso(1_736_935_200_000_000) == "2025-01-15T10:00:00Z"
    assert iso(1_736_935_200_123_456) == "2025-01-15T10:00:00.123Z"
    assert seconds_between(10_000_000, 5_000_000) == 0


def test_ids_sort_by_the_moment_they_were_made() -> None:
    assert uid("op", 5, 2**25 - 1) < uid("op", 6, 0)
    assert uid("wf", 1_736_935_200_000_000, 0).startswith("wf-1")


def test_a_beginning_ends_with_a_whole_word() -> None:
    assert beginning("one two\nthree", 13) == "one two\nthree"
    assert beginning("one two\nthree", 12) == "one two …"
    assert beginning("x" * 20, 10) == "x" * 9 + "…"
    assert all(len(beginning("one two\nthree", most)) <= most for most in range(2, 20))
