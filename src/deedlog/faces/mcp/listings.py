"""Which clients list their tools anew when these change: some do at once, some never do."""

from __future__ import annotations

import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from deedlog.faces.mcp.request import Request

    Kept = TypeVar("Kept")

MOST_NAMES = 1_000


class Listings:
    """How often the tools changed, and how many of these changes each client has seen.

    A client of the old era is its connection; one of the new may use another connection for every request, so there
    it is its name.
    """

    def __init__(self) -> None:
        self._news = threading.Condition()
        self._changes = 0
        self._by_name: dict[str, int] = {}
        self._heeds: dict[str, bool] = {}  # by the name of the client, whether it listed anew when it was told to

    def changed(self) -> None:
        with self._news:
            self._changes += 1

    def listing(self, request: Request) -> Callable[[], None]:
        """To be called before the list is made; what it returns is called once the client has it."""
        seen = self._changes

        def sent() -> None:
            with self._news:
                before = self._seen(request)
                if before is not None and before < seen:
                    self._remember(request, heeds=True)
                if request.modern:
                    self._by_name = {**_fitting(self._by_name), request.client.name: seen}
                else:
                    request.connection.tools_seen = seen
                self._news.notify_all()

        return sent

    def wait(self, request: Request, seconds: float) -> bool:
        """Wait until the client of a call knows the tools as they are now; at most once for one that never looks."""
        with self._news:
            wanted = self._changes

            def is_seen() -> bool:
                seen = self._seen(request)
                return seen is not None and seen >= wanted

            if is_seen() or not self._heeds.get(request.client.name, True):
                return is_seen()
            found = self._news.wait_for(is_seen, seconds)
            self._remember(request, heeds=found)
            return found

    def _seen(self, request: Request) -> int | None:
        return self._by_name.get(request.client.name) if request.modern else request.connection.tools_seen

    def _remember(self, request: Request, *, heeds: bool) -> None:
        self._heeds = {**_fitting(self._heeds), request.client.name: heeds}


def _fitting(found: dict[str, Kept]) -> dict[str, Kept]:
    """Clients call themselves what they like: what is known of too many of them is forgotten."""
    return found if len(found) < MOST_NAMES else {}
