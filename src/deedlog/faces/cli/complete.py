"""What may come next on a command line, for the shells' completion."""

from __future__ import annotations

from deedlog.core.capability import CAPABILITIES
from deedlog.core.errors import DeedlogError
from deedlog.faces.cli.arguments import kebab, options, parse, positionals
from deedlog.faces.cli.command import MODULES, SHARED, Command, find
from deedlog.faces.cli.explain import known_operations
from deedlog.faces.cli.operate import beside
from deedlog.operation.define import Operation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]


def candidates(words: list[str]) -> list[str]:
    """The completions of the last of `words`, which may be empty."""
    *before, current = words or [""]
    try:
        given = parse(before, {}, SHARED, stop=True)
    except DeedlogError:
        return []  # the value of a shared option: the shell's own completion knows better
    before = given.rest
    commands: dict[str, Operation | str] = dict.fromkeys(MODULES, "")
    commands |= {name: op for op in known_operations(given.shared) for name in (op.words, op.alias) if name}
    found = _of_words(before, list(commands))
    for length in range(len(before), 0, -1):
        if (name := " ".join(before[:length])) in commands:
            command = commands[name] or name
            found += _of_command(find(command) if isinstance(command, str) else command, before[length:], current)
            break
    else:
        found += _spelt(SHARED) if current.startswith("-") else []
    return sorted({word for word in found if word.startswith(current) and word})


def _of_words(before: list[str], commands: list[str]) -> list[str]:
    """The next words of the commands that begin with those before."""
    depth = len(before)
    split = [name.split() for name in commands]
    return [name[depth] for name in split if len(name) > depth and name[:depth] == before]


def _of_command(command: Operation | Command, before: list[str], current: str) -> list[str]:
    schema = command.input_schema
    shared = beside(command) if isinstance(command, Operation) else SHARED
    if before and before[-1].startswith("--"):
        name, switch = options(schema).get(kebab(before[-1][2:]), ("", True))
        if switch is None:
            return _values(schema["properties"][name])
    if current.startswith("-"):
        return _spelt(schema) + _spelt(shared)
    return [value for name in positionals(schema) for value in _values(schema["properties"][name])]


def _values(part: Json) -> list[str]:
    values: list[str] = part.get("enum") or part.get("items", {}).get("enum") or []
    return values


def _spelt(schema: Json) -> list[str]:
    switches = [f"--{verb}-{name}" for verb in ("enable", "disable") for name in CAPABILITIES]
    parts = schema["properties"]
    shown = [
        name for name, (argument, on) in options(schema).items() if on is not False or parts[argument].get("default")
    ]
    return ["--" + name for name in shown] + (switches if "json" in parts else [])
