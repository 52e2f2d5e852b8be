"""The smallest useful server on the official Python SDK: the peer our stdio server is measured against."""

from mcp.server.mcpserver import MCPServer

server = MCPServer("floor")


@server.tool()
def echo(text: str) -> dict[str, str]:
    """Return the text."""
    return {"text": text}


if __name__ == "__main__":
    server.run("stdio")
