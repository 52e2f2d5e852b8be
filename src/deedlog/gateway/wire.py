"""What carries messages to another server and back. Transports implement it; `conversation.py` speaks over it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    from deedlog.core.errors import Unavailable

    Json = dict[str, Any]
else:
    Protocol = object
    Json = dict


class Undelivered(Json):
    """A channel's own answer to one request: the server gives none, and `why`. The channel goes on."""

    def __init__(self, number: int | str, why: Unavailable) -> None:
        super().__init__(jsonrpc="2.0", id=number, error={"code": -32000, "message": why.message, "data": why.data})
        self.why = why


class Channel(Protocol):
    """One connection to one server. Any thread may send; what comes is handed over by a thread of its own, in order."""

    def open(self, receive: Callable[[Json], None], lost: Callable[[str], None], seconds: float) -> None:
        """Start or reach the server. `receive` is given every message, `lost` is told once why it is over.

        Raises:
            Unavailable: it cannot be started or reached in time; nothing is left of it.
        """

    def send(self, message: Json, seconds: float) -> None:
        """Hand a message over, or raise `Unavailable`: it is gone, or does not take it in time."""

    @property
    def unread(self) -> bool:
        """Whether messages wait for the server to read them."""

    def agreed(self, version: str) -> None:
        """The handshake is over: messages are of this revision of the protocol from now on."""

    def said(self) -> str:
        """What the server wrote beside the protocol last, for whoever has to find out why it failed."""

    @property
    def pid(self) -> int:
        """The process, where it is one of this machine; else 0."""

    def close(self) -> None:
        """End it, with every process it started. May be called twice, and by any thread."""
