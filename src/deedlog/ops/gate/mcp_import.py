from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core.caller import PEOPLE
from deedlog.core.errors import NotFound
from deedlog.core.gate.mount import server_uri
from deedlog.core.gate.secrecy import line, plain
from deedlog.core.gate.server import Server, called
from deedlog.core.page import condensed
from deedlog.core.words import did_you_mean
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context, Outside
from deedlog.work.configuring import SERVERS, entries, entry_of

MERGED = ("env", "headers", "policy")
MOST_TOLD = 50  # in the log


class Taken(TypedDict):
    name: str
    source: str
    runs: str
    plainKeys: NotRequired[list[str]]


class Left(TypedDict):
    name: str
    source: str
    reason: str


class Imported(TypedDict):
    imported: list[Taken]
    skipped: list[Left]
    dryRun: bool
    path: NotRequired[str]
    hint: NotRequired[str]


@operation(
    Effect.DESTROY,
    capability="gateway",
    callers=PEOPLE,
    people=True,
    only_changes=True,
    by_place=["names"],
    columns=("name", "source", "runs"),
    examples=(
        "deedlog mcp import --dry-run",
        "deedlog mcp import github sentry",
        "deedlog mcp import --file ~/old/claude_desktop_config.json",
    ),
)
def mcp_import(
    ctx: Context,
    *,
    names: Annotated[list[str] | None, Field("Only these servers; all that you trust if none", max_items=200)] = None,
    file: Annotated[str | None, Field("A file of another program; else all that are known", max_length=900)] = None,
    replace: Annotated[bool, Field("Also those that your own file has already")] = False,
    dry_run: Annotated[bool, Field("Only tell what would be done")] = False,
) -> Imported:
    """Copy MCP servers from other programs' files into your own, so that they stay when those go.

    There is no need to: what other programs configure is used as it is. What the repository brings along is copied only
    where it is named, because your own file is trusted.
    """
    found = ctx.gateway.found_elsewhere(file or "")
    wanted = {called(name) for name in names or ()}
    _refuse_unknown(wanted, found)
    taken: list[Server] = []
    skipped: list[Left] = []

    def put(before: dict[str, Any]) -> dict[str, Any]:
        taken.clear()
        skipped.clear()
        servers = dict(entries(before))
        there = {called(given): given for given, entry in servers.items() if _is_whole(entry)}
        for server in found:
            if wanted and server.name not in wanted:
                continue
            if why := _why_not(server, there=server.name in there, wanted=wanted, replace=replace):
                skipped.append({"name": server.name, "source": server.source, "reason": why})
                continue
            spelt = there.get(server.name, server.name)
            servers[spelt] = _copied(ctx, server, servers.get(spelt))
            taken.append(server)
        return before if dry_run or not taken else {**before, SERVERS: servers}

    path = ctx.gateway.write(put)
    answer: Imported = {"imported": [_told(server) for server in taken], "skipped": skipped, "dryRun": dry_run}
    if taken and not dry_run:
        answer["path"] = path
    if any("plainKeys" in each for each in answer["imported"]):
        answer["hint"] = "plain keys came along; deedlog mcp secret set KEY and ${KEY} in the file keep them apart"
    if not found:
        answer["hint"] = "no other program's file with servers was found; `mcp_add` adds one, --file names a file"
    answer = condensed(answer)
    if not taken or dry_run:
        return answer
    copied = {server.name: line(server) for server in taken[:MOST_TOLD]}
    said = Outside(subjects=[server_uri(server.name) for server in taken], after={"imported": copied, "path": path})
    return ctx.commit(answer=answer, outside=said)


def _refuse_unknown(wanted: set[str], found: list[Server]) -> None:
    known = [server.name for server in found]
    for name in sorted(wanted.difference(known)):
        hint = did_you_mean(name[:80], known, f"there are: {', '.join(known[:40]) or 'none'}")
        raise NotFound(f"no other program's file has a server {name[:80]!r}", hint=hint)


def _is_whole(entry: object) -> bool:
    return isinstance(entry, dict) and bool(entry.get("command") or entry.get("url"))


def _copied(ctx: Context, server: Server, before: object) -> dict[str, Any]:
    """The entry of a server. What our file adds to one from elsewhere stays, and so does whether one of ours is off.

    One of the project runs in it, wherever it is used.
    """
    folder = ctx.root if server.brought and server.transport == "stdio" else ""
    entry = entry_of(server.replace(cwd=server.cwd or folder))
    if not isinstance(before, dict):
        return entry
    if not _is_whole(before):
        both = {key: {**entry[key], **before[key]} for key in MERGED if key in entry and key in before}
        return {**entry, **before, **both}
    off = {"disabled": before["disabled"]} if "disabled" in before else {}
    return {key: value for key, value in entry.items() if key != "disabled"} | off


def _why_not(server: Server, *, there: bool, wanted: set[str], replace: bool) -> str:
    if there and not replace:
        return "your own file has it already; --replace takes this one"
    if server.brought and not wanted:
        return "the repository brings it along; name it to take it all the same"
    return ""


def _told(server: Server) -> Taken:
    told: Taken = {"name": server.name, "source": server.source, "runs": line(server)}
    if found := plain(server):
        told["plainKeys"] = found
    return told
