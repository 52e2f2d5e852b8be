"""`deedlog config get`."""

from __future__ import annotations

import json

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Invalid, Part
from deedlog.core.words import did_you_mean
from deedlog.faces.cli.command import Command, Invocation, refuse_agent
from deedlog.faces.cli.commands.config import effective, in_text
from deedlog.faces.cli.output import write
from deedlog.settings import SETTINGS
from deedlog.token import token


def run(invocation: Invocation) -> int:
    name = invocation.arguments["name"]
    if name not in SETTINGS:
        hint = did_you_mean(name, SETTINGS, f"known: {', '.join(SETTINGS)}")
        raise Invalid(f"there is no setting {name!r}", hint=hint, part=Part.CONFIGURATION)
    if SETTINGS[name].secret:
        refuse_agent(f"`deedlog config get {name}`")
    settings = invocation.settings()
    value = token(settings) if name == "token" else effective(settings, name)
    write(json.dumps(value, ensure_ascii=False) if invocation.as_json else in_text(value))
    return 0


COMMAND = Command(
    words="config get",
    callers=ANYONE,
    help="Print the value of one setting, secrets included.\n\n"
    "`token` is the one a client of `deedlog serve` needs; it is made when it is first asked for.",
    run=run,
    input_schema={
        "type": "object",
        "properties": {
            "name": {
                "type": "string",
                "examples": list(SETTINGS),
                "description": "The setting, as `deedlog config` names it",
            }
        },
        "required": ["name"],
    },
    examples=["deedlog config get port", 'export DEEDLOG_TOKEN="$(deedlog config get token)"'],
)
