"""Decisions: what the architecture is now, every decision there is, and what took the place of what."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

from deedlog.core.errors import DeedlogError, Denied
from deedlog.faces.web.page.off import switched_off
from deedlog.faces.web.page.view import Asked, Shown

ADDRESS = "/decisions"
TABS = {"now": "Architecture now", "list": "All decisions", "candidates": "Candidates", "chain": "What superseded what"}
ORIGINS = {
    "clarification": "Clarification",
    "promotion": "Promoted",
    "history": "Older ADRs",
    "task": "Logged on tasks",
}
PAGE = 50
LOOKED_AT = 100  # logged decisions among which candidates are counted: each view has that number
Json = dict[str, Any]


def show(asked: Asked) -> Shown:
    tab = asked.choice("show", tuple(TABS), "now")
    try:
        about = {"now": _now, "chain": _chain}.get(tab, _list)(asked)
        waiting = _waiting(asked)
    except Denied as error:
        return switched_off("Decisions", error)
    shared = {"tab": tab, "tabs": TABS, "waiting": waiting}
    return Shown("decisions.html", "Decisions", {**about, **shared}, follows=("decision", "adr", "clarification"))


def _waiting(asked: Asked) -> str:
    """How many candidates are among the newest logged decisions."""
    found = asked.read("decision_list", origin="task", limit=LOOKED_AT)
    count = sum("candidate" in row for row in found["decisions"])
    return f"{count}{'+' if 'next_cursor' in found else ''}" if count else ""


def _now(asked: Asked) -> Json:
    """The architecture; records that cannot be read are told instead of it."""
    try:
        found = asked.read("read_architecture")
    except Denied:
        raise
    except DeedlogError as error:
        return {"categories": {}, "conflicts": [], "warnings": [error.message], "source": "", "by": {}}
    by = _latest(_graph(asked))
    return {
        "categories": found["architecture"]["categories"],
        "conflicts": found.get("conflicts", []),
        "warnings": found.get("warnings", []),
        "source": found["source_file"],
        "by": by,
    }


def _list(asked: Asked) -> Json:
    """Which are asked for, in pages."""
    chosen = {
        "origin": asked.choice("origin", ("", *ORIGINS), ""),
        "category": asked.query.get("category", "").strip()[:80],
        "text": asked.query.get("text", "").strip()[:200],
        "task_id": asked.query.get("task", "").strip()[:80],
    }
    given: Json = {name: value or None for name, value in chosen.items()}
    candidates = asked.query.get("show") == "candidates" or None
    found = asked.read(
        "decision_list", **given, candidates=candidates, limit=PAGE, cursor=asked.query.get("cursor") or None
    )
    kept = {"show": "candidates" if candidates else "list", **{name: value for name, value in chosen.items() if value}}
    if "task_id" in kept:
        kept["task"] = kept.pop("task_id")
    more = found.get("next_cursor")
    return {
        "decisions": found["decisions"],
        "warnings": found.get("warnings", []),
        "chosen": chosen,
        "origins": ORIGINS,
        "is_filtered": any(chosen.values()),
        "more": f"/decisions?{urlencode({**kept, 'cursor': more})}" if more else "",
    }


def _chain(asked: Asked) -> Json:
    """Field by field, what it was and is, oldest first."""
    graph = _graph(asked)
    titles = {node["uid"]: node["title"] for node in graph["nodes"]}
    fields: dict[str, list[Json]] = {}
    for edge in graph["edges"]:
        fields.setdefault(edge["field"], []).append(edge)
    rows = [{"field": field, "steps": _steps(edges, titles)} for field, edges in sorted(fields.items())]
    return {"chains": rows, "adrs": len(titles), "warnings": graph.get("warnings", [])}


def _steps(edges: list[Json], titles: dict[str, str]) -> list[Json]:
    """What each ADR said of a field, in the order in which they took each other's place."""
    ordered = sorted(edges, key=lambda edge: str(edge["from"]))
    said: dict[str, str] = {}
    for edge in ordered:
        said.setdefault(edge["to"], edge["was"])
        said[edge["from"]] = edge["is"]
    return [{"uid": uid, "value": value, "title": titles.get(uid, "")} for uid, value in sorted(said.items())]


def _latest(graph: Json) -> dict[str, Json]:
    """By field, the newest change of it."""
    return {edge["field"]: edge for edge in sorted(graph["edges"], key=lambda edge: str(edge["from"]))}


def _graph(asked: Asked) -> Json:
    try:
        found: Json = json.loads(asked.read("adr_graph", format="json")["text"])
    except Denied:
        raise
    except DeedlogError as error:
        return {"nodes": [], "edges": [], "warnings": [error.message]}
    return found
