"""Behaviour trees as nodes of a run: leaves that do something, and joins that say what became of a composite.

A part of a tree has one node whose end is its own: done is success, failed is failure. What comes after it waits
for that one. Skipped is what was never entered: the rest of a sequence after a failure, the rest of a selector after
a success.
"""

from __future__ import annotations

from deedlog.core.errors import Invalid
from deedlog.core.trees.shape import (
    ALL,
    ANY,
    CANCELLABLE,
    GUARD,
    PARALLEL,
    QUOTA,
    RETRY,
    SEQUENCE,
    TASK,
    TIMEOUT,
)
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Json = dict[str, Any]
    After = list[dict[str, str]]

DONE, FAILED, OVER = "done", "failed", "over"
JOIN, NOOP = "join", "noop"
MOST_TRIES = 1_000  # of one leaf below retries of retries


class Step(Value):
    """What becomes a node of a run. A leaf has a `tool` or an agent of that name; `input_key` names a variable."""

    name: str
    tool: str
    after: After = []  # noqa: RUF012  # values are never changed in place
    rule: Json = {}  # noqa: RUF012
    input: Any = None
    input_key: str = ""
    label: str = ""
    impacts: list[Json] = []  # noqa: RUF012
    leaf: bool = False


class Compiled(Value):
    steps: list[Step]
    root: str  # the step that decides


class _Rule(Value):
    """What the decorators above say about a leaf."""

    tries: int = 1
    waits: Json = {}  # noqa: RUF012
    timeout_ms: int | None = None

    def fields_of_leaf(self) -> Json:
        rule: Json = {"retries": self.tries - 1}
        rule |= self.waits if self.tries > 1 else {}
        return rule | ({"timeout_ms": self.timeout_ms} if self.timeout_ms else {})


def compiled(tree: Json) -> Compiled:
    """A checked tree as steps, each after those it waits for."""
    work = _Compiler()
    root = work.part(tree["root"], [], _Rule())
    return Compiled(steps=work.steps, root=root)


class _Compiler:
    def __init__(self) -> None:
        self.steps: list[Step] = []
        self._names: set[str] = set()

    def part(self, node: Json, entry: After, rule: _Rule) -> str:
        """Add what a part of the tree needs, entered when `entry` holds; returns the step that decides it."""
        kind = node["type"]
        if kind == TASK:
            return self._leaf(node, entry, rule)
        if kind == GUARD:
            return self._guarded(node, entry, rule)
        if kind in (RETRY, TIMEOUT, CANCELLABLE):  # whatever runs can be cancelled
            return self.part(node["child"], entry, _narrowed(rule, node))
        if kind == PARALLEL:
            return self._parallel(node, entry, rule)
        return self._one_by_one(node, entry, rule, on=DONE if kind == SEQUENCE else FAILED)

    def _leaf(self, node: Json, entry: After, rule: _Rule) -> str:
        return self._add(
            node["node_id"],
            tool=node["tool"],
            after=entry,
            rule=rule.fields_of_leaf(),
            input=node.get("input"),
            input_key=node.get("input_key", ""),
            label=node.get("label", ""),
            impacts=node.get("impacts", []),
            leaf=True,
        )

    def _guarded(self, node: Json, entry: After, rule: _Rule) -> str:
        """A step of its own looks at the condition once, when this part of the tree is entered."""
        guard = {"key": node["condition_key"]} | ({"expected": node["expected"]} if "expected" in node else {})
        condition = self._add(node.get("id") or "guard", tool=NOOP, after=entry, rule={"retries": 0, "guard": guard})
        child = self.part(node["child"], [{"node": condition, "on": DONE}], rule)
        return self._join(f"{condition}.end", [condition, child], ALL)

    def _one_by_one(self, node: Json, entry: After, rule: _Rule, on: str) -> str:
        """A sequence goes on after a success, a selector after a failure."""
        ends: list[str] = []
        for child in node["children"]:
            ends.append(self.part(child, [{"node": ends[-1], "on": on}] if ends else entry, rule))
        return self._join(node.get("id") or node["type"], ends, ALL if node["type"] == SEQUENCE else ANY)

    def _parallel(self, node: Json, entry: After, rule: _Rule) -> str:
        first, policy = len(self.steps), node["policy"]
        ends = [self.part(child, entry, rule) for child in node["children"]]
        name = node.get("id") or node["type"]
        if policy == ALL:
            return self._join(name, ends, ALL)
        quota = 1 if policy == ANY else policy["threshold"]
        covers = [step.name for step in self.steps[first:]]
        return self._join(name, ends, ANY if quota == 1 else QUOTA, quota=quota, covers=covers)

    def _join(self, name: str, ends: Sequence[str], policy: str, **more: Any) -> str:
        """The step that says what became of these; `covers` are those that are pointless once it is decided."""
        if len(ends) == 1:
            return ends[0]
        after = [{"node": end, "on": OVER} for end in ends]
        return self._add(name, tool=JOIN, after=after, input={"policy": policy, **more})

    def _add(self, wanted: str, **fields: Any) -> str:
        name, place = wanted, 1
        while name in self._names:
            place += 1
            name = f"{wanted}-{place}"
        self._names.add(name)
        self.steps.append(Step(name=name, **fields))
        return name


def _narrowed(rule: _Rule, node: Json) -> _Rule:
    """What holds for the leaves below a decorator: tries multiply, the nearer wait and the shorter timeout win."""
    if node["type"] == RETRY:
        tries = rule.tries * node["max_attempts"]
        if tries > MOST_TRIES:
            raise Invalid(
                f"tree: retries of retries would try one task {tries} times",
                hint=f"at most {MOST_TRIES} are allowed",
                data={"field": "tree"},
            )
        waits = {name: node[name] for name in ("backoff_ms", "backoff_jitter_ms") if name in node}
        return rule.replace(tries=tries, waits={**rule.waits, **waits})
    if node["type"] == TIMEOUT:
        return rule.replace(timeout_ms=min(node["timeout_ms"], rule.timeout_ms or node["timeout_ms"]))
    return rule


def needs(steps: Sequence[Step]) -> dict[str, list[str]]:
    """For each leaf the leaves that must be done before it, as far as that does not depend on how others end.

    Those that follow from the others are left out.
    """
    implied: dict[str, list[str]] = {}  # by step: the leaves that are done when it is done
    before: dict[str, set[str]] = {}  # by leaf: all that are done before it begins
    found: dict[str, list[str]] = {}
    for step in steps:
        is_all = step.tool == JOIN and step.input["policy"] == ALL
        first = [leaf for after in step.after if is_all or after["on"] == DONE for leaf in implied[after["node"]]]
        implied[step.name] = [*dict.fromkeys(first)]
        if step.leaf:
            earlier = set().union(*(before[leaf] for leaf in first))
            found[step.name] = [leaf for leaf in implied[step.name] if leaf not in earlier]
            before[step.name] = {*first, *earlier}
            implied[step.name] = [step.name]
    return found
