"""What HTTP requests say in headers of the message they carry, in both eras of the protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    encode_header_value,
    find_invalid_x_mcp_header,
    mcp_param_headers,
    x_mcp_header_map,
)
from mcp_types import PROTOCOL_VERSION_META_KEY

if TYPE_CHECKING:
    from deedlog.gateway.wire import Json


class Stamps:
    """A message of the modern era carries its version and is named in headers; before that, the version is agreed.

    Tools of the modern era may have arguments repeated in headers: their lists say which, so lists are remembered.
    """

    def __init__(self) -> None:
        self._listing: set[int | str] = set()
        self._repeated: dict[str, dict[tuple[str, ...], str]] = {}

    def of(self, message: Json, agreed: str) -> dict[str, str]:
        method = message.get("method", "")
        params = message.get("params") or {}
        modern = (params.get("_meta") or {}).get(PROTOCOL_VERSION_META_KEY)
        if not isinstance(modern, str):
            return {MCP_PROTOCOL_VERSION_HEADER: agreed} if agreed and method != "initialize" else {}
        if method == "tools/list" and "id" in message:
            self._listing.add(message["id"])
        headers = {MCP_PROTOCOL_VERSION_HEADER: modern, MCP_METHOD_HEADER: method}
        name = params.get(NAME_BEARING_METHODS.get(method, ""))
        if isinstance(name, str):
            headers[MCP_NAME_HEADER] = encode_header_value(name)
            if method == "tools/call" and name in self._repeated:
                headers |= mcp_param_headers(self._repeated[name], params.get("arguments") or {})
        return headers

    def learn(self, number: int | str | None, result: Json) -> None:
        if number is None or number not in self._listing:
            return
        self._listing.discard(number)
        for tool in result.get("tools") or []:
            schema = tool.get("inputSchema") if isinstance(tool, dict) else None
            if schema is not None and isinstance(tool.get("name"), str) and find_invalid_x_mcp_header(schema) is None:
                self._repeated[tool["name"]] = x_mcp_header_map(schema)
