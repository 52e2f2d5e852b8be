from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deedlog.core.errors import DeedlogError
from deedlog.core.graphs.patch import applied, difference, patched
from deedlog.core.graphs.shape import is_same, normalised
from tests.core.graphs.graphs import graphs

Json = dict[str, Any]
EXAMPLES: dict[str, tuple[Any, list[Json], Any]] = {  # RFC 6902, appendix A
    "add a member": ({"foo": "bar"}, [{"op": "add", "path": "/baz", "value": "qux"}], {"baz": "qux", "foo": "bar"}),
    "add an element": (
        {"foo": ["bar", "baz"]},
        [{"op": "add", "path": "/foo/1", "value": "qux"}],
        {"foo": ["bar", "qux", "baz"]},
    ),
    "remove a member": ({"baz": "qux", "foo": "bar"}, [{"op": "remove", "path": "/baz"}], {"foo": "bar"}),
    "remove an element": (
        {"foo": ["bar", "qux", "baz"]},
        [{"op": "remove", "path": "/foo/1"}],
        {"foo": ["bar", "baz"]},
    ),
    "replace": ({"baz": "qux"}, [{"op": "replace", "path": "/baz", "value": "boo"}], {"baz": "boo"}),
    "move a value": (
        {"foo": {"bar": "baz", "waldo": "fred"}, "qux": {"corge": "grault"}},
        [{"op": "move", "from": "/foo/waldo", "path": "/qux/thud"}],
        {"foo": {"bar": "baz"}, "qux": {"corge": "grault", "thud": "fred"}},
    ),
    "move an element": (
        {"foo": ["all", "grass", "cows", "eat"]},
        [{"op": "move", "from": "/foo/1", "path": "/foo/3"}],
        {"foo": ["all", "cows", "eat", "grass"]},
    ),
    "test": (
        {"baz": "qux", "foo": ["a", 2, "c"]},
        [{"op": "test", "path": "/baz", "value": "qux"}, {"op": "test", "path": "/foo/1", "value": 2}],
        {"baz": "qux", "foo": ["a", 2, "c"]},
    ),
    "add a nested member": (
        {"foo": "bar"},
        [{"op": "add", "path": "/child", "value": {"grandchild": {}}}],
        {"foo": "bar", "child": {"grandchild": {}}},
    ),
    "unknown names are ignored": (
        {"foo": "bar"},
        [{"op": "add", "path": "/baz", "value": "qux", "xyz": 123}],
        {"foo": "bar", "baz": "qux"},
    ),
    "escapes": ({"/": 9, "~1": 10}, [{"op": "test", "path": "/~01", "value": 10}], {"/": 9, "~1": 10}),
    "append": (
        {"foo": ["bar"]},
        [{"op": "add", "path": "/foo/-", "value": ["abc", "def"]}],
        {"foo": ["bar", ["abc", "def"]]},
    ),
    "copy": ({"a": {"b": [1]}}, [{"op": "copy", "from": "/a/b", "path": "/c"}], {"a": {"b": [1]}, "c": [1]}),
    "the whole": ({"a": 1}, [{"op": "replace", "path": "", "value": [1]}], [1]),
    "replace by add": ({"a": 1}, [{"op": "add", "path": "/a", "value": None}], {"a": None}),
}
REFUSED: dict[str, tuple[Any, Json]] = {
    "test fails": ({"baz": "qux"}, {"op": "test", "path": "/baz", "value": "bar"}),
    "text is no number": ({"a": 10}, {"op": "test", "path": "/a", "value": "10"}),
    "true is not 1": ({"a": 1}, {"op": "test", "path": "/a", "value": True}),
    "add to nothing": ({"foo": "bar"}, {"op": "add", "path": "/baz/bat", "value": "qux"}),
    "replace nothing": ({}, {"op": "replace", "path": "/a", "value": 1}),
    "remove nothing": ({}, {"op": "remove", "path": "/a"}),
    "past the end": ({"a": [1]}, {"op": "add", "path": "/a/2", "value": 1}),
    "leading zero": ({"a": [1, 2]}, {"op": "remove", "path": "/a/01"}),
    "minus is no element": ({"a": [1]}, {"op": "remove", "path": "/a/-"}),
    "no such op": ({"a": 1}, {"op": "spam", "path": "/a"}),
    "no value": ({"a": 1}, {"op": "add", "path": "/a"}),
    "no path": ({"a": 1}, {"op": "remove"}),
    "no pointer": ({"a": 1}, {"op": "remove", "path": "a"}),
    "bad escape": ({"a": 1}, {"op": "remove", "path": "/~2"}),
    "into itself": ({"a": {"b": 1}}, {"op": "move", "from": "/a", "path": "/a/b/c"}),
    "into a text": ({"a": "text"}, {"op": "add", "path": "/a/0", "value": 1}),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_of_the_standard_hold(name: str) -> None:
    document, patch, wanted = EXAMPLES[name]
    before = repr(document)
    found = document
    for change in patch:
        found = applied(found, change)
    assert found == wanted
    assert repr(document) == before


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_standard_calls_an_error_is_refused(name: str) -> None:
    document, change = REFUSED[name]
    with pytest.raises(DeedlogError):
        applied(document, change)


@pytest.mark.proves("diff-patch:identity")
@given(old=graphs(), new=graphs(), long=st.booleans())
def test_a_patch_of_the_difference_is_the_other_graph(old: Json, new: Json, long: bool) -> None:  # noqa: FBT001
    if long:  # so that lists are changed item by item
        ballast = [{"id": f"n{number}", "label": "x" * 200} for number in range(50)]
        kept = [node for node in new["nodes"] if not node["id"].startswith("n")]
        names = {node["id"] for node in kept}
        edges = [edge for edge in new["edges"] if {edge["from"], edge["to"]} <= names]
        new = {**new, "nodes": [*kept, *ballast], "edges": edges}
    one, other = normalised(old, "g", 1), normalised(new, "g", 1)
    patch = difference(one, other)
    found, _ = patched(one, patch)
    assert is_same(found, other)
    assert bool(patch) == (not is_same(one, other))


def test_a_graph_that_says_the_same_in_another_order_does_not_differ() -> None:
    nodes = [{"id": "b"}, {"id": "a"}]
    edges = [{"from": "b", "to": "a"}, {"from": "a", "to": "b"}]
    one = normalised({"nodes": nodes, "edges": edges}, "g", 1)
    assert difference(one, normalised({"nodes": nodes[::-1], "edges": edges[::-1]}, "g", 2)) == []
