"""Trees become nodes of a run whose root ends as the tree itself would, whatever its tasks come to."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deedlog.core.errors import Invalid
from deedlog.core.run import CANCELLED, DONE, FAILED, SKIPPED
from deedlog.core.trees.compiling import Compiled, Step, compiled, needs
from deedlog.core.trees.graphs import in_order, levels, tree_of
from deedlog.core.trees.rehearsing import Rehearsed, rehearsed
from deedlog.core.trees.shape import checked

Json = dict[str, Any]
KEYS = ("a", "b")
NEVER = 1_000


def leaf(name: str, tool: str = "noop") -> Json:
    return {"type": "task", "node_id": name, "tool": tool}


def sequence(*children: Json) -> Json:
    return {"type": "sequence", "children": list(children)}


def selector(*children: Json) -> Json:
    return {"type": "selector", "children": list(children)}


def parallel(policy: object, *children: Json) -> Json:
    return {"type": "parallel", "policy": policy, "children": list(children)}


def above(children: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    several = st.lists(children, min_size=1, max_size=4)
    ordered = st.builds(
        lambda kind, c: {"type": kind, "children": c}, st.sampled_from(("sequence", "selector")), several
    )
    quota = several.flatmap(
        lambda c: st.integers(1, len(c)).map(lambda k: parallel({"mode": "quota", "threshold": k}, *c))
    )
    beside = st.builds(lambda policy, c: parallel(policy, *c), st.sampled_from(("all", "any")), several)
    retry = st.builds(lambda n, c: {"type": "retry", "max_attempts": n, "child": c}, st.integers(1, 3), children)
    timeout = children.map(lambda c: {"type": "timeout", "timeout_ms": 50, "child": c})
    cancellable = children.map(lambda c: {"type": "cancellable", "child": c})
    guard = st.builds(
        lambda key, c: {"type": "guard", "condition_key": key, "expected": True, "child": c},
        st.sampled_from(KEYS),
        children,
    )
    return st.one_of(ordered, quota, beside, retry, timeout, cancellable, guard)


def named(tree: Json, count: list[int] | None = None) -> Json:
    """The tree with names of their own for its leaves."""
    count = count if count is not None else [0]
    if tree["type"] == "task":
        count[0] += 1
        return leaf(f"t{count[0]}")
    if "child" in tree:
        return {**tree, "child": named(tree["child"], count)}
    return {**tree, "children": [named(child, count) for child in tree["children"]]}


TREES = st.recursive(st.just(leaf("x")), above, max_leaves=14).map(named)


class Interpreter:
    """What a tree comes to, said as simply as possible. `failures` is how often each leaf fails before it succeeds."""

    def __init__(self, failures: dict[str, int], variables: dict[str, bool]) -> None:
        self.failures = failures
        self.variables = variables
        self.ran: set[str] = set()

    def succeeds(self, node: Json, tries: int = 1) -> bool:
        kind = node["type"]
        if kind == "task":
            self.ran.add(node["node_id"])
            return self.failures[node["node_id"]] < tries
        if kind == "retry":
            return self.succeeds(node["child"], tries * node["max_attempts"])
        if kind in ("timeout", "cancellable"):
            return self.succeeds(node["child"], tries)
        if kind == "guard":
            return self.variables[node["condition_key"]] and self.succeeds(node["child"], tries)
        if kind == "sequence":
            return all(self.succeeds(child, tries) for child in node["children"])
        if kind == "selector":
            return any(self.succeeds(child, tries) for child in node["children"])
        done = [self.succeeds(child, tries) for child in node["children"]].count(True)
        policy = node["policy"]
        quota: int = len(node["children"]) if policy == "all" else 1 if policy == "any" else policy["threshold"]
        return done >= quota


def played(work: Compiled, failures: dict[str, int], variables: dict[str, bool]) -> Rehearsed:
    def succeeds(step: Step) -> bool:
        if "guard" in step.rule:
            return variables[step.rule["guard"]["key"]]
        return failures[step.name] <= int(step.rule["retries"])

    return rehearsed(work.steps, succeeds)


def steps_of(tree: Json) -> Compiled:
    return compiled(checked(tree))


def states(tree: Json, **failures: int) -> dict[str, str]:
    work = steps_of(tree)
    leaves = [step.name for step in work.steps if step.leaf]
    return played(work, {name: failures.get(name, 0) for name in leaves}, {}).states


@settings(max_examples=600)
@given(TREES, st.data())
@pytest.mark.proves("plan:bt:agrees")
def test_the_root_of_a_compiled_tree_ends_as_the_tree_does(tree: Json, data: st.DataObject) -> None:
    work = steps_of(tree)
    leaves = [step.name for step in work.steps if step.leaf]
    outcomes = data.draw(st.lists(st.sampled_from((0, 0, 1, 2, 5, NEVER)), min_size=len(leaves), max_size=len(leaves)))
    failures = dict(zip(leaves, outcomes, strict=True))
    variables = {key: data.draw(st.booleans()) for key in KEYS}
    interpreter = Interpreter(failures, variables)
    expected = interpreter.succeeds(tree)
    found = played(work, failures, variables)
    assert found.states[work.root] == (DONE if expected else FAILED)
    assert set(found.states) == {step.name for step in work.steps}, "every node is over at the end"
    ran = {name for name in leaves if found.states[name] in (DONE, FAILED)}
    assert ran <= interpreter.ran, "nothing runs that the tree would not run"
    if not any(step.input and step.input.get("covers") for step in work.steps):
        assert ran == interpreter.ran


@given(TREES)
def test_what_a_task_depends_on_is_done_before_it_whenever_it_runs(tree: Json) -> None:
    work = steps_of(tree)
    found = rehearsed(work.steps, lambda _: True)
    place = {name: number for number, wave in enumerate(found.waves) for name in wave}
    for name, before in needs(work.steps).items():
        if name in place:
            assert all(place[other] < place[name] for other in before)


def test_the_rest_of_a_sequence_is_skipped_after_a_failure() -> None:
    found = states(sequence(leaf("one"), leaf("two"), leaf("three")), two=1)
    assert found == {"one": DONE, "two": FAILED, "three": SKIPPED, "sequence": FAILED}


def test_a_selector_tries_the_next_only_after_a_failure() -> None:
    found = states(selector(leaf("one"), sequence(leaf("two"), leaf("three")), leaf("four")), one=1)
    assert found["two"] == found["three"] == DONE
    assert found["four"] == SKIPPED
    assert found["selector"] == DONE


def test_what_is_pointless_once_enough_succeeded_is_cancelled() -> None:
    found = states(parallel("any", leaf("quick"), sequence(leaf("slow"), leaf("slower"))))
    assert found["parallel"] == DONE
    assert found["slower"] == CANCELLED


def test_decorators_hold_for_the_leaves_below_them() -> None:
    inner = {"type": "retry", "max_attempts": 2, "backoff_ms": 5, "child": leaf("x")}
    shorter = {"type": "timeout", "timeout_ms": 700, "child": inner}
    longer = {"type": "timeout", "timeout_ms": 900, "child": shorter}
    tree = {"type": "retry", "max_attempts": 3, "backoff_ms": 50, "backoff_jitter_ms": 7, "child": longer}
    (step,) = steps_of(tree).steps
    assert step.rule == {"retries": 5, "backoff_ms": 5, "backoff_jitter_ms": 7, "timeout_ms": 700}


def test_leaves_of_the_same_name_get_names_of_their_own() -> None:
    names = [step.name for step in steps_of(sequence(leaf("x"), leaf("x"), leaf("sequence"))).steps]
    assert names == ["x", "x-2", "sequence", "sequence-2"]


def test_a_task_after_a_parallel_part_depends_on_all_of_it() -> None:
    work = steps_of(
        sequence(leaf("a"), parallel("all", leaf("b"), leaf("c")), leaf("d"), selector(leaf("e"), leaf("f")))
    )
    assert needs(work.steps) == {"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"], "e": ["d"], "f": []}


@pytest.mark.parametrize(
    ("tree", "told"),
    [
        ({}, "root"),
        ({"type": "sequnce", "children": []}, "root.type"),
        (sequence(), "root.children"),
        (sequence({"type": "task", "tool": "noop"}), "root.children[0].node_id"),
        (parallel("some", leaf("x")), "root.policy"),
        (parallel({"mode": "quota", "threshold": 2}, leaf("x")), "root.policy.threshold"),
        ({"type": "retry", "max_attempts": 0, "child": leaf("x")}, "root.max_attempts"),
        ({"type": "retry", "max_attempts": True, "child": leaf("x")}, "root.max_attempts"),
        ({"type": "timeout", "timeout_category": "fast", "child": leaf("x")}, "root.timeout_ms"),
        ({"type": "guard", "child": leaf("x")}, "root.condition_key"),
        ({"type": "cancellable"}, "root.child"),
        ({"id": "", "root": leaf("x")}, "id"),
        ({**leaf("x"), "tols": 1}, "root"),
        ({**leaf("x"), "input": 1, "input_key": "k"}, "root"),
    ],
)
def test_what_is_wrong_in_a_tree_is_named_by_its_place(tree: Json, told: str) -> None:
    with pytest.raises(Invalid) as refused:
        checked(tree)
    assert refused.value.message.startswith(f"{told}:")
    assert refused.value.hint


def test_a_tree_that_is_too_deep_or_too_large_is_refused() -> None:
    deep: Json = leaf("x")
    for _ in range(2_000):
        deep = {"type": "cancellable", "child": deep}
    for tree in (deep, sequence(*(leaf(str(number)) for number in range(600)))):
        with pytest.raises(Invalid, match="at most 500 nodes, 40 below"):
            checked(tree)


def test_retries_of_retries_have_an_end() -> None:
    tree: Json = leaf("x")
    for _ in range(3):
        tree = {"type": "retry", "max_attempts": 100, "child": tree}
    with pytest.raises(Invalid, match="10000 times"):
        steps_of(tree)


def task(name: str, **attributes: object) -> Json:
    return {"id": name, "kind": "task", "label": f"The {name}", "attributes": {"bt_tool": "noop", **attributes}}


def flow(one: str, other: str) -> Json:
    return {"id": f"{one}->{other}", "from": {"nodeId": one}, "to": {"nodeId": other}}


@pytest.mark.proves("plan:bt:compile")
def test_a_hierarchical_graph_becomes_a_sequence_in_topological_order() -> None:
    inner = {"id": "inner", "nodes": [task("y"), task("x")], "edges": [flow("y", "x")]}
    graph = {
        "id": "plan",
        "nodes": [task("ship"), {"id": "middle", "kind": "subgraph", "graph": inner}, task("fetch", bt_input_key="k")],
        "edges": [flow("fetch", "middle"), flow("middle", "ship")],
    }
    tree = tree_of(graph)
    assert tree["id"] == "plan"
    fetch, middle, ship = tree["root"]["children"]
    named = {"id": "fetch", "node_id": "fetch", "label": "The fetch"}
    assert fetch == {"type": "task", "tool": "noop", "input_key": "k", **named}
    assert middle["type"] == "sequence"
    assert [child["node_id"] for child in middle["children"]] == ["middle/y", "middle/x"]
    assert ship["node_id"] == "ship"
    assert [step.name for step in steps_of(tree).steps if step.leaf] == ["fetch", "middle/y", "middle/x", "ship"]


def test_an_edge_between_plain_ids_leads_to_what_is_waited_for() -> None:
    graph = {"id": "g", "nodes": [task("a"), task("b")], "edges": [{"from": "a", "to": "b"}]}
    assert [child["node_id"] for child in tree_of(graph)["root"]["children"]] == ["b", "a"]


def test_a_subgraph_may_name_a_graph_that_is_found() -> None:
    stored = {"nodes": [task("x")], "edges": []}
    graph = {"id": "g", "nodes": [{"id": "s", "kind": "subgraph", "ref": "stored"}]}
    assert [step.name for step in steps_of(tree_of(graph, lambda _: stored)).steps] == ["s/x"]
    with pytest.raises(Invalid, match="contains itself"):
        tree_of(graph, lambda _: {"nodes": graph["nodes"]})


@pytest.mark.parametrize(
    ("graph", "told"),
    [
        ({"nodes": []}, "nodes must be"),
        ({"nodes": [task("a"), task("a")]}, "the same id"),
        ({"nodes": [{"id": "a"}]}, "nothing would do it"),
        ({"nodes": [task("a")], "edges": [flow("a", "b")]}, "which is no node"),
        ({"nodes": [task("a"), task("b")], "edges": [flow("a", "b"), flow("b", "a")]}, "wait for each other: a, b"),
        ({"nodes": [{"id": "s", "kind": "subgraph", "ref": "other"}]}, "a subgraph has its graph"),
    ],
)
def test_a_graph_that_is_no_plan_is_refused_with_its_reason(graph: Json, told: str) -> None:
    with pytest.raises(Invalid, match=told):
        tree_of(graph)


@given(st.dictionaries(st.sampled_from("abcdefgh"), st.lists(st.sampled_from("abcdefgh"), max_size=3)))
def test_waves_and_order_agree_on_what_comes_first(given_edges: dict[str, list[str]]) -> None:
    waits_for = {node: [o for o in given_edges.get(node, []) if o < node] for node in "abcdefgh"}
    waves = levels(waits_for)
    place = {node: number for number, wave in enumerate(waves) for node in wave}
    order = in_order("abcdefgh", waits_for)
    assert sorted(place) == sorted(order) == list("abcdefgh")
    for node, before in waits_for.items():
        assert place[node] == max((place[other] + 1 for other in before), default=0)
        assert all(order.index(other) < order.index(node) for other in before)


def test_a_circle_has_no_waves() -> None:
    with pytest.raises(Invalid, match="wait for each other: a, b"):
        levels({"a": ["b"], "b": ["a"], "c": []})
