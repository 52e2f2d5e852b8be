"""Everything that was recorded, by its words; what is named exactly is gone to at once."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlencode

from deedlog.core.errors import DeedlogError, Invalid
from deedlog.core.words import query_words
from deedlog.faces.web.page import look
from deedlog.faces.web.page.marking import marked
from deedlog.faces.web.page.view import Answer, Asked, Elsewhere, Json, Shown

ADDRESS = "/search"
MOST = 100
LONGEST = 500
EXACT = re.compile(r"(?:[a-z]+://\S+|[a-z]+-[0-9a-z]+)", re.IGNORECASE)
NUMBER = re.compile(r"#?(\d{1,15})")
PLURAL = {"memory": "memories", "adr": "ADRs", "entry": "entries"}


def show(asked: Asked) -> Answer:
    query = asked.query.get("q", "").strip()[:LONGEST]
    kind = asked.query.get("kind", "")
    if EXACT.fullmatch(query) and not asked.query.get("all") and (found := _thing(asked, query)):
        return Elsewhere(look.place(found["uri"]))
    about: Json = {"query": query, "kind": kind, "groups": [], "kinds": [], "jumps": [], "many": False, "refusal": None}
    if query:
        about |= _found(asked, query, kind)
    return Shown("search.html", f"{query} · Search" if query else "Search", about, view="search")


def _found(asked: Asked, query: str, kind: str) -> Json:
    number = NUMBER.fullmatch(query)
    jumps = [row for what in ("task", "session") if number and (row := _thing(asked, f"{what}-{int(number[1])}"))]
    try:
        hits = asked.read("ledger_search", query=query, limit=MOST, kinds=[kind] if kind else None)["hits"]
    except Invalid as error:
        return {"refusal": {"message": error.message, "hint": error.hint}, "jumps": jumps}
    groups = _grouped(hits, query_words(query))
    chips = [{"kind": "", "name": "Everything", "address": _address(q=query, all=1)}]
    chips += [{**group, "address": _address(q=query, kind=group["kind"], all=1)} for group in groups]
    return {"groups": groups, "kinds": chips, "jumps": jumps, "many": len(hits) >= MOST}


def _thing(asked: Asked, name: str) -> Json | None:
    try:
        return asked.read("ledger_get", uri=name)
    except DeedlogError:  # no such name, or no name at all: its words are looked for
        return None


def _grouped(hits: list[Json], words: list[str]) -> list[Json]:
    """By kind, in the order of their best hits."""
    groups: dict[str, list[Json]] = {}
    for hit in hits:
        row = {**hit, "title_marked": marked(hit["title"], words), "snippet_marked": marked(hit["snippet"], words)}
        groups.setdefault(hit["kind"], []).append(row)
    return [{"kind": kind, "name": PLURAL.get(kind, f"{kind}s"), "hits": rows} for kind, rows in groups.items()]


def _address(**query: Any) -> str:
    return f"/search?{urlencode(query)}"
