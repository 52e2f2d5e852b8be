"""`deedlog config`."""

from __future__ import annotations

import json

from deedlog.faces.cli.command import Command, Invocation
from deedlog.faces.cli.output import write
from deedlog.faces.cli.show import Table, style_of_output
from deedlog.settings import SETTINGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HIDDEN = "(secret)"


def run(invocation: Invocation) -> int:
    settings = invocation.settings()
    rows = []
    for name, setting in SETTINGS.items():
        value = HIDDEN if setting.secret and settings[name] else settings[name]
        if name == "store" and settings.project:
            value = settings.project.store
        rows.append({"setting": name, "value": value, "from": settings.origins[name]})
    if invocation.as_json:
        write(json.dumps({"settings": rows}, ensure_ascii=False))
        return 0
    for line in Table(style_of_output()).lines([{**row, "value": in_text(row["value"])} for row in rows]):
        write(line)
    return 0


def in_text(value: Any) -> str:
    """A setting as the environment would spell it."""
    return ",".join(value) if isinstance(value, list) else str(value)


COMMAND = Command(
    words="config",
    help="Show every setting, its value and where that comes from.\n\n"
    "A setting comes from a flag, else from DEEDLOG_<NAME> in the environment, else from .deedlog/config.toml, "
    "else from ~/.config/deedlog/config.toml, else it has its default. Secrets are not shown.",
    run=run,
    examples=["deedlog config", "deedlog config get token"],
)
