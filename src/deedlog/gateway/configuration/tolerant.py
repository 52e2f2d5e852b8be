"""Files of other programs, read as tolerantly as those programs read them: JSON with comments and commas, TOML."""

from __future__ import annotations

import json
import os
import re
from stat import S_ISREG

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

MOST_BYTES = 64_000_000
COMMENT = r"//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
# a text, a comment, or a comma that nothing follows; only texts are kept. Nothing in it is tried in two ways.
BESIDE = re.compile(rf'(?P<text>"(?:[^"\\]|\\.)*+")|{COMMENT}|,(?=(?:\s|{COMMENT})*+[}}\]])', re.DOTALL)


class Unreadable(Exception):
    """Why a file says nothing to us; in words of ours."""


def state(path: str) -> tuple[int, ...]:
    """Changes whenever the file may have; empty where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return ()
    return found.st_ino, found.st_mtime_ns, found.st_size, found.st_mode


def load(path: str) -> Json:
    """What a JSON or TOML file holds; nothing where there is none."""
    text = read(path)
    if not text.strip():
        return {}
    found = _toml(text) if path.endswith(".toml") else _json(text)
    if not isinstance(found, dict):
        raise Unreadable("it is not an object")
    return found


def read(path: str) -> str:
    try:
        found = os.stat(path)
        if not S_ISREG(found.st_mode):
            raise Unreadable("it is not a plain file")
        if found.st_size > MOST_BYTES:
            raise Unreadable("it is too large")
        with open(path, encoding="utf-8-sig") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except UnicodeDecodeError as error:
        raise Unreadable("it is not UTF-8") from error
    except OSError as error:
        raise Unreadable(f"it cannot be read: {error.strerror}") from error


def _json(text: str) -> Any:
    try:
        try:
            return json.loads(text)
        except json.JSONDecodeError:
            return json.loads(BESIDE.sub(lambda found: found["text"] or " ", text))
    except json.JSONDecodeError as error:
        raise Unreadable(f"it is not JSON (line {error.lineno})") from error
    except (ValueError, RecursionError) as error:
        raise Unreadable("it is not JSON that can be read") from error


def _toml(text: str) -> Any:
    import tomllib  # importing it costs more than starting Python

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unreadable("it is not TOML") from error


def variables(path: str) -> dict[str, str]:
    """What a file of variables (`.env`) sets."""
    found = {}
    for line in read(path).splitlines():
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        name, value = name.strip(), value.strip()
        if equals and name.isidentifier():
            quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
            found[name] = value[1:-1] if quoted else value.partition(" #")[0].rstrip()
    return found
