"""Other MCP servers: which there are, which can be mounted, and what the others lack."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from deedlog.core.errors import Denied
from deedlog.core.words import fold, query_words
from deedlog.faces.web.page.off import switched_off
from deedlog.faces.web.page.view import Asked, Shown

ADDRESS = "/servers"
EVERY = "all"
CALLED = ""  # the kind of events that change files of ours and none of our tables: what is disabled, added, removed
GROUPS = {
    "active": "Mounted",
    "available": "Ready to mount",
    "missing-credentials": "Lacking a key",
    "disabled": "Not usable here",
}


def show(asked: Asked) -> Shown:
    try:
        rows, counts, warnings = _all(asked)
    except Denied as error:
        return switched_off("Servers", error)
    status = asked.choice("status", (EVERY, *GROUPS), EVERY)
    category, text = asked.query.get("category", ""), asked.query.get("q", "").strip()[:200]
    found = [row for row in rows if _is_meant(row, status, category, query_words(text))]
    kept = {name: value for name, value in (("category", category), ("q", text)) if value}
    about = {
        "groups": [(word, title, [row for row in found if row["status"] == word]) for word, title in GROUPS.items()],
        "found": len(found),
        "total": len(rows),
        "counts": counts,
        "titles": GROUPS,
        "warnings": warnings,
        "status": status,
        "category": category,
        "categories": sorted({row["category"] for row in rows}),
        "text": text,
        "kept": urlencode(kept),
    }
    return Shown("servers.html", "Servers", about, follows=("mount", "pin", CALLED))


def _all(asked: Asked) -> tuple[list[dict[str, Any]], dict[str, int], list[str]]:
    found = asked.read("mcp_environment")
    rows, cursor = list(found["servers"]), found.get("next_cursor")
    while cursor:
        page = asked.read("mcp_environment", cursor=cursor)
        rows += page["servers"]
        cursor = page.get("next_cursor")
    return rows, found["counts"], found.get("warnings", [])


def _is_meant(row: dict[str, Any], status: str, category: str, words: list[str]) -> bool:
    if status not in (EVERY, row["status"]) or category not in ("", row["category"]):
        return False
    text = fold(" ".join([row["name"], row["description"], row["category"], *row.get("missingEnvKeys", [])]))
    return all(word in text for word in words)
