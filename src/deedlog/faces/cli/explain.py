"""Help, generated from the same descriptions the arguments are read by."""

from __future__ import annotations

from deedlog.core.errors import DeedlogError
from deedlog.faces.cli.arguments import kebab, positionals, reads_files
from deedlog.faces.cli.command import MODULES, SHARED, Command, Invocation, find
from deedlog.faces.cli.operate import beside
from deedlog.faces.cli.terminal import USUAL_COLUMNS, columns, wrapped
from deedlog.operation.define import Operation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    Json = dict[str, Any]

WIDEST = 100
INDENT = "  "
LIMITS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "maxLength": "at most {} characters",
    "maxItems": "at most {} items",
    "default": "default {}",
}
SESSION = """\
An example session:
  deedlog init
  deedlog workflow start 'Add authentication'
  deedlog events --follow
  deedlog undo"""


def overview(shared: Json) -> str:
    """What `deedlog` alone prints: every command with its summary."""
    commands = [(words, find(words).summary) for words in MODULES]
    blocks = [
        "Usage: deedlog [OPTIONS] COMMAND …",
        "The work ledger and control room for coding agents.",
        _titled("This project", commands),
    ]
    operations = sorted(known_operations(shared), key=lambda op: op.words.split()[0])
    blocks.append(_titled("The ledger", _rows(operations)))
    blocks += [
        _titled("Options of every command", list(_options(SHARED))),
        "--enable-NAME and --disable-NAME switch a capability on and off.",
        "`deedlog COMMAND --help` explains one command. Coding agents start `deedlog mcp serve`.",
        SESSION,
    ]
    return "\n\n".join(blocks)


def known_operations(shared: Json) -> list[Operation]:
    """The operations that are switched on; all of ours where the configuration cannot be read."""
    from deedlog import bootstrap
    from deedlog.operation import catalog

    try:
        return bootstrap.build(Invocation({}, shared).settings()).operations()
    except DeedlogError:
        return list(catalog.load())


def noun_overview(noun: str, catalog: Iterable[Operation]) -> str:
    """What one can do with one kind of thing."""
    rows = _rows(op for op in catalog if op.words.startswith(noun + " "))
    rows += [(words, find(words).summary) for words in MODULES if words.startswith(noun + " ")]
    return "\n\n".join([f"Usage: deedlog {noun} VERB …", _titled("Commands", rows)])


def explained(command: Operation | Command) -> str:
    """Everything about one command."""
    schema = command.input_schema
    known: Json = schema.get("properties", {})
    by_place = positionals(schema)
    required = schema.get("required", [])
    usage = [kebab(name).upper() if name in required else f"[{kebab(name).upper()}]" for name in by_place]
    summary, _, more = command.help.partition("\n")
    blocks = [" ".join(["Usage: deedlog", command.words, *usage, "[OPTIONS]"]), _text(summary)]
    if more.strip():
        blocks.append(_text(" ".join(more.split())))
    if command.alias:
        blocks.append(f"Also: deedlog {command.alias}")
    blocks.append(_titled("Arguments", [(kebab(name).upper(), _meaning(known[name])) for name in by_place]))
    own = {name: part for name, part in known.items() if name not in by_place}
    blocks.append(_titled("Options", list(_options({"properties": own}))))
    around = beside(command) if isinstance(command, Operation) else SHARED
    others = {name: part for name, part in around["properties"].items() if name not in known and name != "version"}
    blocks.append(_titled("Options of every command", list(_options({"properties": others}))))
    if command.examples:
        blocks.append("\n".join(["Examples:", *(INDENT + example for example in command.examples)]))
    if isinstance(command, Operation):
        kind = "prompt" if command.prompt else "tool"
        blocks.append(f"The same as the MCP {kind} {command.name} and POST {command.path}.")
    return "\n\n".join(block for block in blocks if block)


def _rows(operations: Iterable[Operation]) -> list[tuple[str, str]]:
    return [(op.words, op.summary + (f" Also: {op.alias}" if op.alias else "")) for op in operations]


def _options(schema: Json) -> Iterator[tuple[str, str]]:
    for name, part in schema["properties"].items():
        if part.get("type") == "boolean":
            yield f"--{'[no-]' if part.get('default') else ''}{kebab(name)}", _meaning(part)
        else:
            yield f"--{kebab(name)} {_kind(part)}", _meaning(part)


def _kind(part: Json) -> str:
    if "enum" in part:
        return "|".join(part["enum"])
    if part.get("type") == "array" and part.get("items", {}).get("type") == "string":
        return "TEXT …"
    return {"string": "TEXT", "integer": "N", "number": "N"}.get(part.get("type", ""), "JSON")


def _meaning(part: Json) -> str:
    limits = [text.format(_shown(part[word])) for word, text in LIMITS.items() if part.get(word) not in (None, "", [])]
    if reads_files(part):
        limits.append("@file and - (standard input) are read; @@ is one @")
    if part.get("type") == "array" and part.get("items", {}).get("type") == "string":
        limits.append("may be given several times")
    return str(part.get("description", "")) + (f" ({'; '.join(limits)})" if limits else "")


def _shown(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _titled(title: str, rows: list[tuple[str, str]]) -> str:
    """A list of names and their meanings in two columns; nothing when there are none."""
    if not rows:
        return ""
    room = min(max(len(name) for name, _ in rows), 32) + 2
    lines = [title + ":"]
    for name, meaning in rows:
        first, *rest = wrapped(meaning, _width() - room - len(INDENT))
        if len(name) + 2 > room:
            lines += [INDENT + name, " " * (room + len(INDENT)) + first]
        else:
            lines.append(INDENT + name.ljust(room) + first)
        lines += [" " * (room + len(INDENT)) + line for line in rest]
    return "\n".join(line.rstrip() for line in lines)


def _text(text: str) -> str:
    return "\n".join(wrapped(text, _width()))


def _width() -> int:
    return min(columns() or USUAL_COLUMNS, WIDEST)
