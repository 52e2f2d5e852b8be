"""`deedlog mcp secret list`."""

from __future__ import annotations

import json

from deedlog import bootstrap
from deedlog.faces.cli.command import Command, Invocation
from deedlog.faces.cli.output import write
from deedlog.faces.cli.terminal import clean


def run(invocation: Invocation) -> int:
    names = bootstrap.open_secrets(invocation.settings()).names()
    if invocation.as_json:
        write(json.dumps({"secrets": [{"key": key, "kept": where} for key, where in names.items()]}))
        return 0
    for key, where in names.items():
        write(f"{clean(key)}  ({where})")
    if not names:
        write("no key is kept; `deedlog mcp secret set KEY` keeps one")
    return 0


COMMAND = Command(
    words="mcp secret list",
    help="Name the keys that are kept for MCP servers, and where; never their values.",
    run=run,
    examples=["deedlog mcp secret list"],
)
