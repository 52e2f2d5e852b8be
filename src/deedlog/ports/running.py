"""How this process runs: which face serves, and which capabilities are on."""

from __future__ import annotations

from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol
else:
    Protocol = object


class Serving(Value):
    """What a face tells about itself, once it answers. Neither stdio nor a host: a command of the CLI."""

    stdio: bool = False
    host: str | None = None
    port: int | None = None
    path: str | None = None
    most_bytes: int = 0  # of one message; 0 where nothing limits it


class Capabilities(Protocol):
    """Which capabilities are on right now: as configured, and as calls switched them since."""

    def now(self) -> frozenset[str]: ...
    def on(self, name: str) -> bool: ...
    def held(self, name: str) -> str:
        """What keeps calls from switching it, such as the flag that did; nothing where they may."""

    def switch(self, name: str, *, on: bool) -> None:
        """Switch it for every process of the project on this machine, or refuse to."""
