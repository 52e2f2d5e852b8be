"""`deedlog mcp serve`."""

from __future__ import annotations

import os
import sys
import time

from deedlog import bootstrap, project
from deedlog.core.caller import ANYONE
from deedlog.core.worker_calls import SOCKET, SOCKET_PROOF
from deedlog.faces.cli.command import TOOLS, Command, Invocation
from deedlog.faces.cli.refusal import tell
from deedlog.faces.cli.terminal import is_terminal
from deedlog.process import inherited

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from deedlog.settings import Settings


def run(invocation: Invocation) -> int:
    from deedlog.faces.mcp.stdio import serve

    if SOCKET not in os.environ:
        os.environ.update(inherited((SOCKET, SOCKET_PROOF)))
    settings = invocation.settings(tools=invocation.arguments.get("tools"))
    if is_terminal(sys.stdin) and is_terminal(sys.stderr):
        tell("waiting for messages of an MCP client, which usually starts this itself; Ctrl-C ends it")
    trace = _trace_in(settings) if invocation.arguments.get("verbose") else None
    return serve(bootstrap.build(settings), settings, trace)


def _trace_in(settings: Settings) -> Callable[[str, bytes], None]:
    """Writes every message into the project's log, one line each."""
    folder = os.path.join(project.make_state(settings.the_project()), "logs")
    os.makedirs(folder, exist_ok=True)
    log = os.open(os.path.join(folder, "mcp.log"), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def trace(direction: str, line: bytes) -> None:
        head = time.strftime(f"%Y-%m-%dT%H:%M:%SZ {os.getpid()} {direction} ", time.gmtime())
        os.write(log, head.encode() + line.rstrip() + b"\n")

    return trace


COMMAND = Command(
    words="mcp serve",
    callers=ANYONE,
    help="Speak MCP on standard input and output: what a coding agent starts.\n\n"
    "`deedlog init` writes this command into the configuration of your agents.",
    run=run,
    input_schema={
        "type": "object",
        "properties": {
            "tools": TOOLS,
            "verbose": {"type": "boolean", "description": "Write every message to .deedlog/logs/mcp.log"},
        },
    },
    examples=["deedlog mcp serve", "deedlog mcp serve --disable-tracking"],
)
