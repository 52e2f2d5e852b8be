"""What became of servers: who mounted which, what their tools were when that was agreed to, and every call of them."""

from __future__ import annotations

from deedlog.core.gate.flags import is_grave
from deedlog.core.value import Entity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar


def server_uri(name: str) -> str:
    return f"server://{name}"


class Mount(Entity):
    """One activation of a server by a principal: a server process of ours, or `cli`.

    It is over when it was ended, or when the process that holds it is dead.
    """

    kind: ClassVar[str] = "mount"
    found_by: ClassVar[tuple[str, ...]] = ("server", "principal", "status", "created_at")
    seen_with: ClassVar[str] = "mcp_environment"
    begins: ClassVar[str] = "mounted"

    server: str
    principal: str
    status: str = "active"  # or ended
    boot: bool = False
    actor: str = ""
    host: str = ""
    process: str = ""  # the mark of the process that holds it; none for `cli`, which starts it for each call
    tools: int = 0
    tokens: int = 0
    created_at: int = 0
    ended_at: int = 0

    def subjects(self) -> list[str]:
        return [self.uri, server_uri(self.server)]

    @classmethod
    def headline(cls, fields: dict[str, Any]) -> str:
        return str(fields.get("server", cls.kind))


class Pin(Entity):
    """What the tools of a server were when they were agreed to; the server's name is its id.

    `tools` has the hash of each definition, `held` the names of those that are held back because they are suspicious
    or have changed since, `flags` what is suspicious about which, `accepted` the hashes that a person has accepted.
    `definitions` is the digest of all definitions as they were seen last. `launch` is the hash of what was run: another
    program under the same name is agreed to again.
    """

    kind: ClassVar[str] = "pin"
    found_by: ClassVar[tuple[str, ...]] = ("created_at",)
    seen_with: ClassVar[str] = "mcp_environment"
    begins: ClassVar[str] = "agreed to"

    launch: str
    tools: dict[str, str] = {}  # noqa: RUF012
    held: list[str] = []  # noqa: RUF012
    flags: dict[str, list[str]] = {}  # noqa: RUF012
    accepted: dict[str, str] = {}  # noqa: RUF012
    definitions: str = ""
    created_at: int = 0
    seen_at: int = 0

    @property
    def withheld(self) -> list[str]:
        """What no model sees. Earlier versions agreed to suspicious tools without a person."""
        grave = (name for name, codes in self.flags.items() if is_grave(codes) and name in self.tools)
        return list(dict.fromkeys([*self.held, *(name for name in grave if name not in self.accepted)]))

    def blobs(self) -> list[str]:
        return [self.definitions] if self.definitions else []

    def subjects(self) -> list[str]:
        return [self.uri, server_uri(self.id)]

    @classmethod
    def headline(cls, fields: dict[str, Any]) -> str:
        return f"the tools of {fields.get('id', 'a server')}"


class Passage(Entity):
    """One call of a mounted server's tool, after it was over. Secrets are taken out of `arguments`."""

    kind: ClassVar[str] = "passage"
    found_by: ClassVar[tuple[str, ...]] = ("server", "outcome", "created_at")
    seen_with: ClassVar[str] = "mcp_calls"
    begins: ClassVar[str] = "called"

    server: str
    tool: str
    actor: str
    outcome: str  # ok, error (the tool's own), refused (by us), failed, timeout, cancelled, lost (we died meanwhile)
    principal: str = ""
    arguments: str = ""
    milliseconds: int = 0
    characters: int = 0  # of the answer
    problem: str = ""
    created_at: int = 0

    def subjects(self) -> list[str]:
        return [self.uri, server_uri(self.server)]

    @classmethod
    def headline(cls, fields: dict[str, Any]) -> str:
        return f"{fields.get('server', '')} {fields.get('tool', '')}".strip() or cls.kind
