"""Whether what a node waits for came, may still come, or never will."""

from __future__ import annotations

from deedlog.core.plan.values import JOIN, ON_DONE, ON_FAILED, ON_OVER, ON_SETTLED, OVER
from deedlog.core.run import CANCELLED, DONE, FAILED, SKIPPED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from deedlog.core.run import Node

MET, OPEN, NEVER = "met", "open", "never"
ALL, ANY, QUOTA = "all", "any", "quota"
POLICIES = (ALL, ANY, QUOTA)
MEETS = {ON_DONE: (DONE,), ON_FAILED: (FAILED,), ON_OVER: OVER, ON_SETTLED: (DONE, CANCELLED)}


def condition(node: Node, nodes: Mapping[str, Node]) -> str:
    """Of a join, what it joins is left to `joined`: it only has to wait for the rest."""
    found = [_one(link, nodes) for link in node.after if not is_joined(node, link)]
    if NEVER in found:
        return NEVER
    return OPEN if OPEN in found else MET


def is_joined(node: Node, link: Mapping[str, str]) -> bool:
    return node.tool == JOIN and link.get("on", ON_DONE) == ON_OVER


def _one(link: Mapping[str, str], nodes: Mapping[str, Node]) -> str:
    other = nodes.get(link["node"])
    if other is None:
        return MET  # it was taken out of the graph
    if other.state not in OVER:
        return OPEN
    return MET if other.state in MEETS[link.get("on", ON_DONE)] else NEVER


def joined(node: Node, nodes: Mapping[str, Node]) -> str:
    """The state a join has now: done, failed, skipped, or none yet."""
    inputs = [nodes[link["node"]] for link in node.after if is_joined(node, link) and link["node"] in nodes]
    states = [other.state for other in inputs]
    if states and all(state == SKIPPED for state in states):
        return SKIPPED
    needed = _needed(node, len(inputs))
    done = states.count(DONE)
    still = sum(state not in OVER for state in states)
    if node.input.get("policy", ALL) == ALL:
        return "" if still else DONE if done >= needed else FAILED
    if done >= needed:
        return DONE
    return "" if done + still >= needed else FAILED


def _needed(node: Node, inputs: int) -> int:
    policy = node.input.get("policy", ALL)
    if policy == ALL:
        return inputs
    return 1 if policy == ANY else int(node.input.get("quota", 1))


def order(names: Sequence[str], after: Mapping[str, Sequence[str]]) -> list[str]:
    """The names so that each comes after those it waits for; what is in a circle comes last, in no good order."""
    places = {name: place for place, name in enumerate(names)}
    left = {name: {other for other in after.get(name, ()) if other in places} for name in names}
    followers = followers_of(left)
    found: list[str] = []
    ready = [name for name in names if not left[name]]
    while ready:
        found += ready
        freed: list[str] = []
        for name in ready:
            for follower in followers.get(name, ()):
                left[follower].discard(name)
                if not left[follower]:
                    freed.append(follower)
        ready = sorted(freed, key=places.__getitem__)
    return [*found, *(name for name in names if left[name])]


def followers_of(after: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    """Who waits for each name."""
    found: dict[str, list[str]] = {}
    for name, others in after.items():
        for other in others:
            found.setdefault(other, []).append(name)
    return found
