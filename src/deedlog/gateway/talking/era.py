"""What a message to a server carries beside what its caller says, in either era of the protocol."""

from __future__ import annotations

from deedlog import __version__
from deedlog.core.revision import LEGACY, MODERN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

META = "io.modelcontextprotocol/"
VERSION, CAPABILITIES, CLIENT = META + "protocolVersion", META + "clientCapabilities", META + "clientInfo"
LOG_LEVEL, SUBSCRIPTION, SERVER = META + "logLevel", META + "subscriptionId", META + "serverInfo"
BETWEEN_TWO = frozenset(
    (VERSION, CAPABILITIES, CLIENT, LOG_LEVEL, SUBSCRIPTION)
)  # of our client and us, not of its call
ROUNDS = ("inputResponses", "requestState")  # the same

NEWEST = LEGACY[-1]
ABLE: Json = {"roots": {}, "sampling": {}, "elicitation": {"form": {}, "url": {}}}
OURSELVES: Json = {"name": "deedlog", "version": __version__}
CHANGES = {"tools": "toolsListChanged", "prompts": "promptsListChanged", "resources": "resourcesListChanged"}


def introduction() -> Json:
    return {"protocolVersion": NEWEST, "capabilities": ABLE, "clientInfo": OURSELVES}


def envelope(level: str = "") -> Json:
    """What every request to a modern server carries."""
    return {VERSION: MODERN, CAPABILITIES: ABLE, CLIENT: OURSELVES} | ({LOG_LEVEL: level} if level else {})


def carried(method: str, params: Json, number: int, further: Json) -> Json:
    """The parameters as they are sent: the caller's, without what concerns only its connection to us."""
    given = params.get("_meta")
    meta = {key: value for key, value in given.items() if key not in BETWEEN_TWO} if isinstance(given, dict) else {}
    if method == "tools/call" or "progressToken" in meta:
        meta["progressToken"] = number
    meta |= further
    kept = {key: value for key, value in params.items() if key not in ROUNDS}
    if meta:
        kept["_meta"] = meta
    else:
        kept.pop("_meta", None)
    return kept


def wishes(capabilities: Json) -> Json:
    """Which changes of its lists a modern server is asked to tell."""
    able = {name: capabilities.get(name) for name in CHANGES}
    return {CHANGES[name]: True for name, found in able.items() if isinstance(found, dict) and found.get("listChanged")}


def without_stream(params: Json) -> Json:
    """What a notification says, without the stream it came by."""
    meta = params.get("_meta")
    if not isinstance(meta, dict) or SUBSCRIPTION not in meta:
        return params
    rest = {key: value for key, value in meta.items() if key != SUBSCRIPTION}
    others = {key: value for key, value in params.items() if key != "_meta"}
    return others | ({"_meta": rest} if rest else {})
