"""A small MCP server of somebody else's: it knows where parcels are."""

from __future__ import annotations

import json
import sys

KNOWN = {"TC-1041": "delivered this morning", "TC-1042": "on its way, expected tomorrow"}
TOOL = {
    "name": "track_parcel",
    "description": "Tell where a parcel is.",
    "inputSchema": {"type": "object", "properties": {"number": {"type": "string"}}, "required": ["number"]},
}


def answered(method: str, params: dict[str, object]) -> dict[str, object] | None:
    if method == "initialize":
        about = {"name": "parcels", "version": "1.2.0"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": about}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        given = params["arguments"]
        where = KNOWN.get(str(given.get("number"))) if isinstance(given, dict) else None
        return {"content": [{"type": "text", "text": where or "nobody knows this parcel"}], "isError": where is None}
    return {} if method == "ping" else None


def main() -> None:
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" in asked and (result := answered(asked["method"], asked.get("params", {}))) is not None:
            print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
