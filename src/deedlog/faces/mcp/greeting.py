"""What a client is told when it comes: how to work here, and which other servers are within reach."""

from __future__ import annotations

import threading

from deedlog.app import GATEWAY
from deedlog.core.guide import BRIEF, GUIDE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from deedlog.app import App
    from deedlog.core.gate.server import Standing
    from deedlog.faces.mcp.dispatch import Dispatcher

MOST_CHARACTERS = 4_000  # clients cut at 4,096
BOOT = "mcp_boot"


def instructions(dispatcher: Dispatcher) -> str:
    """The server's instructions; what is wrong with a configuration does not keep anybody from connecting."""
    app = dispatcher.app
    if not app.capabilities.on(GATEWAY):
        return GUIDE
    standings = _standings(app)
    dispatcher.booting.begin(standings)
    from deedlog.core.gate.prompt import CHARACTERS_OF_A_TOKEN, section  # only who connects needs it

    room = app.settings["gateway_prompt_tokens"] * CHARACTERS_OF_A_TOKEN
    if room <= 0:
        return GUIDE
    return f"{BRIEF}\n{section(standings, min(room, MOST_CHARACTERS - len(BRIEF) - 1))}"


def boot(dispatcher: Dispatcher) -> None:
    """Mount what is to be there from the start, where clients may come at any time."""
    if dispatcher.app.capabilities.on(GATEWAY):
        dispatcher.booting.begin(_standings(dispatcher.app))


def _standings(app: App) -> list[Standing]:
    try:
        return app.servers()
    except Exception as error:  # noqa: BLE001  # see above
        app.report(error)
        return []


class Booting:
    """Mounting the servers that are to be there from the start: once, beside the first messages."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def begin(self, standings: Sequence[Standing]) -> None:
        if not self._app.settings["gateway_boot"] and not any(one.server.boot for one in standings):
            return
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._app.aside, args=(BOOT, {}), name="deedlog-boot", daemon=True
                )
                self._thread.start()

    def under_way(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def wait(self, seconds: float) -> None:
        if thread := self._thread:
            thread.join(seconds)
