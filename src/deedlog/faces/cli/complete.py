"""What may come next on a command line, for the shells' completion."""

from __future__ import annotations

import os

from deedlog import bootstrap
from deedlog.core.capability import CAPABILITIES
from deedlog.core.errors import DeedlogError
from deedlog.faces.cli.acting import caller
from deedlog.faces.cli.arguments import parse
from deedlog.faces.cli.command import MODULES, SHARED, Command, Invocation, find
from deedlog.faces.cli.explain import known_operations
from deedlog.faces.cli.operate import beside
from deedlog.faces.cli.quiet import ids_in
from deedlog.faces.cli.spelling import kebab, options, part_of, positionals, schema_of
from deedlog.operation.define import Operation
from deedlog.operation.validate import snake

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Json = dict[str, Any]

MOST_IDS = 50
CALLED_BY_NAME = ("agent",)  # kinds whose name is their id


def candidates(words: list[str]) -> list[str]:
    """The completions of the last of `words`, which may be empty."""
    *before, current = words or [""]
    try:
        given = parse(before, {}, SHARED, stop=True)
    except DeedlogError:
        return []  # the value of a shared option: the shell's own completion knows better
    before = given.rest
    if before[:1] == ["help"]:
        return [word for word in candidates([*before[1:], current]) if not word.startswith("-")]
    commands: dict[str, Operation | None] = dict.fromkeys(MODULES)
    commands |= {name: op for op in known_operations(given.shared) for name in (op.words, op.alias) if name}
    found = _of_words(before, list(commands))
    for length in range(len(before), 0, -1):
        if (name := " ".join(before[:length])) in commands:
            found += _of_command(commands[name] or find(name), before[length:], current, given.shared)
            break
    else:
        found += _spelt(SHARED) if current.startswith("-") else []
    return sorted({word for word in found if word.startswith(current) and word})


def _of_words(before: list[str], commands: list[str]) -> list[str]:
    """The next words of the commands that begin with those before."""
    depth = len(before)
    split = [name.split() for name in commands]
    return [name[depth] for name in split if len(name) > depth and name[:depth] == before]


def _of_command(command: Operation | Command, before: list[str], current: str, shared: Json) -> list[str]:
    schema = schema_of(command)
    if before and before[-1].startswith("--"):
        name, switch = options(schema).get(kebab(before[-1][2:]), ("", True))
        if switch is None:
            return _values(command, name, shared)
    if current.startswith("-"):
        return _spelt(schema) + _spelt(beside(command) if isinstance(command, Operation) else SHARED)
    return [value for name in positionals(schema) for value in _values(command, name, shared)]


def _values(command: Operation | Command, name: str, shared: Json) -> list[str]:
    """The values an argument is known to take: those its schema names, or the ids of what was recorded."""
    part = part_of(command.input_schema, name)
    known = part.get("enum") or part.get("items", {}).get("enum") or part.get("examples")
    if known:
        return list(known)
    if isinstance(command, Command) and command.values:
        return _own_values(command.values, name, shared)
    if isinstance(command, Operation) and _is_server(command, name):
        return _servers(shared)
    noun = command.words.partition(" ")[0]
    if name == "id" or (name == "name" and noun in CALLED_BY_NAME):
        return _ids(noun, shared)
    kind = snake(name).removesuffix("_id")
    return _ids(kind, shared) if kind != name or kind in CALLED_BY_NAME else []


def _is_server(op: Operation, name: str) -> bool:
    """Whether an argument names another MCP server that there is."""
    if op.capability == "gateway" and op.name != "mcp_add":
        return name in ("name", "names", "server")
    return name == "server" and op.noun == "mcp"


def _servers(shared: Json) -> list[str]:
    try:
        return [each.server.name for each in bootstrap.look_at_servers(Invocation({}, shared).settings())]
    except DeedlogError:
        return []


def _own_values(values: Callable[[str, Invocation], list[str]], name: str, shared: Json) -> list[str]:
    """What a command itself knows of its arguments; nothing where that takes a store and there is none."""
    try:
        invocation = Invocation({}, shared)
        settings = invocation.settings()
        there = settings["database_url"] or os.path.exists(settings.the_project().store)
        return values(name, invocation) if there else []
    except DeedlogError:
        return []


def _ids(kind: str, shared: Json) -> list[str]:
    """The ids that the operation listing such things tells; none where it would have to make a store first."""
    lister = f"{kind}_list"
    try:
        settings = Invocation({}, shared).settings()
        app = bootstrap.build(settings)
        if lister not in app.catalog or not (settings["database_url"] or os.path.exists(settings.the_project().store)):
            return []
        limit = {"limit": MOST_IDS} if "limit" in app.catalog[lister].input_schema["properties"] else {}
        answer = app.call(lister, limit, caller(settings))
        app.close()
    except DeedlogError:
        return []
    return ids_in(kind, answer)


def _spelt(schema: Json) -> list[str]:
    switches = [f"--{verb}-{name}" for verb in ("enable", "disable") for name in CAPABILITIES]
    shown = [
        name
        for name, (argument, on) in options(schema).items()
        if on is not False or part_of(schema, argument).get("default")
    ]
    return ["--" + name for name in shown] + (switches if "json" in schema["properties"] else [])
