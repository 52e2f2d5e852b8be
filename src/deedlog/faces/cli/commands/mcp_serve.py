"""`deedlog mcp serve`."""

from __future__ import annotations

from deedlog.faces.cli.command import Command, Invocation


def run(invocation: Invocation) -> int:
    from deedlog import bootstrap
    from deedlog.faces.mcp.stdio import serve

    settings = invocation.settings()
    return serve(bootstrap.build(settings), settings)


COMMAND = Command(
    words="mcp serve",
    help="Speak MCP on standard input and output: what a coding agent starts.\n\n"
    "`deedlog init` writes this command into the configuration of your agents.",
    run=run,
    input_schema={
        "type": "object",
        "properties": {
            "verbose": {"type": "boolean", "description": "Write every message to .deedlog/logs/mcp.log"},
        },
    },
    examples=["deedlog mcp serve", "deedlog mcp serve --disable-tracking"],
)
