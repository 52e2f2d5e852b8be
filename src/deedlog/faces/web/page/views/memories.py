"""The memory bank: what every worker is told, and exactly how."""

from __future__ import annotations

from typing import Any

from deedlog.core.errors import Denied
from deedlog.core.memory import CATEGORIES
from deedlog.core.words import fold, query_words
from deedlog.faces.web.page.off import switched_off
from deedlog.faces.web.page.view import Asked, Shown

ADDRESS = "/memory"
EVERY = "all"
STATUSES = ("active", "draft", "archived")
LABELS = {"en": "English", "ja": "日本語"}
PAGE = 500
MOST = 200  # entries on one page; filters find the others
MOST_PAGES = 20
Json = dict[str, Any]


def show(asked: Asked) -> Shown:
    try:
        about = _preview(asked) if asked.query.get("show") == "preview" else _entries(asked)
    except Denied as error:
        return switched_off("Memory", error)
    return Shown("memories.html", "Memory", about, follows=("memory", "adr"), view="memory")


def _preview(asked: Asked) -> Json:
    labels = asked.choice("labels", ("", *LABELS), "")
    found = asked.read("memory_preview", labels=labels or None)
    return {
        "preview": found["context"],
        "characters": len(found["context"]),
        "labels": labels,
        "languages": LABELS,
        "warnings": found.get("warnings", []),
    }


def _entries(asked: Asked) -> Json:
    rows, warnings = _all(asked)
    status = asked.choice("status", (EVERY, *STATUSES), EVERY)
    category, text = asked.query.get("category", ""), asked.query.get("q", "").strip()[:200]
    words = query_words(text)
    found = [row for row in rows if _is_meant(row, status, category, words)]
    categories = sorted({row["category"] for row in rows})
    return {
        "preview": None,
        "entries": found[:MOST],
        "left_out": max(0, len(found) - MOST),
        "counts": {EVERY: len(rows), **{word: sum(row["status"] == word for row in rows) for word in STATUSES}},
        "status": status,
        "category": category,
        "categories": categories,
        "known_categories": sorted({*categories, *CATEGORIES}),
        "text": text,
        "is_filtered": bool(text or category),
        "warnings": warnings,
    }


def _all(asked: Asked) -> tuple[list[Json], list[str]]:
    rows: list[Json] = []
    warnings: list[str] = []
    cursor = None
    for _ in range(MOST_PAGES):
        found = asked.read("memory_list", limit=PAGE, cursor=cursor)
        rows += found["memories"]
        warnings = found.get("warnings", [])
        cursor = found.get("nextCursor")
        if cursor is None:
            break
    return rows, warnings


def _is_meant(row: Json, status: str, category: str, words: list[str]) -> bool:
    if status not in (EVERY, row["status"]) or category not in ("", row["category"]):
        return False
    text = fold(" ".join([row["id"], row["title"], row["summary"], row["category"]]))
    return all(word in text for word in words)
