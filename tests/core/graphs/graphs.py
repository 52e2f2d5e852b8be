"""Random graphs."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

Json = dict[str, Any]
names = st.text("abcXYZ019._-/~∥é", min_size=1, max_size=6).filter(lambda name: not name.startswith("task-"))
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
values = st.one_of(texts, st.booleans(), st.integers(-3, 3), st.floats(-2, 2))
attributes = st.dictionaries(st.sampled_from(["x", "y", "z/~", "goal", "é"]), values, max_size=3)


def _attributes(*, of_task: bool) -> st.SearchStrategy[Json]:
    if not of_task:
        return attributes
    known = {
        "goal": texts.filter(bool),
        "priority": st.sampled_from(["low", "high", "critical"]),
        "type": st.sampled_from(["bug", "feature"]),
        "agent": st.sampled_from(["coder", "tester"]),
        "labels": st.sampled_from(["a", "a,b"]),
        "x": values,
        "z/~": values,
    }
    return st.fixed_dictionaries({}, optional=known)


@st.composite
def graphs(draw: st.DrawFn, *, of_task: bool = False) -> Json:
    ids = draw(st.lists(names, max_size=7, unique=True))
    nodes = [{"id": name, "label": draw(texts), "attributes": draw(_attributes(of_task=of_task))} for name in ids]
    edges: list[Json] = []
    for place, start in enumerate(ids):
        for end in ids[:place] if of_task else ids:
            if draw(st.integers(0, 3)) == 0:
                weight = draw(st.one_of(st.none(), st.integers(1, 9)))
                edges.append({"from": start, "to": end, "label": draw(texts), "attributes": draw(attributes)})
                edges[-1] |= {} if weight is None else {"weight": weight}
    metadata = {f"m{name}": value for name, value in draw(attributes).items()}
    return {"name": draw(texts), "nodes": nodes, "edges": edges, "metadata": metadata}


def acyclic() -> st.SearchStrategy[Json]:
    """Graphs that a workflow can be."""
    return graphs(of_task=True)
