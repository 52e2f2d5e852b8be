"""A choice that a call needs from the person who typed it, at the terminal: what a client would show as a form."""

from __future__ import annotations

import os
import sys

from deedlog.core.caller import client_in
from deedlog.faces.cli.terminal import clean, is_terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

YES = ("y", "yes")


def replies(requests: dict[str, Json]) -> dict[str, Json] | None:
    """What the person chose, by key; None where nobody is there, or where it is no choice of one from a few."""
    if client_in(os.environ) or not (is_terminal(sys.stdin) and is_terminal(sys.stderr)):  # agents have terminals, too
        return None
    choices = {key: _choice(asked) for key, asked in requests.items()}
    if not all(choices.values()):
        return None
    return {key: _chosen(requests[key]["params"]["message"], *choice) for key, choice in choices.items() if choice}


def _choice(asked: Json) -> tuple[str, dict[str, str]] | None:
    """The field of a form that has one only, a list of values, with what each of them means."""
    params = asked.get("params", {})
    schema = params.get("requestedSchema")
    fields = schema.get("properties") if isinstance(schema, dict) else None
    if asked["method"] != "elicitation/create" or not isinstance(fields, dict) or len(fields) != 1:
        return None
    [(name, field)] = fields.items()
    values = field.get("enum") if isinstance(field, dict) else None
    if not isinstance(params.get("message"), str) or not isinstance(values, list) or not values:
        return None
    names = field.get("enumNames")
    told = names if isinstance(names, list) and len(names) == len(values) else values
    return name, {str(value): str(meaning) for value, meaning in zip(values, told, strict=True)}


def _chosen(message: str, name: str, ways: dict[str, str]) -> Json:
    """The first way is also a yes; whatever is none of them is a no."""
    first, *others = ways
    lines = [message, "", f"  y       {ways[first]}", *(f"  {way:<7} {ways[way]}" for way in others), ""]
    sys.stderr.write(clean("\n".join(lines)) + clean(f"[{'/'.join(['y', 'N', *others])}] "))
    sys.stderr.flush()
    said = sys.stdin.readline().strip().lower()
    chosen = first if said in YES else next((way for way in ways if way.lower() == said), None)
    return {"action": "decline"} if chosen is None else {"action": "accept", "content": {name: chosen}}
