"""What a view is: it is asked, reads through operations, and tells what to show.

ADDRESS = "/board"

def show(asked: Asked) -> Shown:
    rows = asked.read("task_board", label=asked.query.get("label"))
    return Shown("board.html", "Board", {"rows": rows}, follows=("task",))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from deedlog.app import App, Caller
from deedlog.core.caller import Kind
from deedlog.core.errors import Denied, Invalid, NotFound
from deedlog.operation.define import Effect
from deedlog.ports import Peer, Silent

Json = dict[str, Any]
READER = "page"
ANYTHING = "*"
LONGEST_NUMBER = 15


class Asked:
    """A request for a view: what its address names, what is behind the question mark, and how to read."""

    def __init__(
        self,
        app: App,
        named: Mapping[str, Any],
        query: Mapping[str, str],
        peer: Peer | None = None,
        *,
        base: str = "",
    ) -> None:
        self.named = named
        self.query = query
        self.base = base  # where this server is, such as http://127.0.0.1:4747/
        self._app = app
        self._peer = peer or Silent()

    def read(self, operation: str, /, **arguments: Any) -> Json:
        """The answer of an operation that changes nothing; what is None is left out."""
        op = self._app.catalog[operation]
        assert op.effect is Effect.READ, f"a view only reads: {operation}"
        given = {name: value for name, value in arguments.items() if value is not None}
        answer: Json = self._app.call(operation, given, Caller(actor=READER, kind=Kind.PERSON, peer=self._peer))
        return answer

    def read_if_on(self, operation: str, /, **arguments: Any) -> Json | None:
        """The same; None where that module is switched off."""
        try:
            return self.read(operation, **arguments)
        except Denied:
            return None

    def read_if_there(self, operation: str, /, **arguments: Any) -> Json | None:
        """The same; None where there is no such thing."""
        try:
            return self.read(operation, **arguments)
        except NotFound:
            return None

    def choice(self, name: str, among: tuple[str, ...], otherwise: str) -> str:
        """What was chosen; an address somebody typed wrongly shows the usual."""
        given = self.query.get(name, otherwise)
        return given if given in among else otherwise

    def number(self, name: str) -> int:
        """A number in the address, also as `task-5`."""
        text = str(self.named[name]).rpartition("-")[2]
        if not (text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER):
            raise NotFound(f"there is no {name} {str(self.named[name])[:40]!r}")
        return int(text)

    def count(self, name: str, otherwise: int, most: int) -> int:
        text = self.query.get(name, "")
        if not text:
            return otherwise
        if not (text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER):
            raise Invalid(f"{name}: must be a number", data={"field": name})
        return min(int(text), most)


@dataclass(frozen=True)
class Shown:
    """A page, or a part of one: the template, which extends `frame.layout`, and what it is filled with.

    `follows` are the kinds of things whose changes make it stale (`ANYTHING`: all but what workers print), `subjects`
    narrow that to changes of these things (URIs as events have them). A `part` stands by itself, without the layout.
    """

    template: str
    title: str
    about: Json = field(default_factory=dict)
    follows: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    part: bool = False
    status: int = 200
    view: str = ""  # which entry of the menu is lit, where it is not the first word of the address


@dataclass(frozen=True)
class Text:
    """A file to be kept: an export."""

    text: str
    media_type: str
    name: str


@dataclass(frozen=True)
class Elsewhere:
    """Not here: go there."""

    address: str


Answer = Shown | Text | Elsewhere
View = Callable[[Asked], Answer]
