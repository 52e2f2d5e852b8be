"""What a refusal is on the command line: lines or JSON on standard error, and an exit code."""

from __future__ import annotations

import json
import sys

from deedlog.core.errors import DeedlogError, Part
from deedlog.core.words import did_you_mean
from deedlog.core.worker_calls import VARIABLES as OF_WORKERS
from deedlog.faces.cli.terminal import clean
from deedlog.settings import SETTINGS, SWITCHES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from deedlog.settings import Settings

OK = 0
UNEXPECTED = 1
ARGUMENTS = 2
CONFIGURATION = 3
DATABASE = 4
STATE = 6
INTERRUPTED = 130
BROKEN_PIPE = 141
VARIABLES = "DEEDLOG_"
NAMED = ("conflicts", "violations", "failed", "uncommitted", "paths")  # what a refusal's data may list
MOST_NAMED = 10
MOST_SAID = 5

BY_PART = {Part.CONFIGURATION: CONFIGURATION, Part.DATABASE: DATABASE, Part.GIT: 5}
BY_KIND = {"invalid": ARGUMENTS, "not_found": 5, "conflict": STATE, "denied": STATE}


def exit_code(error: DeedlogError) -> int:
    return BY_PART.get(error.part) or BY_KIND.get(error.kind, UNEXPECTED)


def refuse(error: DeedlogError, *, as_json: bool) -> int:
    """Tell what is wrong and what to do; returns the exit code."""
    if as_json:
        said = {"kind": error.kind, "message": error.message, "hint": error.hint, "data": error.data}
        text = json.dumps({"error": said}, ensure_ascii=False, default=str)
    else:
        from deedlog.faces.advice import in_commands  # only for people

        hint = [f"hint: {in_commands(error.hint)}"] if error.hint else []
        text = "\n".join(map(clean, [f"error: {error.message}", *_named(error), *hint]))
    tell(text)
    return exit_code(error)


def _named(error: DeedlogError) -> list[str]:
    """The things a refusal is about, a line each. Their names are foreign text, which no message holds."""
    found = [thing for name in NAMED if isinstance(things := error.data.get(name), list) for thing in things]
    lines = [_in_a_line(thing) for thing in found] + _said(error)
    more = [f"  … and {len(lines) - MOST_NAMED} more"] if len(lines) > MOST_NAMED else []
    return [*("  " + line.replace("\n", "\\n") for line in lines[:MOST_NAMED]), *more]


def _said(error: DeedlogError) -> list[str]:
    """The last that another program said of what went wrong."""
    said = error.data.get("said")
    return [line for line in said.splitlines() if line.strip()][-MOST_SAID:] if isinstance(said, str) else []


def _in_a_line(thing: object) -> str:
    if not isinstance(thing, dict):
        return str(thing)
    if "path" in thing:
        return f"{thing['path']} ({thing['reason']})"
    return ", ".join(f"{name}: {value}" for name, value in thing.items() if isinstance(value, str | int | float))


def tell(text: str) -> None:
    """A line for people, beside the data."""
    if sys.stderr is not None:
        sys.stderr.write(text + "\n")


def warn_of_ignored(settings: Settings) -> None:
    """A part of the repository's configuration that has no effect."""
    for note in settings.notes:
        tell(f"warning: {clean(note)}")


def warn_of_unknown_settings(environment: Iterable[str]) -> None:
    """A misspelt variable would be ignored without a word."""
    known = [setting.variable for setting in SETTINGS.values() if not setting.own]
    for name in environment:
        if name.startswith(VARIABLES) and name not in (*known, *OF_WORKERS) and not name.startswith(tuple(SWITCHES)):
            hint = did_you_mean(name, known, "`deedlog config` lists the settings")
            tell(f"warning: there is no setting {clean(name)}: {hint}")
