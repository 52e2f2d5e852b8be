"""`deedlog mcp secret set`."""

from __future__ import annotations

import json
import sys

from deedlog import bootstrap
from deedlog.core.caller import PEOPLE
from deedlog.core.errors import Invalid
from deedlog.faces.cli.command import Command, Invocation
from deedlog.faces.cli.output import write

LONGEST = 65_536


def run(invocation: Invocation) -> int:
    secrets = bootstrap.open_secrets(invocation.settings())
    key = secrets.checked(invocation.arguments["key"])
    value = _value(key)
    was_kept = key in secrets.names()
    where = secrets.put(key, value, in_keyring=invocation.arguments.get("keyring", False))
    lines = value.count("\n") + 1
    more = [*(["in place of the one before"] if was_kept else []), *([f"{lines} lines"] if lines > 1 else [])]
    told = f"{key} is kept in {where}" + (f" ({', '.join(more)})" if more else "")
    write(json.dumps({"key": key, "kept": where, "replaced": was_kept}) if invocation.as_json else told)
    return 0


def _value(key: str) -> str:
    """Typed without being seen, or what comes in: never an argument, which others could see."""
    if sys.stdin.isatty():
        from getpass import getpass  # only at a terminal

        value = getpass(f"{key}: ")
    else:
        value = sys.stdin.read(LONGEST + 1)
    value = value.strip("\r\n")
    if not value.strip():
        raise Invalid("there is no value", hint=f"type it, or pipe it in: deedlog mcp secret set {key} < file")
    if len(value) > LONGEST or "\0" in value:
        raise Invalid("this value is none that a server could be given", hint=f"at most {LONGEST} characters of text")
    return value


COMMAND = Command(
    words="mcp secret set",
    callers=PEOPLE,
    help="Keep a key that MCP servers need, in a private file or in the keyring.\n\n"
    "The value is typed without being seen, or read from standard input. It is given to the servers whose "
    "configuration names the key, and shown nowhere. What the environment has under that name comes first.",
    run=run,
    input_schema={
        "type": "object",
        "properties": {
            "key": {"type": "string", "description": "Its name, as servers have it: GITHUB_PERSONAL_ACCESS_TOKEN"},
            "keyring": {"type": "boolean", "description": "Keep it in the system's keyring (needs deedlog[keyring])"},
        },
        "required": ["key"],
    },
    examples=[
        "deedlog mcp secret set SENTRY_AUTH_TOKEN",
        "pass show sentry | deedlog mcp secret set SENTRY_AUTH_TOKEN",
    ],
)
