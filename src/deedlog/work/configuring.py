"""What people change in our own files of servers, and how a server is told to them."""

from __future__ import annotations

import re
from typing import NotRequired, TypedDict

from deedlog.core.errors import Invalid, NotFound
from deedlog.core.gate.approval import approved
from deedlog.core.gate.mount import server_uri
from deedlog.core.gate.reference import keys_of
from deedlog.core.gate.secrecy import line
from deedlog.core.gate.server import CATEGORIES, Server, Status, called
from deedlog.core.words import did_you_mean
from deedlog.ports import Outside
from deedlog.work.mounting import standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from deedlog.core.gate.server import Standing
    from deedlog.ports import Context

    Json = dict[str, Any]

SERVERS = "mcpServers"
LONGEST_NAME = 64
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", re.ASCII)


class Told(TypedDict):
    name: str
    status: str
    runs: str
    source: str
    keys: NotRequired[list[str]]
    missingEnvKeys: NotRequired[list[str]]
    reason: NotRequired[str]


def told(found: Standing) -> Told:
    """A server in a few words: how it stands, and what would be run or reached with which keys. Never a value."""
    server = found.server
    answer: Told = {
        "name": server.name,
        "status": str(found.status),
        "runs": line(server),
        "source": server.source,
    }
    if keys := keys_of(server):
        answer["keys"] = keys
    if found.missing:
        answer["missingEnvKeys"] = found.missing
    if found.reason:
        answer["reason"] = found.reason
    return answer


def about(name: str, *, before: Json | None = None, after: Json | None = None) -> Outside:
    """What changed in our files about a server, for the log. Never a secret."""
    return Outside(subjects=[server_uri(name)], before=before, after=after)


def one(ctx: Context, name: str) -> Told:
    return told(standing(ctx, name))


def approve_of(ctx: Context, server: Server) -> str:
    """Write down that a server may run that a repository brings: as its file has it, without what ours add."""
    brought = as_brought(ctx, server)
    return ctx.gateway.write(lambda file: approved(file, brought, ctx.root))


def to_approve(ctx: Context, server: Server, source: str | None) -> Server | None:
    """What there is to approve of: the server itself, or one beside it, if that one is named by its file."""
    if source is None:
        return None if server.trusted else server
    others = {each.source: each for each in ctx.gateway.candidates(server.name) if not each.trusted}
    found = next((each for path, each in others.items() if source in (path, path.removeprefix(f"{ctx.root}/"))), None)
    if found is None:
        hint = did_you_mean(source[:200], others, f"`mcp_show {server.name}` tells where it is configured")
        raise NotFound(f"no {server.name} that is to be approved of is in that file", hint=hint)
    return found


def as_brought(ctx: Context, server: Server) -> Server:
    return next((each for each in ctx.gateway.candidates(server.name) if each.source == server.source), server)


def entries(file: Json) -> Json:
    """The servers in a file of ours; what is no table of servers is refused rather than lost."""
    found = file.get(SERVERS, {})
    if not isinstance(found, dict):
        raise Invalid(f"its {SERVERS} is not an object", hint="mend the file, or move it away")
    return found


def with_entry(name: str, change: Callable[[Json | None], Json | None]) -> Callable[[Json], Json]:
    """A change of one server's entry, whatever it is spelt like in the file; None for none."""

    def changed(file: Json) -> Json:
        servers = entries(file)
        spelt = next((given for given in servers if called(given) == name), name)
        before = servers.get(spelt)
        after = change(before if isinstance(before, dict) else None)
        others = {given: entry for given, entry in servers.items() if given != spelt}
        if after is None:
            return {**file, SERVERS: others}
        return {**file, SERVERS: {**servers, spelt: after}}

    return changed


def named(name: str) -> str:
    """What a new server is called; refused where nothing is left of the name."""
    found = called(name)
    if not found or len(found) > LONGEST_NAME:
        raise Invalid(
            "name: a server needs a name of its own",
            hint=f"letters, digits and -, at most {LONGEST_NAME}",
            data={"field": "name"},
        )
    return found


def in_category(category: str) -> str:
    if category in CATEGORIES:
        return category
    hint = did_you_mean(category[:80], CATEGORIES, f"one of {', '.join(CATEGORIES)}")
    raise Invalid(f"category: there is no category {category[:80]!r}", hint=hint, data={"field": "category"})


def variables(given: list[str]) -> dict[str, str]:
    """`KEY=VALUE` as it is; `KEY` alone is looked up when the server is started."""
    found = {}
    for text in given:
        key, equals, value = text.partition("=")
        if not VARIABLE.fullmatch(key):
            hint = "write KEY=VALUE, or KEY alone for what is kept under that name"
            raise Invalid("env: this sets no variable", hint=hint, data={"field": "env"})
        found[key] = value if equals else f"${{{key}}}"
    return found


def header_lines(given: list[str]) -> dict[str, str]:
    found = {}
    for text in given:
        name, colon, value = text.partition(":")
        if not colon or not HEADER.fullmatch(name.strip()):
            hint = "write 'Name: value', such as 'Authorization: Bearer ${TOKEN}'"
            raise Invalid("header: this is no header", hint=hint, data={"field": "header"})
        found[name.strip()] = value.strip()
    return found


def entry_of(server: Server) -> Json:
    """A server as our own file has it: what is not said there is as usual."""
    usual = Server.defaults()
    found: Json = {"type": server.transport} if server.transport != "stdio" else {}
    names = ("command", "args", "env", "cwd", "url", "headers", "auth", "description", "required", "policy")
    found |= {name: getattr(server, name) for name in names if getattr(server, name) != usual[name]}
    found |= {name: True for name in ("disabled", "boot", "core") if getattr(server, name)}
    if server.category != usual["category"]:
        found["category"] = server.category
    if server.call_seconds:
        found["callSeconds"] = server.call_seconds
    return found


def unknown(ctx: Context, name: str) -> NotFound:
    known = [each.server.name for each in ctx.gateway.standings()]
    hint = did_you_mean(name[:80], known, "mcp_environment lists them")
    return NotFound(f"there is no MCP server {name[:80]!r}", hint=hint, data={"server": name[:80]})


def is_off(found: Standing) -> bool:
    return found.status is Status.DISABLED and found.server.disabled
