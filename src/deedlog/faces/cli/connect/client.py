"""The coding agents `deedlog init` can connect, and what each one's configuration calls us."""

from __future__ import annotations

import os
import sys

from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    Json = dict[str, Any]

NAME = "deedlog"
SERVE = ["mcp", "serve"]
IN_WORKSPACE = ["-C", "${workspaceFolder}"]  # editors start servers in a folder of their own
TRANSPORT = ("type", "command", "args", "url", "headers", "http_headers", "bearer_token_env_var")
PROCESS = ("env", "cwd")  # of a command; beside an address some clients refuse them


class Client(Value):
    """`section` is the key under which its file lists servers; a `file` that ends in .toml is TOML."""

    name: str
    title: str
    file: str
    section: str = "mcpServers"
    typed: bool = False
    headers: str = "headers"
    before: list[str] = []  # noqa: RUF012  # values are never changed in place

    def path(self, tree: str, environment: Mapping[str, str]) -> str:
        if self.name == "codex":
            home = environment.get("CODEX_HOME") or os.path.join(environment.get("HOME", "/"), ".codex")
            return os.path.join(home, self.file)
        return os.path.join(tree, self.file)

    def over_stdio(self, command: list[str]) -> Json:
        program, *arguments = command
        kind = {"type": "stdio"} if self.typed else {}
        return {**kind, "command": program, "args": [*arguments, *self.before, *SERVE]}

    def over_http(self, url: str, token: str) -> Json:
        kind = {"type": "http"} if self.typed or self.name == "gemini-cli" else {}
        return {**kind, "url": url, self.headers: {"Authorization": f"Bearer {token}"}}


CLIENTS = {
    client.name: client
    for client in (
        Client(name="claude-code", title="Claude Code", file=".mcp.json", typed=True),
        Client(name="codex", title="Codex", file="config.toml", section="mcp_servers", headers="http_headers"),
        Client(name="gemini-cli", title="Gemini CLI", file=".gemini/settings.json"),
        Client(name="cursor", title="Cursor", file=".cursor/mcp.json", before=IN_WORKSPACE),
        Client(
            name="vscode",
            title="VS Code",
            file=".vscode/mcp.json",
            section="servers",
            typed=True,
            before=IN_WORKSPACE,
        ),
    )
}


def own_command() -> list[str]:
    """How another program starts us: by name where its search path has us too, else by our place."""
    from shutil import which  # only for init

    started = os.path.realpath(sys.argv[0])
    if os.path.basename(started) != NAME:
        return [sys.executable, "-m", NAME]
    on_path = which(NAME)
    is_found = on_path and os.path.realpath(on_path) == started and not _is_of_this_shell(on_path)
    return [NAME] if is_found else [started]


def _is_of_this_shell(program: str) -> bool:
    """Whether it is found because an environment was activated, which other programs know nothing of."""
    folder = os.path.realpath(os.path.dirname(program))
    return sys.prefix != sys.base_prefix and folder == os.path.realpath(os.path.join(sys.prefix, "bin"))


def merged(existing: Any, wanted: Json) -> Json:
    """The entry to write: ours, with whatever else its user had put there, also after `mcp serve`."""
    if not isinstance(existing, dict):
        return wanted
    dropped = TRANSPORT if "command" in wanted else (*TRANSPORT, *PROCESS)
    entry = {name: value for name, value in existing.items() if name not in dropped or name in wanted}
    entry |= wanted
    own = existing.get("args")
    if "args" in wanted and isinstance(own, list) and SERVE[-1] in own:
        entry["args"] = wanted["args"] + own[own.index(SERVE[-1]) + 1 :]
    return entry
