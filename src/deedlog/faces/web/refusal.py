"""What a refusal is over HTTP: a status, and its words as JSON."""

from __future__ import annotations

from starlette.responses import Response

from deedlog.core.errors import DeedlogError
from deedlog.faces.advice import in_commands
from deedlog.faces.mcp.protocol import encode

STATUS = {"invalid": 422, "not_found": 404, "conflict": 409, "denied": 403, "unavailable": 503}
UNEXPECTED = 500


def refused(error: DeedlogError, status: int | None = None, *, person: bool = False) -> Response:
    """A person on the page is told of commands, where who calls tools is told of those."""
    status = status or STATUS.get(error.kind, UNEXPECTED)
    hint = in_commands(error.hint) if person else error.hint
    said = {"kind": error.kind, "message": error.message, "hint": hint, "data": error.data}
    headers = {"WWW-Authenticate": 'Bearer realm="deedlog"'} if status == 401 else None  # noqa: PLR2004
    return json_response({"error": said}, status, headers)


def json_response(data: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return json_bytes(encode(data), status, headers)  # type: ignore[arg-type]


def json_bytes(data: bytes, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(data, status, headers, media_type="application/json")
