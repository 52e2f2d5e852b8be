"""`deedlog config`."""

from __future__ import annotations

import json

from deedlog.core.caller import ANYONE
from deedlog.core.errors import DeedlogError
from deedlog.faces.cli.command import WHERE_SETTINGS_ARE, Command, Invocation, user
from deedlog.faces.cli.output import write
from deedlog.faces.cli.refusal import warn_of_ignored
from deedlog.faces.cli.show import style_of_output
from deedlog.faces.cli.table import Table
from deedlog.project import shared_name
from deedlog.settings import SETTINGS
from deedlog.token import token

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.settings import Settings

HIDDEN = "(secret)"
NOT_YET = "(made once per store, when it is first needed)"


def run(invocation: Invocation) -> int:
    settings = invocation.settings()
    rows = [{"setting": name, "value": _shown(settings, name), "from": settings.origins[name]} for name in SETTINGS]
    if invocation.as_json:
        write(json.dumps({"settings": rows, "ignored": settings.notes}, ensure_ascii=False))
        return 0
    warn_of_ignored(settings)
    for line in Table(style_of_output()).lines([{**row, "value": in_text(row["value"])} for row in rows]):
        write(line)
    return 0


def effective(settings: Settings, name: str) -> Any:
    """What a setting comes to: where it was left open, what is taken instead."""
    value = settings[name]
    if name == "actor":
        return value or user()
    if name == "store" and settings.project:
        return settings.project.store
    if name == "project" and settings["database_url"] and not value:
        return shared_name(settings.the_project())
    return value


def _shown(settings: Settings, name: str) -> Any:
    try:
        if name == "token" and settings.project:
            return HIDDEN if token(settings, make=False) else NOT_YET
        value = effective(settings, name)
    except DeedlogError as error:
        return f"({error.message})"
    return HIDDEN if SETTINGS[name].secret and value else value


def in_text(value: Any) -> str:
    """A setting as the environment would spell it."""
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False) if value else ""
    if isinstance(value, list) and not all(isinstance(one, str) for one in value):
        return json.dumps(value, ensure_ascii=False)
    return ",".join(value) if isinstance(value, list) else str(value)


COMMAND = Command(
    words="config",
    callers=ANYONE,
    help="Show every setting, its value and where that comes from.\n\n"
    "A setting comes from a flag, else from DEEDLOG_<NAME> in the environment, else from .deedlog/config.toml, "
    "else from ~/.config/deedlog/config.toml, else it has its default. Secrets are not shown. "
    f"To change one, {WHERE_SETTINGS_ARE}.",
    run=run,
    examples=["deedlog config", "deedlog config get token"],
)
