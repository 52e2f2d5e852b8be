"""`deedlog`: find the command, read its arguments, run it, and end with a truthful exit code."""

from __future__ import annotations

import os
import sys

from deedlog.core import worker_calls
from deedlog.core.caller import PEOPLE
from deedlog.core.errors import DeedlogError, Invalid
from deedlog.faces.cli import arguments, command, output, refusal

MOST_WORDS = 3
QUIET = ("help", "mcp")  # the one runs another command, the other is started by a program


def main(argv: list[str] | None = None) -> int:
    words = sys.argv[1:] if argv is None else argv
    try:
        code = _exit_code(words, as_json="--json" in words)
        output.flush()
    except BrokenPipeError:
        output.drop()
        return refusal.BROKEN_PIPE
    return code


def _exit_code(words: list[str], *, as_json: bool) -> int:
    """Run the command; whatever happens becomes a line for people and an exit code."""
    try:
        _prepare_streams(as_json=as_json)
        code = run(words)
        output.flush()
    except DeedlogError as error:
        return refusal.refuse(error, as_json=as_json)
    except KeyboardInterrupt:
        return refusal.INTERRUPTED
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001  # a person gets a line, never a traceback
        return _unexpected(error, words, as_json=as_json)
    return code


def _prepare_streams(*, as_json: bool) -> None:
    """Text that the terminal cannot show is escaped; JSON is UTF-8 always."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace", encoding="utf-8" if as_json else None)


def _unexpected(error: Exception, words: list[str], *, as_json: bool) -> int:
    from deedlog.app import Unexpected  # only failures need it

    told = Unexpected(f"deedlog failed unexpectedly: {type(error).__name__}", hint=_reported(error, words))
    return refusal.refuse(told, as_json=as_json)


def _reported(error: Exception, words: list[str]) -> str:
    from deedlog import bootstrap

    try:
        given = arguments.parse(words, {}, command.SHARED, stop=True).shared
        return bootstrap.report(command.Invocation({}, given).settings(), error)
    except Exception:  # noqa: BLE001  # nothing must hide the failure itself
        return "its log could not be written"


def run(words: list[str]) -> int:
    before = arguments.parse(words, {}, command.SHARED, stop=True)
    if before.shared.get("version"):
        from deedlog import __version__

        output.write(f"deedlog {__version__}")
        return refusal.OK
    if not before.rest:
        from deedlog.faces.cli.explain import overview

        output.write(overview(before.shared))
        return refusal.OK
    if before.rest[:2] == ["__complete", "--"]:
        from deedlog.faces.cli.complete import candidates

        output.write("\n".join(candidates(before.rest[2:])))
        return refusal.OK
    if before.rest[0] not in QUIET and "--json" not in words:
        refusal.warn_of_unknown_settings(os.environ)
    if before.rest[:2] == ["config", "set"]:
        raise Invalid("there is no command 'config set': settings are only read here", hint=command.WHERE_SETTINGS_ARE)
    for length in range(min(MOST_WORDS, len(before.rest)), 0, -1):
        name = " ".join(before.rest[:length])
        if name in command.MODULES or name in command.HIDDEN:
            return _command(name, before, before.rest[length:])
    from deedlog.faces.cli import operate

    return operate.operation(before)


def _command(name: str, before: arguments.Given, words: list[str]) -> int:
    from deedlog.operation import validate

    if name not in command.reachable():
        raise worker_calls.refusal(name)
    found = command.find(name)
    given = arguments.parse(words, found.input_schema, command.SHARED)
    shared = {**before.shared, **given.shared}
    if shared.get("help"):
        from deedlog.faces.cli.explain import explained

        output.write(explained(found))
        return refusal.OK
    if found.callers == PEOPLE:
        command.refuse_agent(f"`deedlog {name}`")
    arguments.require(name, found.input_schema, given.own)
    return found.run(command.Invocation(validate.arguments(found.input_schema, given.own), shared))
