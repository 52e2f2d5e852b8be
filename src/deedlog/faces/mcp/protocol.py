"""The words of the Model Context Protocol in both its eras: revisions, codes, and messages as bytes."""

from __future__ import annotations

import json

from deedlog.core import revision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    Json = dict[str, Any]

LEGACY, MODERN = revision.LEGACY, revision.MODERN
WITH_BATCHES = "2025-03-26"  # the only revision that has them

META = "io.modelcontextprotocol/"
VERSION = META + "protocolVersion"
CAPABILITIES = META + "clientCapabilities"
CLIENT = META + "clientInfo"
LOG_LEVEL = META + "logLevel"
SUBSCRIPTION = META + "subscriptionId"
SERVER = META + "serverInfo"

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
BUSY = -32000
RESOURCE_NOT_FOUND = -32002  # legacy; modern clients are told INVALID_PARAMS
HEADER_MISMATCH = -32020
MISSING_CAPABILITY = -32021
UNSUPPORTED_VERSION = -32022

LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


class Failure(Exception):
    """A request that gets a JSON-RPC error for an answer."""

    def __init__(self, code: int, message: str, data: Json | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


def reply(request_id: str | int, result: Json) -> Json:
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def failed(request_id: str | int | None, failure: Failure) -> Json:
    error: Json = {"code": failure.code, "message": failure.message}
    if failure.data is not None:
        error["data"] = failure.data
    return {"jsonrpc": "2.0", "id": request_id, "error": error}


def note(method: str, params: Json | None = None) -> Json:
    return {"jsonrpc": "2.0", "method": method} | ({"params": params} if params else {})


def is_id(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
# The text of an answer is one line in the spelling in which core/page.py counts: what fits there fits here.
READABLE = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def decode(data: bytes) -> Any:
    """The message; of a key that comes twice the last one counts, as everywhere in Python and JavaScript."""
    try:
        return DECODER.decode(data.decode())
    except (ValueError, RecursionError) as error:
        raise Failure(PARSE_ERROR, "this is not a JSON-RPC message: it must be one line of JSON in UTF-8") from error


def encode(message: Json | list[Json]) -> bytes:
    try:
        return ENCODER.encode(message).encode()
    except UnicodeEncodeError:  # half of a surrogate pair can only be sent escaped
        return json.dumps(message, separators=(",", ":"), allow_nan=False).encode()
