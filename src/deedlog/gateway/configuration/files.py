"""The files in which servers are configured: ours, and those of other programs, which are never written."""

from __future__ import annotations

import os

from deedlog.core.errors import Denied, Part
from deedlog.core.gate.server import Server, called
from deedlog.core.value import Value
from deedlog.gateway.configuration import entries, tolerant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from deedlog.gateway.places import Places

    Json = dict[str, Any]

OURS = "servers.json"
SECTIONS = ("mcpServers", "servers", "mcp_servers")
GEMINI = "/.gemini/settings.json"  # where a plain `url` is a stream of events
EVERY = ""  # where a server's name stands else
MOST_NAMED = 60  # letters of a name in a warning


class File(Value):
    """`of_project` ones come with the repository; `ours` may be overlays of servers from elsewhere."""

    path: str
    of_project: bool = False
    ours: bool = False


class Found(Value):
    """What one file says. `beside` are further files that were read for it.

    `barred` has why nobody can tell what it says of a server, by name; under `EVERY`, of any.
    """

    servers: list[Server] = []  # noqa: RUF012  # values are never changed in place
    overlays: dict[str, Json] = {}  # noqa: RUF012
    approved: Json = {}  # noqa: RUF012
    disabled: list[str] = []  # noqa: RUF012  # servers of `.mcp.json` that the user of Claude Code switched off
    warnings: list[str] = []  # noqa: RUF012
    barred: dict[str, str] = {}  # noqa: RUF012
    beside: list[str] = []  # noqa: RUF012


def files(places: Places) -> list[File]:
    """Every file that is looked at; what the first says of a name counts."""
    home, root = places.home, places.root
    base = places.environment.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    apart = os.path.join(home, "Library", "Application Support")  # where macOS has the same
    codex = places.environment.get("CODEX_HOME") or os.path.join(home, ".codex")
    found = [File(path=os.path.join(places.user, OURS), ours=True)]
    found += [File(path=os.path.join(places.state, OURS), ours=True, of_project=True)]
    of_project = (".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json", ".gemini/settings.json", ".codex/config.toml")
    found += [File(path=os.path.join(root, name), of_project=True) for name in of_project]
    if not home:
        return found
    found += [File(path=os.path.join(home, ".claude.json"))]
    found += [File(path=os.path.join(folder, "Claude", "claude_desktop_config.json")) for folder in (base, apart)]
    found += [File(path=os.path.join(home, ".cursor", "mcp.json"))]
    found += [
        File(path=os.path.join(folder, name, "User", "mcp.json"))
        for folder in (base, apart)
        for name in ("Code", "Code - Insiders", "VSCodium")
    ]
    return [
        *found,
        File(path=os.path.join(codex, "config.toml")),
        File(path=os.path.join(home, ".gemini/settings.json")),
    ]


def own_path(places: Places, *, project: bool) -> str:
    """Our own file, of the user or of the project; the project's folder of ours is made with what belongs into it."""
    if not project:
        return os.path.join(places.user, OURS)
    from deedlog.project import Project, make_state  # only where it is written

    path = os.path.join(make_state(Project(tree=places.root, root=places.root, git_dir=None, store="")), OURS)
    if os.path.islink(path):  # whoever made the repository says where it leads
        hint = "put a file in its place"
        raise Denied(f"{path} is a link, which is not written through", hint=hint, part=Part.CONFIGURATION)
    return path


def switches(places: Places) -> list[str]:
    """Settings of Claude Code that may switch off what `.mcp.json` has."""
    found = [os.path.join(places.root, ".claude", name) for name in ("settings.json", "settings.local.json")]
    return [*found, os.path.join(places.home, ".claude", "settings.json")] if places.home else found


def read(file: File, places: Places) -> Found:
    """What a file says; a broken one says nothing, with a warning. One of ours may have denied anything."""
    try:
        content = tolerant.load(file.path)
    except tolerant.Unreadable as error:
        barred = {EVERY: _barred(file, str(error))} if file.ours else {}
        return Found(warnings=[f"{file.path} says nothing: {error}"], barred=barred)
    reading = _Reading(file, places)
    if isinstance(own := _own_part(content, places), dict):
        reading.take(own)
    reading.take(content)
    for part in (own, content):
        reading.switch(part if isinstance(part, dict) else {})
    return reading.found(content, own)


def _barred(file: File, why: str) -> str:
    return f"{file.path} cannot be used ({why}): nothing is handed on until it is mended"


def why_barred(name: str, barred: Mapping[str, str]) -> str:
    return barred.get(name) or barred.get(EVERY, "")


def switched_off(path: str) -> Found:
    try:
        return Found(disabled=_names(tolerant.load(path).get("disabledMcpjsonServers")))
    except tolerant.Unreadable:
        return Found()  # it has no servers; whose it is will say so


def _own_part(content: Json, places: Places) -> Any:
    """What Claude Code keeps for this project alone."""
    projects = content.get("projects")
    return projects.get(places.root) if isinstance(projects, dict) else None


def _names(given: Any) -> list[str]:
    return [called(name) for name in given if isinstance(name, str)] if isinstance(given, list) else []


class _Reading:
    def __init__(self, file: File, places: Places) -> None:
        self._file = file
        self._places = places
        self._servers: dict[str, Server] = {}
        self._overlays: dict[str, Json] = {}
        self._warnings: list[str] = []
        self._beside: list[str] = []
        self._barred: dict[str, str] = {}

    def take(self, content: Json) -> None:
        section = next((name for name in SECTIONS if content.get(name) is not None), "")
        servers = content.get(section) if section else {}
        if not isinstance(servers, dict):
            self._warnings.append(f"{self._file.path} says nothing: its {section} is not an object")
            self._bar(EVERY, f"its {section} is not an object")
            return
        inputs = _defaults(content.get("inputs"))
        here: set[str] = set()
        for given, entry in servers.items():
            name = called(given)
            if not name or name in here:
                why = "another one is called so here, too" if name else "it has no name"
                self._warn(given, why)
                continue
            here.add(name)
            if name not in self._servers and name not in self._overlays:
                self._one(given, name, entry, inputs)

    def _one(self, given: str, name: str, entry: Any, inputs: dict[str, str]) -> None:
        try:
            within = self._file.of_project
            self._beside += entries.beside(entry, self._places)
            if self._file.path.endswith(GEMINI) and isinstance(entry, dict) and entry.get("url"):
                entry = {"type": "http" if entry.get("httpUrl") else "sse", **entry}
            fields = entries.fields(entry, self._places, inputs, of_project=within)
            if not entries.is_overlay(entry):
                spelt = given if given != name and entries.is_text(given) else ""
                self._servers[name] = Server(**{"name": name, "source": self._file.path, "title": spelt, **fields})
            elif self._file.ours:
                self._overlays[name] = fields
            else:
                self._warn(given, "it has neither command nor url")
        except entries.Unusable as error:
            self._warn(given, str(error))
            self._bar(name, f"{name}: {error}")

    def _bar(self, name: str, why: str) -> None:
        if self._file.ours:
            self._barred[name] = _barred(self._file, why)

    def _warn(self, name: str, why: str) -> None:
        shown = called(name)[:MOST_NAMED] or "a server"  # what a file calls it may be anything
        self._warnings.append(f"{self._file.path}: {shown} is left out: {why}")

    def switch(self, content: Json) -> None:
        """Names that a list beside the servers switches off: Gemini's `mcp`, Claude Code's `disabledMcpServers`."""
        given = content.get("mcp")
        rules = given if isinstance(given, dict) else {}
        never = _names(rules.get("excluded")) + _names(content.get("disabledMcpServers"))
        never += self._off_in_gemini()
        only = _names(rules.get("allowed"))
        for name, server in self._servers.items():
            if name in never or (only and name not in only):
                self._servers[name] = server.replace(disabled=True)

    def _off_in_gemini(self) -> list[str]:
        """What `gemini mcp disable` was said of: it keeps that in a file of its own."""
        if not self._file.path.endswith(GEMINI) or not self._places.home:
            return []
        path = os.path.join(self._places.home, ".gemini", "mcp-server-enablement.json")
        self._beside.append(path)
        try:
            said = tolerant.load(path)
        except tolerant.Unreadable:
            return []
        return [
            called(name) for name, state in said.items() if isinstance(state, dict) and state.get("enabled") is False
        ]

    def found(self, content: Json, own: Any) -> Found:
        approved = content.get("approved") if self._file.ours and not self._file.of_project else None
        return Found(
            servers=list(self._servers.values()),
            overlays=self._overlays,
            approved=approved if isinstance(approved, dict) else {},
            disabled=_names(own.get("disabledMcpjsonServers")) if isinstance(own, dict) else [],
            warnings=self._warnings,
            barred=self._barred,
            beside=self._beside,
        )


def _defaults(inputs: Any) -> dict[str, str]:
    """What VS Code's inputs are where nobody is asked; passwords have no default that could be meant."""
    found: dict[str, str] = {}
    for given in inputs if isinstance(inputs, list) else ():
        if isinstance(given, dict) and isinstance(given.get("id"), str) and not given.get("password"):
            default = given.get("default")
            found |= {given["id"]: default} if default and isinstance(default, str) else {}
    return found
