from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from deedlog.core.draft import Warnings, acyclic, kind_of, labels_of, line_of, sections, slug_of, text_of, was
from deedlog.core.slug import is_slug

NAMES = st.sampled_from("abcdef")
GRAPHS = st.dictionaries(NAMES, st.lists(NAMES, max_size=4, unique=True))


def left(edges: dict[str, list[str]], cut: dict[str, list[str]]) -> dict[str, set[str]]:
    return {node: set(others) - set(cut.get(node, ())) for node, others in edges.items()}


def reaches(edges: dict[str, set[str]], start: str, end: str) -> bool:
    seen: set[str] = set()
    waiting = set(edges.get(start, ()))
    while waiting:
        seen |= waiting
        waiting = {other for node in waiting for other in edges.get(node, ())} - seen
    return end in seen


@given(GRAPHS)
def test_without_the_edges_that_close_circles_there_is_none(edges: dict[str, list[str]]) -> None:
    kept = left(edges, acyclic(edges))
    assert not any(reaches(kept, node, node) for node in edges)


@given(GRAPHS)
def test_no_edge_is_cut_that_closes_no_circle(edges: dict[str, list[str]]) -> None:
    everything = left(edges, {})
    for node, others in acyclic(edges).items():
        assert all(other == node or reaches(everything, other, node) for other in others)


def test_a_chain_of_any_length_is_walked() -> None:
    chain = {str(number): [str(number + 1)] for number in range(50_000)}
    assert acyclic(chain) == {}
    assert acyclic({**chain, "50000": ["0"]}) == {"50000": ["0"]}


@given(st.text())
def test_any_text_becomes_a_line_a_label_and_a_name(text: str) -> None:
    assert line_of(text, 50).isprintable() or not line_of(text, 50).isascii()
    assert len(line_of(text, 50)) <= 50
    assert "\n" not in line_of(text)
    assert is_slug(slug_of(text, text))
    assert all("," not in label for label in labels_of([text]))
    assert "\0" not in text_of(text)


def test_parts_of_a_description_have_headings_and_empty_ones_are_left_out() -> None:
    assert sections({"": "First", "Notes": " ", "Design": "a\r\nb"}) == "First\n\n## Design\n\na\nb"


def test_types_and_statuses_of_others_keep_their_words_as_labels() -> None:
    assert (kind_of(""), kind_of("Bug"), kind_of("epic"), kind_of("spike")) == (
        ("task", []),
        ("bug", []),
        ("feature", ["type:epic"]),
        ("task", ["type:spike"]),
    )
    assert (was("In Progress"), was("in_progress"), was("進行中")) == (
        "was:in-progress",
        "was:in-progress",
        "was:進行中",
    )


def test_many_warnings_of_one_kind_are_one_line() -> None:
    warnings = Warnings()
    for number in range(30):
        warnings.add("odd", f"bd-{number}")
    warnings.add("alone")
    first, second = warnings.told()
    assert first.startswith("odd: bd-0, bd-1, ")
    assert (first.endswith("bd-19 and 10 more"), second) == (True, "alone")
