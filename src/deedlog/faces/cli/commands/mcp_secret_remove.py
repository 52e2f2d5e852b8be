"""`deedlog mcp secret remove`."""

from __future__ import annotations

import json

from deedlog import bootstrap
from deedlog.core.caller import PEOPLE
from deedlog.core.errors import NotFound
from deedlog.core.words import did_you_mean
from deedlog.faces.cli.command import Command, Invocation
from deedlog.faces.cli.output import write


def run(invocation: Invocation) -> int:
    secrets = bootstrap.open_secrets(invocation.settings())
    key = invocation.arguments["key"]
    if not secrets.remove(key):
        hint = did_you_mean(key[:80], secrets.names(), "`deedlog mcp secret list` names those that are")
        raise NotFound(f"no key {key[:80]!r} is kept", hint=hint)
    write(json.dumps({"key": key, "removed": True}) if invocation.as_json else f"{key} is removed")
    return 0


def _kept(name: str, invocation: Invocation) -> list[str]:
    return list(bootstrap.open_secrets(invocation.settings()).names()) if name == "key" else []


COMMAND = Command(
    words="mcp secret remove",
    callers=PEOPLE,
    help="Forget a key that is kept for MCP servers, wherever it is kept.",
    run=run,
    input_schema={
        "type": "object",
        "properties": {"key": {"type": "string", "description": "Its name, as `deedlog mcp secret list` has it"}},
        "required": ["key"],
    },
    examples=["deedlog mcp secret remove SENTRY_AUTH_TOKEN"],
    values=_kept,
)
