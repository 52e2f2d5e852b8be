"""Which method is answered by what, in each era, and what the server says about itself."""

from __future__ import annotations

from deedlog import __version__
from deedlog.faces.mcp import prompts, protocol, resources, tools
from deedlog.faces.mcp.greeting import instructions
from deedlog.faces.mcp.request import client_name, log_level

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from deedlog.faces.mcp.request import Request

    Json = dict[str, Any]
    Methods = dict[str, Callable[[Request], Json | None]]

SERVER_INFO = {"name": "deedlog", "title": "Deedlog", "version": __version__}
CAPABILITIES: Json = {
    "tools": {"listChanged": True},
    "resources": {"subscribe": True, "listChanged": True},
    "prompts": {"listChanged": True},
    "completions": {},
}


def initialize(request: Request) -> Json:
    connection, wanted = request.connection, request.params.get("protocolVersion")
    connection.version = wanted if isinstance(wanted, str) and wanted in protocol.LEGACY else protocol.LEGACY[-1]
    name, capabilities = client_name(request.params.get("clientInfo")), request.mapping("capabilities")
    connection.client = connection.client.replace(name=name, capabilities=capabilities)
    connection.subscriptions.open()
    return {
        "protocolVersion": connection.version,
        "capabilities": {**CAPABILITIES, "logging": {}},
        "serverInfo": SERVER_INFO,
        "instructions": instructions(request.dispatcher),
    }


def set_level(request: Request) -> Json:
    connection = request.connection
    connection.client = connection.client.replace(log_level=log_level(request.text("level")))
    return {}


def ping(_request: Request) -> Json:
    return {}


def discover(request: Request) -> Json:
    told = instructions(request.dispatcher)
    return {"supportedVersions": [protocol.MODERN], "capabilities": CAPABILITIES, "instructions": told}


def modern_result(method: str, result: Json) -> Json:
    meta = {**(result.get("_meta") or {}), protocol.SERVER: SERVER_INFO}
    fresh = {"ttlMs": 0, "cacheScope": "private"} if method in CACHEABLE else {}
    return {"resultType": "complete", **fresh, **result, "_meta": meta}


BOTH: Methods = {
    "tools/list": tools.tools_list,
    "tools/call": tools.tools_call,
    "resources/list": resources.resources_list,
    "resources/templates/list": resources.templates_list,
    "resources/read": resources.resources_read,
    "prompts/list": prompts.prompts_list,
    "prompts/get": prompts.prompts_get,
    "completion/complete": prompts.completion_complete,
}
ONLY_LEGACY: Methods = {
    "initialize": initialize,
    "ping": ping,
    "logging/setLevel": set_level,
    "resources/subscribe": lambda request: request.connection.subscriptions.subscribe(request),
    "resources/unsubscribe": lambda request: request.connection.subscriptions.unsubscribe(request),
}
ONLY_MODERN: Methods = {
    "server/discover": discover,
    "subscriptions/listen": lambda request: request.connection.subscriptions.listen(request),
}
LEGACY_METHODS = BOTH | ONLY_LEGACY
MODERN_METHODS = BOTH | ONLY_MODERN
CACHEABLE = {
    "server/discover",
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "prompts/list",
}
