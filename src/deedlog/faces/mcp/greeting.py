"""What a client is told when it comes: how to work here, and which other servers are within reach."""

from __future__ import annotations

from deedlog.app import GATEWAY
from deedlog.core.gate.server import Status, called
from deedlog.core.guide import BRIEF, GUIDE
from deedlog.core.worker_calls import GUIDE as WORKER_GUIDE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from deedlog.core.gate.server import Standing
    from deedlog.faces.mcp.dispatch import Dispatcher

MOST_CHARACTERS = 4_000  # clients cut at 4,096


def instructions(dispatcher: Dispatcher) -> str:
    """The server's instructions; what is wrong with a configuration does not keep anybody from connecting."""
    app = dispatcher.app
    if app.is_remote:
        return WORKER_GUIDE
    if app.settings["gateway_prompt_tokens"] <= 0 or not app.capabilities.on(GATEWAY):
        return GUIDE
    from deedlog.core.gate.prompt import CHARACTERS_OF_A_TOKEN, section  # only who connects needs it

    room = app.settings["gateway_prompt_tokens"] * CHARACTERS_OF_A_TOKEN
    return f"{BRIEF}\n{section(_standings(dispatcher), min(room, MOST_CHARACTERS - len(BRIEF) - 1))}"


def _standings(dispatcher: Dispatcher) -> list[Standing]:
    """How servers stand; those that are being mounted are there by the time that somebody wants to use them."""
    app = dispatcher.app
    try:
        found = app.servers()
    except Exception as error:  # noqa: BLE001  # see above
        app.report(error)
        return []
    if not dispatcher.is_booting():
        return found
    return [each.replace(status=Status.ACTIVE) if _is_booted(each, app.settings) else each for each in found]


def _is_booted(standing: Standing, settings: Mapping[str, Any]) -> bool:
    server = standing.server
    return standing.status is Status.AVAILABLE and (server.boot or server.name in map(called, settings["gateway_boot"]))
