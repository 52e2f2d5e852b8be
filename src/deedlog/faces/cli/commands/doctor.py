"""`deedlog doctor`."""

from __future__ import annotations

import json
import sys

from deedlog import __version__, bootstrap
from deedlog.core.errors import DeedlogError
from deedlog.faces.cli.command import Command, Invocation
from deedlog.faces.cli.output import write
from deedlog.faces.cli.refusal import DATABASE, OK
from deedlog.faces.cli.show import answer_lines, style_of_output
from deedlog.faces.cli.terminal import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.settings import Settings

    Facts = dict[str, Any]


def run(invocation: Invocation) -> int:
    settings = invocation.settings()
    facts = _facts(settings)
    try:
        found, problems = _examined(settings, rebuild=invocation.arguments.get("rebuild", False))
        facts |= found
    except DeedlogError as error:
        problems = [f"{error.message} ({error.hint})" if error.hint else error.message]
    if invocation.as_json:
        write(json.dumps({"ok": not problems, "facts": facts, "problems": problems}, ensure_ascii=False, default=str))
    else:
        style = style_of_output()
        for line in answer_lines(facts, style):
            write(line)
        for problem in problems:
            write(style.bold("problem: ") + clean(problem))
        write("all is well" if not problems else f"{len(problems)} found wrong")
    return DATABASE if problems else OK


def _facts(settings: Settings) -> Facts:
    facts: Facts = {"deedlog": __version__, "python": sys.version.split()[0], "platform": sys.platform}
    if settings.project:
        facts |= {"project": settings.project.root, "store": settings.project.store}
    facts["capabilities"] = sorted(settings.enabled)
    return facts


def _examined(settings: Settings, *, rebuild: bool) -> tuple[Facts, list[str]]:
    upkeep = bootstrap.open_upkeep(settings)
    try:
        found: Facts = {"rebuilt": upkeep.rebuild()} if rebuild else {}
        return {**upkeep.facts(), **found}, upkeep.verify()
    finally:
        upkeep.close()


COMMAND = Command(
    words="doctor",
    help="Examine the store: its files, the chain of its log, and whether the log gives what the tables hold.\n\n"
    "Ends with exit code 4 when something is wrong.",
    run=run,
    input_schema={
        "type": "object",
        "properties": {
            "rebuild": {"type": "boolean", "description": "First make every table anew from the log"},
        },
    },
    examples=["deedlog doctor", "deedlog doctor --rebuild", "deedlog doctor --json"],
)
