"""A server of the SDK over HTTP, on a socket that it inherits: `sdk_server streamable-http|sse FD [--json]`."""

from __future__ import annotations

import argparse
import asyncio
import socket

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.transport_security import TransportSecuritySettings

server = MCPServer("over-http", instructions="Speak slowly.")


@server.tool()
def echo(text: str) -> str:
    """Say it again."""
    return text


@server.tool()
def big(characters: int) -> str:
    """Say much."""
    return "x" * characters


@server.tool()
async def wait() -> str:
    """Never answer."""
    await asyncio.Event().wait()
    return ""


@server.tool()
async def change(ctx: Context) -> str:
    """Tell how far it is, and that the tools have changed."""
    await ctx.report_progress(1, 2, "half")
    await ctx.session.send_tool_list_changed()
    return "told"


def main() -> None:
    reading = argparse.ArgumentParser()
    reading.add_argument("kind")
    reading.add_argument("socket", type=int)
    reading.add_argument("--json", action="store_true")
    options = reading.parse_args()
    anybody = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    if options.kind == "sse":
        app = server.sse_app(transport_security=anybody)
    else:
        app = server.streamable_http_app(json_response=options.json, transport_security=anybody)
    config = uvicorn.Config(app, log_level="error", ws="none")
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=options.socket)])


if __name__ == "__main__":
    main()
