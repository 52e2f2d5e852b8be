"""Answers that were given on the command line or in a file, before anybody was asked."""

from __future__ import annotations

import json
import os
import sys

from deedlog.core.errors import Invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.faces.cli.command import Invocation

    Json = dict[str, Any]

STANDARD_INPUT = ("-", "@-")
HINTS = {
    "answers-file": 'name a file with one `id=value` on each line, or with JSON: {"auth_strategy": "OAuth"}',
    "proposal": 'name a file with JSON: {"alternatives": ["sessions"], "consequences": ["tokens expire"]}',
}
ANSWER: Json = {"type": "array", "items": {"type": "string"}, "description": "An answer, as id=value"}
ANSWERS_FILE: Json = {
    "type": "string",
    "description": "Answers from a file: lines of id=value, or a JSON object; - is standard input",
}

YES: Json = {"type": "boolean", "description": "Write without asking once more"}
SESSION: Json = {"type": "string", "description": "Its id, where several are open", "minLength": 1, "maxLength": 80}


def given_answers(invocation: Invocation, pairs: list[str]) -> Json:
    """The answers of `--answers-file`, with those of `pairs` over them."""
    path = invocation.arguments.get("answers_file")
    found = _from_file(invocation.folder, path) if path else {}
    return found | dict(map(_pair, pairs))


def given_proposal(invocation: Invocation) -> Json:
    path = invocation.arguments.get("proposal")
    return _json(_content(invocation.folder, path, "proposal"), "proposal") if path else {}


def _pair(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        hint = "write it as id=value, for example auth_strategy=OAuth; a text with spaces in quotes"
        raise Invalid(f"{text[:80]!r} is no answer", hint=hint, data={"field": "answer"})
    return name.strip(), _value(value.strip())


def _value(text: str) -> Any:
    """Several choices may be a JSON list; everything else is text."""
    if text.startswith("["):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return text


def _from_file(folder: str, path: str) -> Json:
    text = _content(folder, path, "answers-file")
    if text.lstrip().startswith("{"):
        return _json(text, "answers-file")
    lines = [line.strip() for line in text.splitlines()]
    return dict(_pair(line) for line in lines if line and not line.startswith("#"))


def _json(text: str, option: str) -> Json:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise Invalid(f"--{option}: it is no JSON object", hint=HINTS[option], data={"field": option})
    return found


def _content(folder: str, path: str, option: str) -> str:
    try:
        if path in STANDARD_INPUT:
            data = sys.stdin.buffer.read()
        else:
            with open(os.path.join(folder, path.removeprefix("@")), "rb") as file:
                data = file.read()
        return data.decode("utf-8-sig")
    except OSError as error:
        message = f"--{option}: {path[:200]!r} cannot be read: {error.strerror}"
        raise Invalid(message, hint=HINTS[option], data={"field": option}) from error
    except UnicodeDecodeError as error:
        raise Invalid(f"--{option}: it is not UTF-8 text", hint=HINTS[option], data={"field": option}) from error
