"""What a scripted model does, as data: a list of steps, each of which may use what the steps before it answered."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

Json = dict[str, Any]
DEEDLOG, WRITE, RUN = "deedlog", "write", "run"


class Step(NamedTuple):
    """A tool of ours (`name`), or what every agent can do with a tool of its own: write a file, run a command."""

    kind: str
    name: str
    arguments: Json


class Call(NamedTuple):
    """A tool call, in an agent's own words. `text` is for a tool that takes text instead of arguments."""

    tool: str
    arguments: Json = {}  # noqa: RUF012  # never changed in place
    text: str = ""


class Stuck(Exception):
    """The script cannot go on; the message says why."""


def deedlog(tool: str, /, **arguments: Any) -> Step:
    return Step(DEEDLOG, tool, arguments)


def write(path: str, text: str) -> Step:
    return Step(WRITE, path, {"text": text})


def run(command: str) -> Step:
    return Step(RUN, command, {})


def filled(value: Any, known: Mapping[str, Any]) -> Any:
    """`value` with every text of the form `{name}` replaced by what is known under that name."""
    if isinstance(value, dict):
        return {name: filled(part, known) for name, part in value.items()}
    if isinstance(value, list):
        return [filled(part, known) for part in value]
    if isinstance(value, str) and value[:1] + value[-1:] == "{}":
        if value[1:-1] not in known:
            raise Stuck(f"no answer so far has {value[1:-1]!r}")
        return known[value[1:-1]]
    return value


def answer_in(text: str) -> Json:
    """The JSON object in a tool's result, however the agent has wrapped it; empty if there is none."""
    start = text.find("{")
    try:
        found = json.JSONDecoder().raw_decode(text, start)[0] if start >= 0 else {}
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
