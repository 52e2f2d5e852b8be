"""Put one server into a configuration file's text and leave everything else in it as it is."""

from __future__ import annotations

import json
import re

from deedlog.core.errors import Invalid, Part
from deedlog.faces.cli.connect.client import NAME, TRANSPORT, merged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

INDENT = re.compile(r"^([ \t]+)\S", re.MULTILINE)
BEARER = re.compile(r"\bBearer [^\s\"']*")
HEADER = re.compile(r"^\s*\[")


class NotOurs(Exception):
    """The file is not of a form that can be changed safely."""


def with_server(path: str, text: str, section: str, entry: Json) -> str:
    """The file's new text; the same text when there is nothing to change."""
    edit, paste = (
        (_toml, _toml_block(section, entry)) if path.endswith(".toml") else (_json, _json_block(section, entry))
    )
    try:
        return edit(text, section, entry)
    except (NotOurs, ValueError, RecursionError) as error:
        hint = f"put this into it yourself:\n{without_tokens(paste)}"
        raise Invalid(f"{path} is left alone: {error}", hint=hint, part=Part.CONFIGURATION) from error


def without_tokens(text: str) -> str:
    """A configuration as it may be shown: what is printed ends up in logs."""
    return BEARER.sub("Bearer (the token, from: deedlog config get token)", text)


def _json(text: str, section: str, entry: Json) -> str:
    try:
        found = json.loads(text, object_pairs_hook=_no_name_twice) if text.strip() else {}
    except json.JSONDecodeError as error:
        raise NotOurs(f"it is not plain JSON, perhaps because of comments (line {error.lineno})") from error
    servers = found.get(section, {}) if isinstance(found, dict) else None
    if not isinstance(servers, dict):
        raise NotOurs(f"its {section!r} is not an object")
    wanted = merged(servers.get(NAME), entry)
    if servers.get(NAME) == wanted:
        return text
    indent = INDENT.search(text)
    changed = {**found, section: {**servers, NAME: wanted}}
    new = json.dumps(changed, indent=indent[1] if indent else 2, ensure_ascii=False) + "\n"
    return new.replace("\n", "\r\n") if "\r\n" in text else new


def _no_name_twice(pairs: list[tuple[str, Any]]) -> Json:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise NotOurs("a name occurs twice in it")
    return found


def _json_block(section: str, entry: Json) -> str:
    return json.dumps({section: {NAME: entry}}, indent=2, ensure_ascii=False)


def _toml(text: str, section: str, entry: Json) -> str:
    import tomllib

    before = tomllib.loads(text)
    servers = before.get(section, {})
    existing = servers.get(NAME) if isinstance(servers, dict) else None
    wanted = merged(existing, entry)
    if existing == wanted:
        return text
    new = _appended(text, section, wanted) if existing is None else _replaced(text, section, wanted)
    if tomllib.loads(new) != {**before, section: {**servers, NAME: wanted}}:
        raise NotOurs(f"its [{section}.{NAME}] is written in an unusual way")
    return new


def _appended(text: str, section: str, entry: Json) -> str:
    gap = "" if not text.strip() else "\n" if text.endswith("\n") else "\n\n"
    return text + gap + _toml_block(section, entry) + "\n"


def _replaced(text: str, section: str, entry: Json) -> str:
    """Our own table with other transport lines; its comments and other lines stay."""
    own = re.compile(rf"^\s*\[\s*{section}\s*\.\s*[\"']?{NAME}[\"']?\s*\]")
    lines = text.splitlines(keepends=True)
    start = next((number for number, line in enumerate(lines) if own.match(line)), None)
    if start is None:
        raise NotOurs(f"its [{section}.{NAME}] is written in an unusual way")
    end = next((n for n in range(start + 1, len(lines)) if HEADER.match(lines[n])), len(lines))
    kept = [line for line in lines[start + 1 : end] if line.partition("=")[0].strip() not in TRANSPORT]
    ours = [line + "\n" for line in _toml_lines({name: entry[name] for name in entry if name in TRANSPORT})]
    head = lines[start] if lines[start].endswith("\n") else lines[start] + "\n"
    return "".join([*lines[:start], head, *ours, *kept, *lines[end:]])


def _toml_block(section: str, entry: Json) -> str:
    return "\n".join([f"[{section}.{NAME}]", *_toml_lines(entry)])


def _toml_lines(entry: Json) -> list[str]:
    return [f"{name} = {_toml_value(value)}" for name, value in entry.items()]


def _toml_value(value: Any) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(k)} = {_toml_value(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml_value, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
