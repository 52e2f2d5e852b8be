"""Every server that is configured anywhere, or known to us: read from all files, and anew when one has changed.

Our user's file counts first, then what the project has, then what the user told other programs, then our catalogue.
What a repository brings along never takes the place of what the user or the catalogue has. Neither a repository's nor
the catalogue's servers are trusted before a person has approved them.
"""

from __future__ import annotations

import os
import re

from deedlog.core.errors import Invalid, Part
from deedlog.core.gate.approval import approval, is_approved
from deedlog.core.gate.policy import only_denying
from deedlog.core.gate.reference import keys_of
from deedlog.core.gate.server import CATEGORIES, Server, called
from deedlog.gateway.configuration import files, tolerant
from deedlog.gateway.configuration.entries import is_deedlog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from typing import Any

    from deedlog.gateway.configuration.files import File, Found
    from deedlog.gateway.places import Places

    Json = dict[str, Any]
    Merged = tuple[list[Server], dict[str, list[Server]], list[str], list[Server], dict[str, str]]

KNOWN_FIELDS = ("title", "description", "category", "homepage", "words")  # of the catalogue, where a file says nothing
ON_THIS_MACHINE = re.compile(r"http://(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?=[:/?#]|$)", re.ASCII)
OF_THE_PROGRAM = ("required", "optional", "auth", "tools")  # only where it is the same program


class Configured:
    def __init__(
        self,
        places: Places,
        catalogue: Callable[[], list[Server]],
        own: tuple[str, ...] = (),
        boot: Iterable[str] = (),
    ) -> None:
        """`own` are the addresses under which we ourselves may be found in somebody's file, `boot` the servers that the
        user wants to be mounted at every start.
        """
        self._boot = frozenset(map(called, boot))
        self._places = places
        self._catalogue = catalogue
        self._own = own
        self._files = files.files(places)
        self._switches = files.switches(places)
        self._read: dict[str, tuple[object, Found]] = {}
        self._now: tuple[object, Merged] | None = None

    def servers(self) -> list[Server]:
        """Every server once, by category and then by name, the catalogue's in its own order."""
        return self._merged()[0]

    def candidates(self, name: str) -> list[Server]:
        """All that is configured under a name, what counts first."""
        return self._merged()[1].get(called(name), [])

    def warnings(self) -> list[str]:
        return self._merged()[2]

    def barred(self) -> dict[str, str]:
        """Why servers may not be used, mounted or not, whatever the rest says; see `files.Found`."""
        return self._merged()[4]

    def elsewhere(self, path: str = "") -> list[Server]:
        """The servers that other programs' files configure, each name once; or those in one file, wherever it is."""
        if not path:
            return self._merged()[3]
        path = os.path.join(self._places.root, os.path.expanduser(path))
        found = files.read(files.File(path=path), self._places)
        if found.servers:
            return [server for server in found.servers if not is_deedlog(server, self._own)]
        why = found.warnings[0] if found.warnings else f"{path} has no MCP servers"
        if not tolerant.state(path):
            why = f"there is no file {path}"
        hint = "a file has them under mcpServers, servers (VS Code) or mcp_servers (Codex)"
        raise Invalid(why, hint=hint, part=Part.CONFIGURATION)

    def _merged(self) -> Merged:
        found = [self._of(file.path, lambda file=file: files.read(file, self._places)) for file in self._files]  # type: ignore[misc]
        found += [self._of(path, lambda path=path: files.switched_off(path)) for path in self._switches]  # type: ignore[misc]
        state = [state for state, _ in found]
        if self._now is None or self._now[0] != state:
            self._now = state, self._merge([one for _, one in found])
        return self._now[1]

    def _of(self, path: str, read: Callable[[], Found]) -> tuple[object, Found]:
        """A file's state and what it says; read anew where it, or one beside it, has changed."""
        known = self._read.get(path)
        beside = known[1].beside if known else []
        state = [tolerant.state(one) for one in (path, *beside)]
        if known is None or known[0] != state:
            found = read() if state[0] else files.Found()
            known = [state[0], *map(tolerant.state, found.beside)], found
            self._read[path] = known
        return known

    def _merge(self, found: list[Found]) -> Merged:
        warnings = [warning for one in found for warning in one.warnings]
        approved, off = found[0].approved, {name for one in found for name in one.disabled}
        catalogue = {server.name: server for server in self._catalogue()}
        named: dict[str, list[Server]] = {}
        elsewhere: dict[str, Server] = {}
        for file, one in zip(self._files, found[: len(self._files)], strict=True):
            for server in one.servers:
                if is_deedlog(server, self._own):
                    continue
                taken = _brought(server, file, off) if file.of_project else server
                whole = completed(taken, catalogue.get(server.name))
                named.setdefault(server.name, []).append(self._judged(whole, approved))
                if not file.ours:
                    elsewhere.setdefault(server.name, taken)
        wanted = self._boot | {name for name, more in found[0].overlays.items() if more.get("boot")}
        for name, server in catalogue.items():
            named.setdefault(name, []).append(self._catalogued(server, approved, wanted))
        chosen = [_chosen(candidates) for candidates in named.values()]
        warnings += [_shadowing(candidates) for candidates in named.values() if _is_shadowing(candidates)]
        warnings += [_unencrypted(server) for server in chosen if server.trusted and _is_unencrypted(server)]
        overlaid = [_overlaid(server, found[0].overlays, found[1].overlays) for server in chosen]
        barred = {name: why for one in found for name, why in one.barred.items()}
        every = (
            [server.replace(barred=files.why_barred(server.name, barred)) for server in overlaid]
            if barred
            else overlaid
        )
        return _sorted(every, catalogue), named, warnings, list(elsewhere.values()), barred

    def _judged(self, server: Server, approved: Json) -> Server:
        return server.replace(trusted=self._is_approved(server, approved)) if server.brought else server

    def _catalogued(self, server: Server, approved: Json, wanted: Collection[str]) -> Server:
        """Whoever wants a server to be mounted at every start has approved it."""
        return server.replace(trusted=server.name in wanted or self._is_approved(server, approved))

    def _is_approved(self, server: Server, approved: Json) -> bool:
        given = approved.get(server.name)
        return bool(given) and is_approved(given, approval(server, self._places.root))


def _brought(server: Server, file: File, off: set[str]) -> Server:
    """What a repository says of a server, as far as it may; whether it may run is another question."""
    is_off = file.path.endswith("/.mcp.json") and server.name in off
    return server.replace(
        brought=True,
        trusted=False,
        core=False,
        disabled=server.disabled or is_off,
        policy=only_denying(server.policy),
    )


def completed(server: Server, known: Server | None) -> Server:
    """With what the catalogue knows of a server of that name; what its program needs only if it is that program."""
    if known is None:
        return server
    named = list(KNOWN_FIELDS) + (list(OF_THE_PROGRAM) if _is_same(server, known) else [])
    default = Server.defaults()
    more = {name: getattr(known, name) for name in named if getattr(server, name) == default[name]}
    return server.replace(**more, core=server.core or (known.core and not server.brought))


def _is_same(server: Server, known: Server) -> bool:
    if server.transport != "stdio" or known.transport != "stdio":
        return bool(known.url) and server.url.partition("?")[0].rstrip("/") == known.url.partition("?")[0].rstrip("/")
    packages = [word for word in known.args if not word.startswith("-") and "$" not in word]
    plain = {_unversioned(word) for word in (server.command, *server.args)}
    return bool(packages) and _unversioned(packages[0]) in plain


def _unversioned(word: str) -> str:
    """A package without the version one asked for: `@scope/name@1.2` and `name==1.2` are the package."""
    return word[:1] + word[1:].partition("@")[0].partition("==")[0]


def _chosen(candidates: list[Server]) -> Server:
    """The first that is trusted; else rather the catalogue's than what a repository brings."""
    return next((server for server in candidates if server.trusted), min(candidates, key=lambda each: each.brought))


def _is_shadowing(candidates: list[Server]) -> bool:
    return _chosen(candidates) is not candidates[0]


def _shadowing(candidates: list[Server]) -> str:
    first = candidates[0]
    return (
        f"{first.source} brings another {first.name} along, which is not used; "
        f"`deedlog mcp enable {first.name} --source {first.source}` shows what it runs"
    )


def _is_unencrypted(server: Server) -> bool:
    """Whether keys go over a network as they are: what stays on this machine does not."""
    has_keys = server.headers or keys_of(server)
    return bool(server.url.startswith("http://") and has_keys and not ON_THIS_MACHINE.match(server.url))


def _unencrypted(server: Server) -> str:
    return f"{server.name} is sent its keys unencrypted: its address begins with http://"


def _overlaid(server: Server, users: dict[str, Json], projects: dict[str, Json]) -> Server:
    """With what our own files add; a repository may only take away."""
    project = projects.get(server.name, {})
    if project.get("disabled"):
        server = server.replace(disabled=True)
    if denied := only_denying(project.get("policy", {})):
        server = server.replace(policy={**server.policy, **denied})
    more = dict(users.get(server.name, {}))
    for name in ("env", "headers", "policy"):
        if name in more:
            more[name] = {**getattr(server, name), **more[name]}
    return server.replace(**more) if more else server


def _sorted(servers: Iterable[Server], catalogue: dict[str, Server]) -> list[Server]:
    places = {name: number for number, name in enumerate(catalogue)}

    def key(server: Server) -> tuple[int, int, str]:
        category = CATEGORIES.index(server.category) if server.category in CATEGORIES else len(CATEGORIES)
        return category, places.get(server.name, len(places)), server.name

    return sorted(servers, key=key)
