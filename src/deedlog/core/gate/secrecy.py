"""Which values of a server's configuration are secrets, wherever they stand, and the configuration without them."""

from __future__ import annotations

import re

from deedlog.core.gate import reference
from deedlog.core.gate.redaction import TOKENS, without_shapes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from deedlog.core.gate.server import Server

HIDDEN = "(hidden)"
SET = "(set)"
SECRET_NAME = re.compile(
    r"key|token|secret|passw|passphrase|\bpwd\b|_pwd|auth|credential|cookie|\bpat\b|_pat\b|dsn|signature", re.IGNORECASE
)
NO_SECRET_NAME = re.compile(r"(?:path|file|dir|url|host|name|type|mode|scope|endpoint|issuer|id)s?$", re.IGNORECASE)
KNOWN_KEY = re.compile(
    "|".join((*TOKENS, r"(?:re|tvly|fc|ntn|figd|sntry[su]|vercel|exa|dp\.pt)[_.-][\w-]{16,}")), re.ASCII
)
PLAIN_WORD = re.compile(r"[\w@%+=:,./-]+", re.ASCII)
WITH_PASSWORD = re.compile(r"[a-z][a-z0-9+.-]*://[^/\s:@]*:(?P<password>[^/\s@]+)@", re.IGNORECASE)


def names_secret(name: str) -> bool:
    """Whether what is called so usually is a secret."""
    return bool(SECRET_NAME.search(name)) and not NO_SECRET_NAME.search(name)


def looks_secret(name: str, text: str) -> bool:
    """Whether a value is, by its form or by its name, a key that somebody wrote down in plain text."""
    value = reference.bare(text)
    if reference.is_forgotten(text) or reference.names(value):
        return False
    if KNOWN_KEY.fullmatch(value) or WITH_PASSWORD.match(value):
        return True
    return names_secret(name) and not value.isdigit() and value.lower() not in ("true", "false", "none", "null")


def plain(server: Server) -> list[str]:
    """Where a configuration has secrets in plain text: the names of variables, arguments, headers and parameters."""
    return list(dict.fromkeys(name for name, _ in _secrets(server)))


def literals(server: Server) -> list[str]:
    """The secrets that a configuration has in plain text."""
    return [value for _, value in _secrets(server)]


def _secrets(server: Server) -> Iterator[tuple[str, str]]:
    for name, value in server.env.items():
        if looks_secret(name, value):
            yield from _parts(name, value)
    for name, value in server.headers.items():
        if looks_secret(name, value):
            yield from _parts(f"header {name}", value)
    yield from _in_arguments(server.args)
    for name, value in reference.parameters(server.url):
        if looks_secret(name, value):
            yield f"url parameter {name}", value
    if password := WITH_PASSWORD.match(server.url):
        yield "url", password["password"]


def _in_arguments(args: list[str]) -> Iterator[tuple[str, str]]:
    flag = ""
    for number, argument in enumerate(args, 1):
        label, value = reference.label_of(argument)
        name = label or flag
        flag = argument.lstrip("-") if argument.startswith("-") and not label else ""
        if argument.startswith("-") and not label:
            continue
        if looks_secret(name, value):
            yield from _parts(f"argument {label or name or number}", value)
        for parameter, given in reference.parameters(argument):
            if looks_secret(parameter, given):
                yield f"argument {number}", given


def _parts(name: str, text: str) -> Iterator[tuple[str, str]]:
    """The secret itself, without `Bearer`; of an address with a password also the password alone."""
    value = reference.bare(text)
    yield name, value
    if found := WITH_PASSWORD.match(value):
        yield name, found["password"]


def shown(server: Server) -> dict[str, Any]:
    """What is run or reached, for people: references as they are, values of variables and headers never.

    What a repository wants to run is shown whole, but for what has the form of a key: whatever else was hidden could
    be what matters.
    """
    hidden = sorted(literals(server), key=len, reverse=True)
    if server.brought:
        hidden = [value for value in hidden if KNOWN_KEY.fullmatch(value)]

    def without(text: str) -> str:
        for value in hidden:
            text = text.replace(value, HIDDEN)
        return text if server.brought else without_shapes(text)

    found: dict[str, Any] = {"transport": server.transport}
    if server.command:
        found |= {"command": without(server.command), "args": [without(argument) for argument in server.args]}
    if server.url:
        found["url"] = without(server.url)
    for name, values in (("env", server.env), ("headers", server.headers)):
        if values:
            found[name] = {key: value if _is_open(server, key, value) else SET for key, value in values.items()}
    if server.env_file:
        found["envFile"] = server.env_file
    return found | ({"cwd": server.cwd} if server.cwd else {})


def _is_open(server: Server, name: str, value: str) -> bool:
    """Whether a variable's value may be seen: the user's own only if it tells nothing."""
    return _is_empty(value) or (server.brought and not looks_secret(name, value))


def _is_empty(value: str) -> bool:
    """Whether nothing but references, or a placeholder, is in it."""
    return reference.is_forgotten(value) or bool(reference.names(value) and not reference.beside(value))


def line(server: Server) -> str:
    """The same in a line: a command that can be read, or the address. Variables of a repository's may change what a
    command does, so they stand before it.
    """
    what = shown(server)
    if "url" in what:
        return str(what["url"])
    set_here = [key for key, value in server.env.items() if server.brought and not _is_empty(value)]
    before = [f"{key}={_quoted(what['env'][key])}" for key in set_here]
    return " ".join([*before, *map(_quoted, [what.get("command", ""), *what.get("args", [])])])


def _quoted(word: str) -> str:
    return word if PLAIN_WORD.fullmatch(word) else "'" + word.replace("'", "'\\''") + "'"
