"""`deedlog serve`."""

from __future__ import annotations

from deedlog.core.caller import ANYONE
from deedlog.faces.cli.command import TOOLS, Command, Invocation, user


def run(invocation: Invocation) -> int:
    from deedlog.faces.web.serve import serve  # starlette and uvicorn are for this command alone

    given = invocation.arguments
    settings = invocation.settings(host=given.get("host"), port=given.get("port"), tools=given.get("tools"))
    return serve(settings, person=user())


COMMAND = Command(
    words="serve",
    callers=ANYONE,
    help="Serve the page, MCP and the HTTP API on this machine, until Ctrl-C.\n\n"
    "Listens on loopback only, unless you name another host. On a terminal it prints a link that signs your "
    "browser in; `deedlog open` makes another. Programs need the token: `deedlog config get token`.",
    run=run,
    input_schema={
        "type": "object",
        "properties": {
            "host": {"type": "string", "description": "Address to listen on, instead of 127.0.0.1"},
            "port": {
                "type": "integer",
                "description": "Port to listen on, instead of 4747; 0 takes a free one",
                "minimum": 0,
                "maximum": 65535,
            },
            "tools": TOOLS,
        },
    },
    examples=["deedlog serve", "deedlog serve --port 8080"],
)
