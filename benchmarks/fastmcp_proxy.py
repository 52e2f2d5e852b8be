"""FastMCP's proxy of one server, in an environment of its own. Arguments: stdio or a port, then the command."""
# mypy: ignore-errors

import sys

from fastmcp.client.transports import StdioTransport
from fastmcp.server import create_proxy

manner, command, *arguments = sys.argv[1:]
proxy = create_proxy(StdioTransport(command, arguments), name="proxy")
if manner == "stdio":
    proxy.run(show_banner=False)
else:
    proxy.run(
        transport="http", port=int(manner), show_banner=False, log_level="ERROR", uvicorn_config={"access_log": False}
    )
