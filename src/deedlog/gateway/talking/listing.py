"""Asking a server what it offers: all pages of all its lists, as they are."""

from __future__ import annotations

import time

from deedlog.core.errors import Unavailable
from deedlog.ports import Offer, Silent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.gateway.talking.conversation import Conversation, Greeting

    Json = dict[str, Any]

MOST_PAGES = 500
MOST_ROWS = 10_000  # of one list; a server that offers more is broken, or means harm
NO_SUCH_METHOD = -32601


def listed(conversation: Conversation, greeting: Greeting | Offer, seconds: float) -> Offer:
    """What it offers now; `greeting` is what it said of itself."""
    until = time.monotonic() + seconds
    has = greeting.capabilities
    return Offer(
        instructions=_whole(greeting.instructions),
        info=greeting.info,
        capabilities=has,
        tools=_named(_rows(conversation, "tools/list", "tools", until)) if "tools" in has else [],
        resources=_optional(conversation, "resources/list", "resources", until) if "resources" in has else [],
        templates=_optional(conversation, "resources/templates/list", "resourceTemplates", until)
        if "resources" in has
        else [],
        prompts=_named(_optional(conversation, "prompts/list", "prompts", until)) if "prompts" in has else [],
    )


def _named(rows: list[Json]) -> list[Json]:
    """Those that have a name of their own: another one could be called by nobody."""
    found: dict[str, Json] = {}
    for row in rows:
        if isinstance(name := row.get("name"), str) and name and name == _whole(name):
            found.setdefault(name, row)
    return list(found.values())


def _whole(text: str) -> str:
    """Half of a surrogate pair is no character: nothing that is written down could have it."""
    return text.encode("utf-8", "replace").decode()


def _optional(conversation: Conversation, method: str, key: str, until: float) -> list[Json]:
    """A list that a server may say it has, and not have: that is no reason to go without its tools."""
    try:
        return _rows(conversation, method, key, until)
    except Unavailable as error:
        if "rpc" not in error.data:
            raise
        return []


def _rows(conversation: Conversation, method: str, key: str, until: float) -> list[Json]:
    rows: list[Json] = []
    cursor: object = None
    for _ in range(MOST_PAGES):
        left = max(until - time.monotonic(), 0.1)
        page = conversation.request(method, {} if cursor is None else {"cursor": cursor}, Silent(), left)
        found = page.get(key)
        rows += [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []
        before, cursor = cursor, page.get("nextCursor")
        if cursor is None or cursor == before or len(rows) >= MOST_ROWS:
            break
    return rows[:MOST_ROWS]
