"""Asking a server what it offers: all pages of all its lists, as they are."""

from __future__ import annotations

import time

from deedlog.core.errors import Unavailable
from deedlog.core.gate.beside import is_key
from deedlog.ports import Offer, Silent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from deedlog.gateway.talking.conversation import Conversation, Greeting

    Json = dict[str, Any]

MOST_PAGES = 200
MOST_ROWS = 2_000  # of one list; a server that offers more is broken, or means harm
LARGEST_ROW = 256 * 1024  # characters of one definition
LARGEST_LIST = 8 * 1024 * 1024  # characters of all definitions in one list
NO_SUCH_METHOD = -32601


def listed(conversation: Conversation, greeting: Greeting | Offer, seconds: float) -> Offer:
    """What it offers now; `greeting` is what it said of itself."""
    has = greeting.capabilities
    lists = Lists(conversation, time.monotonic() + seconds)
    return Offer(
        instructions=_whole(greeting.instructions)[:LARGEST_ROW],
        info=greeting.info,
        capabilities=has,
        tools=_named(lists.rows("tools/list", "tools")) if "tools" in has else [],
        resources=lists.optional("resources/list", "resources") if "resources" in has else [],
        templates=lists.optional("resources/templates/list", "resourceTemplates") if "resources" in has else [],
        prompts=_named(lists.optional("prompts/list", "prompts")) if "prompts" in has else [],
        problems=lists.problems,
    )


def _named(rows: list[Json]) -> list[Json]:
    """Those that have a name of their own: another one could be called by nobody."""
    found: dict[str, Json] = {}
    for row in rows:
        if isinstance(name := row.get("name"), str) and name and name == _whole(name) and not is_key(name):
            found.setdefault(name, row)
    return list(found.values())


def _whole(text: str) -> str:
    """Half of a surrogate pair is no character: nothing that is written down could have it."""
    return text.encode("utf-8", "replace").decode()


class Lists:
    """Reads lists as far as they are bearable. `problems` says what is left out of which."""

    def __init__(self, conversation: Conversation, until: float) -> None:
        self.problems: list[str] = []
        self._conversation = conversation
        self._until = until

    def optional(self, method: str, key: str) -> list[Json]:
        """A list that a server may say it has, and not have: that is no reason to go without its tools."""
        try:
            return self.rows(method, key)
        except Unavailable as error:
            if "rpc" not in error.data:
                raise
            return []

    def rows(self, method: str, key: str) -> list[Json]:
        taken = Taken(_what(key))
        for number, page in enumerate(self._pages(method), 1):
            found = page.get(key)
            for row in found if isinstance(found, list) else ():
                if isinstance(row, dict):
                    taken.take(row)
            taken.has_more = page.get("nextCursor") is not None
            if number == MOST_PAGES or taken.is_full:
                break
        else:
            taken.has_more = False
        self.problems += taken.problems()
        return taken.rows

    def _pages(self, method: str) -> Iterator[Json]:
        cursor: object = None
        known: list[object] = []
        while cursor not in known:
            known.append(cursor)
            left = max(self._until - time.monotonic(), 0.1)
            page = self._conversation.request(method, {} if cursor is None else {"cursor": cursor}, Silent(), left)
            yield page
            cursor = page.get("nextCursor")


class Taken:
    """The rows of one list that are taken, and how many are not."""

    def __init__(self, what: str) -> None:
        self.rows: list[Json] = []
        self.has_more = False
        self._what = what
        self._size = 0
        self._seen = self._large = self._beyond = self._many = 0

    @property
    def is_full(self) -> bool:
        return bool(self._many or self._beyond)

    def take(self, row: Json) -> None:
        self._seen += 1
        if len(self.rows) >= MOST_ROWS:
            self._many += 1
            return
        size = _size(row)
        if size > LARGEST_ROW:
            self._large += 1
        elif self._size + size > LARGEST_LIST:
            self._beyond += 1
        else:
            self.rows.append(row)
            self._size += size

    def problems(self) -> list[str]:
        found = []
        if self._large:
            found.append(self._left(self._large, f"its definition has more than {LARGEST_ROW // 1024} KiB"))
        if self._beyond:
            found.append(self._left(self._beyond, f"together they have more than {LARGEST_LIST // 1024 // 1024} MiB"))
        if self._many:
            found.append(self._left(self._many, f"Deedlog takes at most {MOST_ROWS}"))
        if self.has_more and not self.is_full:
            found.append(f"its list of {self._what} has more than {MOST_PAGES} pages: the rest is left out")
        return found

    def _left(self, number: int, why: str) -> str:
        if self.has_more:
            return f"at least {number} further {self._what} are left out: {why}"
        return f"{number} of its {self._seen} {self._what} {'is' if number == 1 else 'are'} left out: {why}"


def _what(key: str) -> str:
    return {"resourceTemplates": "templates"}.get(key, key)


def _size(row: Json) -> int:
    """About how long it is as JSON, without recursion: it may be nested to any depth."""
    total, left = 0, [row]
    while left:
        one: Any = left.pop()
        total += len(one) + 2 if isinstance(one, str) else 2
        if isinstance(one, dict):
            left += [*one.keys(), *one.values()]
        elif isinstance(one, list):
            left += one
        if total > LARGEST_ROW:
            break
    return total
