"""What the repository brings that runs programs or redirects data, and what a person approved of it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from deedlog.core.trust import Brought
else:
    Protocol = object


class Trust(Protocol):
    """The approvals are in the user's own configuration folder; no repository and no store can bring them."""

    def brought(self, *, servers: bool = False) -> list[Brought]:
        """Everything that needs an approval, as it is now, with its state; with the MCP `servers` where asked for."""

    def faults(self) -> list[str]:
        """Everything that is wrong with the repository's file of settings; Deedlog ignores it."""

    def approve(self, items: list[Brought]) -> None: ...
    def revoke(self, items: list[Brought]) -> None: ...
