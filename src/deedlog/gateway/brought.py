"""The MCP servers that a repository brings, for the list of all that needs an approval."""

from __future__ import annotations

from deedlog.core.gate.approval import approval, approved, revoked
from deedlog.core.gate.secrecy import shown
from deedlog.core.trust import APPROVED, SERVER, WAITING, Brought
from deedlog.gateway.connecting import Connections

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from deedlog.core.gate.server import Server
    from deedlog.gateway.places import Places


class BroughtServers:
    def __init__(self, places: Places, own: tuple[str, ...]) -> None:
        self._root = places.root
        self._connections = Connections(places, own)

    def all(self) -> list[Brought]:
        return [
            Brought(
                kind=SERVER,
                name=server.name,
                value=shown(server),
                source=server.source,
                mark=approval(server, self._root),
                state=APPROVED if server.trusted else WAITING,
            )
            for server in self._servers()
        ]

    def judge(self, one: Brought, *, approve: bool) -> None:
        """Approve exactly what was shown, or revoke that. Where the repository changed meanwhile, nothing happens."""
        change = approved if approve else revoked
        server = next((each for each in self._servers() if approval(each, self._root) == one.mark), None)
        if server is not None:
            self._connections.write(lambda file: change(file, server, self._root), project=False)

    def _servers(self) -> Iterator[Server]:
        """Those that are used under their names; others of that name are shown by `deedlog mcp show`."""
        for server in self._connections.servers():
            if server.brought:
                candidates = self._connections.configured.candidates(server.name)
                yield next((each for each in candidates if each.source == server.source), server)
