"""Whether a server can be mounted right now, and what it lacks."""

from __future__ import annotations

from deedlog.core.gate import reference
from deedlog.core.gate.server import Server, Standing, Status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator


def standing(
    server: Server, known: Collection[str], launcher_found: Callable[[str], bool], *, logged_in: bool
) -> Standing:
    """How a server stands that is not mounted. What a person decided counts first, then what is not there."""
    if server.barred:
        return _off(server, server.barred)
    if server.disabled:
        return _off(server, f"`deedlog mcp enable {server.name}` allows it again")
    if server.brought and not server.trusted:
        why = f"{server.source} brings it along and no person has approved it"
        return _off(server, f"{why}; `deedlog mcp enable {server.name}` shows what it runs")
    if server.transport == "stdio" and not launcher_found(server.command):
        return _off(server, f"the program {_program(server)} is not installed")
    lacking = missing(server, known)
    if lacking:
        return Standing(server=server, status=Status.MISSING, missing=lacking, reason=_advice(lacking))
    if server.transport != "stdio" and not logged_in:
        why = f"log in: `deedlog mcp login {server.name}`"
        return Standing(server=server, status=Status.MISSING, reason=why)  # no key would help
    return Standing(server=server, status=Status.AVAILABLE, reason="" if server.trusted else unapproved(server))


def unapproved(server: Server) -> str:
    """What a person does before a server of the catalogue is run or reached."""
    return f"a person approves it first: `deedlog mcp enable {server.name}` shows what it runs, --yes approves"


def _off(server: Server, why: str) -> Standing:
    return Standing(server=server, status=Status.DISABLED, reason=why)


def denial(found: Standing) -> str:
    """What to tell whoever wants to use a server that is off; its reason says what to do."""
    name = found.server.name
    return f"{name} is disabled" if found.server.disabled else f"{name} cannot be used yet"


def lack(found: Standing) -> str:
    """What a server lacks, in words. A login is no key, so it is not among those that are missing."""
    return ", ".join(found.missing) or "a login"


def _program(server: Server) -> str:
    return server.command.rpartition("/")[2] or "that starts it"


def _advice(lacking: list[str]) -> str:
    key = next((name for name in lacking if " " not in name), "")
    return (
        f"`deedlog mcp secret set {key}` keeps it, or set it in the environment"
        if key
        else "its configuration has gaps"
    )


def missing(server: Server, known: Collection[str]) -> list[str]:
    """The keys that a server lacks, by name; gaps that no key fills, by where they are: `header Authorization`."""
    found = dict.fromkeys(_lacking(server, known))
    return [name for name in found if name not in server.optional]


def _lacking(server: Server, known: Collection[str]) -> Iterator[str]:
    for key, text in server.env.items():
        if reference.is_forgotten(text):
            if key not in known:
                yield key
        else:
            yield from _unknown(text, known)
    for key in server.required:
        if key not in known and key not in server.env:
            yield key
    for text in (server.command, server.cwd):
        yield from _unknown(text, known)
    yield from _in_arguments(server.args, known)
    for name, text in server.headers.items():
        yield from [f"header {name}"] if reference.is_forgotten(text) else _unknown(text, known)
    yield from _in_url(server, known)


def _unknown(text: str, known: Collection[str]) -> Iterator[str]:
    return (name for name in reference.needed(text) if name not in known)


def _in_arguments(args: list[str], known: Collection[str]) -> Iterator[str]:
    before = ""
    for number, argument in enumerate(args, 1):
        label, value = reference.label_of(argument)
        unknown = list(_unknown(argument, known))
        yield from unknown
        if not unknown and reference.is_forgotten(value):
            yield f"argument {label or before or number}"
        before = argument if argument.startswith("-") and not label else ""


def _in_url(server: Server, known: Collection[str]) -> Iterator[str]:
    if server.transport == "stdio":
        return
    yield from _unknown(server.url, known)
    address, _, _ = server.url.partition("?")
    for name, value in reference.parameters(server.url):
        if reference.is_forgotten(value):
            yield f"url parameter {name}"
    _, _, parts = address.partition("://")
    if not parts or any(part and reference.is_forgotten(part) for part in parts.split("/")):
        yield "url"
