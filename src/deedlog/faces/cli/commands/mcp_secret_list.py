"""`deedlog mcp secret list`."""

from __future__ import annotations

from deedlog import bootstrap
from deedlog.core.caller import ANYONE
from deedlog.faces.cli.command import Command, Invocation
from deedlog.faces.cli.output import show_answer
from deedlog.faces.cli.refusal import tell


def run(invocation: Invocation) -> int:
    names = bootstrap.open_secrets(invocation.settings()).names()
    secrets = [{"key": key, "kept": where} for key, where in names.items()]
    show_answer({"secrets": secrets}, as_json=invocation.as_json)
    if not names and not invocation.as_json:
        tell("no key is kept; `deedlog mcp secret set KEY` keeps one")
    return 0


COMMAND = Command(
    words="mcp secret list",
    callers=ANYONE,
    help="Name the keys that are kept for MCP servers, and where; never their values.",
    run=run,
    examples=["deedlog mcp secret list"],
)
