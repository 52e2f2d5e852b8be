"""Help, generated from the same descriptions the arguments are read by."""

from __future__ import annotations

from deedlog.core.errors import DeedlogError
from deedlog.faces.advice import in_commands
from deedlog.faces.cli.command import MODULES, SHARED, Command, Invocation, find, reachable
from deedlog.faces.cli.operate import WRITING, more_options
from deedlog.faces.cli.spelling import (
    COLLECTIONS,
    form,
    kebab,
    only_text,
    positionals,
    reads_files,
    repeats,
    schema_of,
    spelt,
    usage,
)
from deedlog.faces.cli.terminal import USUAL_COLUMNS, columns, wrapped
from deedlog.operation.define import Effect, Operation
from deedlog.operation.validate import snake

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    Json = dict[str, Any]

WIDEST = 100
LONGEST_CHOICE = 40
LEAST_MEANING = 30
INDENT = "  "
LIMITS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "maxLength": "at most {} characters",
    "maxItems": "at most {} items",
    "default": "default {}",
}
GROUPS = {
    "Tasks": ("task",),
    "Workers and their sessions": ("worker", "session"),
    "Plans and the graphs they come from": ("plan", "op", "graph", "tx"),
    "Between agents": ("child", "bb", "stig", "cnp", "consensus", "values", "kg", "causal"),
    "Agents and the memory bank": ("agent", "memory"),
    "Clarifications and decision records": ("clarification", "architecture", "adr"),
    "What is recorded of tasks": ("workflow", "decision", "issue", "milestone", "question", "review"),
    "What the server offers": ("mcp", "capability", "resource", "bus", "logs"),
    "The ledger": (),
}
SESSION = """\
An example session:
  deedlog init
  deedlog clarify 'Add authentication'
  deedlog task add 'Add authentication' --priority high
  deedlog worker run 1
  deedlog session log 1 --follow
  deedlog worker done 1
  deedlog events --follow
  deedlog undo"""


def overview(shared: Json) -> str:
    """What `deedlog` alone prints: every command with its summary."""
    commands = [(words, find(words).summary) for words in MODULES if words in reachable()]
    blocks = [
        "Usage: deedlog [OPTIONS] COMMAND …",
        "The work ledger and control room for coding agents.",
        _titled("This project", commands),
    ]
    blocks += _grouped(sorted(known_operations(shared), key=lambda op: op.noun))
    blocks += [
        _titled("Options of every command", list(_options(SHARED["properties"]))),
        _text("--enable-NAME and --disable-NAME switch a capability on and off."),
        _text("`deedlog COMMAND --help` explains one command. Coding agents start `deedlog mcp serve`."),
        SESSION if len(commands) == len(MODULES) else "",
    ]
    return "\n\n".join(filter(None, blocks))


def _grouped(operations: list[Operation]) -> Iterator[str]:
    """The operations under what they are about; what has no group of its own is in the last."""
    named = {noun for nouns in GROUPS.values() for noun in nouns}
    for title, nouns in GROUPS.items():
        yield _titled(title, _rows(op for op in operations if op.noun in nouns or not (nouns or op.noun in named)))


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
    return f"Usage: deedlog {noun} VERB …\n\n{verb_list(noun, catalog)}"


def verb_list(noun: str, catalog: Iterable[Operation]) -> str:
    rows = _rows(op for op in catalog if op.words.startswith(noun + " "))
    rows += [(words, find(words).summary) for words in reachable() if words in MODULES and words.startswith(noun + " ")]
    return _titled("Commands", rows)


def explained(command: Operation | Command) -> str:
    """Everything about one command."""
    schema = schema_of(command)
    known: Json = schema.get("properties", {})
    summary, _, more = in_commands(command.help).partition("\n")
    blocks = [_text("Usage: " + usage(command.words, schema)), _text(summary), _text(" ".join(more.split()))]
    if command.alias:
        blocks.append(f"Also: deedlog {command.alias}")
    by_place = positionals(schema)
    blocks.append(
        _titled("Arguments", [(spelt(schema, name), _meaning(known[name], choices=True)) for name in by_place])
    )
    own = {name: part for name, part in known.items() if name not in by_place}
    for name, part in known.items():
        own |= {f"{name}.{inner}": inside for inner, inside in part.get("properties", {}).items()}
    if isinstance(command, Operation):
        own |= more_options(command)
        own |= {"limit": {**own["limit"], "default": "all"}} if command.follows and "limit" in own else {}
    blocks.append(_titled("Options", list(_options(own))))
    if isinstance(command, Operation) and command.effect is not Effect.READ:
        more_of_changes = {name: part for name, part in WRITING.items() if name not in map(snake, known)}
        blocks.append(_titled("Options of every change", list(_options(more_of_changes))))
    others = {name: part for name, part in SHARED["properties"].items() if name not in known and name != "version"}
    blocks.append(_titled("Options of every command", list(_options(others))))
    if command.examples:
        blocks.append("\n".join(["Examples:", *(_example(example) for example in command.examples)]))
    if isinstance(command, Operation):
        kind = "prompt" if command.prompt else "tool"
        by_mcp = "" if command.people else f"the MCP {kind} {command.name} and "
        blocks.append(_text(f"The same as {by_mcp}POST {command.path}."))
    return "\n\n".join(block for block in blocks if block)


def _rows(operations: Iterable[Operation]) -> list[tuple[str, str]]:
    return [(op.words, in_commands(op.summary) + (f" Also: {op.alias}" if op.alias else "")) for op in operations]


def _options(parts: Json) -> Iterator[tuple[str, str]]:
    for name, part in parts.items():
        if part.get("type") == "boolean":
            yield f"--{'[no-]' if part.get('default') else ''}{kebab(name)}", _meaning(part)
        else:
            yield f"--{kebab(name)} {_kind(part)}", _meaning(part)


def _kind(part: Json) -> str:
    if repeats(part):
        return form({"type": part["items"]["type"]}) + " …"
    if part.get("type") in COLLECTIONS:
        return "JSON"
    return "WORD" if _has_many_choices(part) else form(part)


def _has_many_choices(part: Json) -> bool:
    """Whether they are better told with what it means than with its name."""
    return "enum" in part and len(form(part)) > LONGEST_CHOICE


def _meaning(part: Json, *, choices: bool = False) -> str:
    limits = [form(part)] if choices and "enum" in part else []
    if _has_many_choices(part):
        limits = [f"one of {', '.join(part['enum'])}"]
    told = {word: part[word] for word in LIMITS if part.get(word) not in (None, "", []) and part[word] is not False}
    limits += [LIMITS[word].format(_shown(value)) for word, value in told.items()]
    if repeats(part):
        limits.append("may be given several times, or as a JSON array")
    elif part.get("type") in COLLECTIONS:
        limits += [f"a text alone is its {only_text(part)}"] if only_text(part) else []
        limits.append(form(part))
    if reads_files(part):
        limits.append("@file and - (standard input) are read; @@ is one @")
    return in_commands(str(part.get("description", ""))) + (f" ({'; '.join(limits)})" if limits else "")


def _shown(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _titled(title: str, rows: list[tuple[str, str]]) -> str:
    """A list of names and their meanings in two columns; nothing when there are none."""
    if not rows:
        return ""
    room = min(max(len(name) for name, _ in rows), 32) + 2
    if _width() - room - len(INDENT) < LEAST_MEANING:
        room = len(INDENT)
    lines = [title + ":"]
    for name, meaning in rows:
        first, *rest = wrapped(meaning, _width() - room - len(INDENT))
        if len(name) + 2 > room:
            lines += [INDENT + part for part in wrapped(name, _width() - len(INDENT))]
            lines.append(" " * (room + len(INDENT)) + first)
        else:
            lines.append(INDENT + name.ljust(room) + first)
        lines += [" " * (room + len(INDENT)) + line for line in rest]
    return "\n".join(line.rstrip() for line in lines)


def _example(text: str) -> str:
    """A command line, continued on further ones where it is too long for one."""
    line, *options = text.split(" --")
    lines = []
    for option in options:
        if len(f"{INDENT}{line} --{option} \\") > _width():
            lines.append(INDENT + line + " \\")
            line = INDENT + "--" + option
        else:
            line += " --" + option
    return "\n".join([*lines, INDENT + line])


def _text(text: str) -> str:
    return "\n".join(wrapped(text, _width()))


def _width() -> int:
    return min(columns() or USUAL_COLUMNS, WIDEST)
