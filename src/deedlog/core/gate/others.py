"""The tools that are not a server's own: those of other servers and of Deedlog. A server has no reason to talk about
them, or to call its tools so that a model takes them for those.

People and models read a mounted name such as `github__create_issue` in many spellings. Deedlog compares what they look
like: without case, separators and look-alike letters.
"""

from __future__ import annotations

import re

from deedlog.core.gate import unseen
from deedlog.core.gate.naming import BETWEEN, LIKE_DIGEST, mounted_name, server_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

DEEDLOG, CLIENT = "deedlog", "mcp"  # clients call our tools `mcp__deedlog__<tool>`
IDENTIFIER = re.compile(
    r"(?<![\w./-])(?i:[a-z][a-z0-9]*(?:[_-][a-z0-9]+)+)(?![\w-]|\.\w|/\w)"
    r"|(?<![\w./-])[a-z]+(?:[A-Z][a-z0-9]+)+(?![\w-])"
)
MOUNTED = re.compile(r"(?<![\w.-])[a-z0-9-]+(?:_[a-z0-9-]+)*__[\w-]+", re.IGNORECASE)
QUALIFIED = re.compile(r"(?<![\w./-])([a-z0-9][a-z0-9-]*)(?:[.:/]|::| ?-> ?)([a-z]\w*)(?![\w-])", re.IGNORECASE)
SEPARATORS = re.compile(r"[\W_]+")
NARROW = str.maketrans({"l": "i", "|": "i"})


def looks(name: str) -> str:
    """What a name looks like: equal for names that a reader may confuse."""
    return SEPARATORS.sub("", unseen.plain(name).casefold().translate(unseen.LETTER_OF).translate(NARROW))


class Others:
    """`tools` are the tools of other servers, by server and name, with their descriptions where Deedlog has them.

    `ours` are Deedlog's own tools with their descriptions, `own` the names of all tools of `server` itself, `servers`
    the names of further servers that may be mounted.
    """

    def __init__(
        self,
        server: str = "",
        own: Iterable[str] = (),
        tools: Mapping[str, Mapping[str, str]] | None = None,
        ours: Mapping[str, str] | None = None,
        servers: Iterable[str] = (),
    ) -> None:
        tools, ours = tools or {}, ours or {}
        self._server = server
        self._ours = dict(ours)
        self._names_of_ours = frozenset(name.casefold() for name in ours)
        # a tool of its own that is called like one of ours does not let a server talk about ours
        self._own = frozenset(name.casefold() for name in own) - self._names_of_ours
        self._described = {name: said for several in tools.values() for name, said in several.items()}
        names = {*ours, *self._described}
        self._names = frozenset(name.casefold() for name in names) - self._own
        self._look_of_names = frozenset(map(looks, names))
        ids = {server_id(name).casefold() for name in {*servers, *tools} if name != server}
        self._servers = frozenset({*ids, DEEDLOG})
        self._pairs = frozenset(
            (server_id(name).casefold(), tool.casefold()) for name, several in tools.items() for tool in several
        ) | frozenset((DEEDLOG, name.casefold()) for name in ours)
        self._mounted = frozenset(
            [looks(mounted_name(name, tool)) for name, several in tools.items() for tool in several]
            + [looks(front + name) for front in (DEEDLOG, CLIENT + DEEDLOG) for name in ours]
        )

    def is_own(self, word: str) -> bool:
        return word.casefold() in self._own

    def are_named_in(self, text: str, words: Collection[str] = ()) -> bool:
        """Whether a text is about their tools. `words` mean something else there, such as parameters.

        Names of our tools mean our tools: a server could take them for its own tools and parameters.
        """
        for word in IDENTIFIER.findall(text):
            if word.casefold() in (self._names_of_ours if word in words else self._names):
                return True
        if any(self._is_mounted_form(word) for word in MOUNTED.findall(text)):
            return True
        return any((server.casefold(), tool.casefold()) in self._pairs for server, tool in QUALIFIED.findall(text))

    def are_imitated_by(self, name: str) -> bool:
        """Whether a tool of this name passes for one of theirs once it is mounted."""
        if self._is_mounted_form(name) or looks(name) in self._mounted:
            return True
        if not name.isascii() and looks(name) in self._look_of_names:
            return True
        return looks(LIKE_DIGEST.sub("", mounted_name(self._server, name))) in self._mounted

    def description(self, name: str) -> str:
        return self._described.get(name, "")

    def description_of_ours(self, name: str) -> str:
        return self._ours.get(name, "")

    def _is_mounted_form(self, word: str) -> bool:
        parts = [part.casefold() for part in word.split(BETWEEN) if part]
        if parts and parts[0] == CLIENT:
            del parts[0]
        if len(parts) < 2:  # noqa: PLR2004  # a server and a tool
            return False
        return parts[0] in self._servers or (parts[-1] in self._names and parts[0] != self._server.casefold())


def twins(names: Iterable[str]) -> set[str]:
    """Those names of one server that look like another one of it."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(looks(name), []).append(name)
    return {name for several in found.values() if len(several) > 1 for name in several}


def cut_alike(mounted: Mapping[str, str]) -> set[str]:
    """Those names whose mounted forms differ only in the digest at their end."""
    found: dict[str, list[str]] = {}
    for name, ours in mounted.items():
        found.setdefault(LIKE_DIGEST.sub("", ours), []).append(name)
    return {name for several in found.values() if len(several) > 1 for name in several}
