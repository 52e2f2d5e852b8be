from __future__ import annotations

from typing import Annotated, Any, Literal

from deedlog.core.caller import PEOPLE
from deedlog.core.errors import Conflict, Denied, Invalid, Part
from deedlog.core.gate.secrecy import plain as in_plain_text
from deedlog.core.gate.secrecy import shown
from deedlog.core.gate.server import Server
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.configuring import (
    Told,
    about,
    approve_of,
    entry_of,
    header_lines,
    in_category,
    named,
    one,
    variables,
    with_entry,
)

ADDRESS = ("http://", "https://")
SCRIPTS = (".py", ".js", ".mjs", ".cjs", ".ts", ".sh", ".rb", ".jar")
ELSEWHERE = ("/", "~", "-", "@", "$")  # what begins so is not in the folder one is in
KEPT: tuple[str, ...] = ("policy", "disabled")  # of what our file said of a server from elsewhere


class Added(Told):
    hint: str


@operation(
    Effect.DESTROY,
    capability="gateway",
    callers=PEOPLE,
    people=True,
    by_place=["name", "command"],
    examples=(
        "deedlog mcp add time uvx mcp-server-time",
        "deedlog mcp add files -- npx -y @modelcontextprotocol/server-filesystem .",
        "deedlog mcp add docs --url https://mcp.example.com/mcp --header 'Authorization: Bearer ${DOCS_TOKEN}'",
        "deedlog mcp add wiki --env WIKI_TOKEN -- node wiki-server.js --read-only",
    ),
)
def mcp_add(
    ctx: Context,
    *,
    name: Annotated[str, Field("What it is to be called", min_length=1, max_length=200)],
    command: Annotated[
        list[str] | None, Field("The program and its arguments; those that begin with - come after --", max_items=200)
    ] = None,
    url: Annotated[str | None, Field("The address of a server over HTTP", max_length=900)] = None,
    transport: Annotated[Literal["stdio", "http", "sse"] | None, Field("How it is reached, if not as usual")] = None,
    env: Annotated[
        list[str] | None,
        Field("KEY=VALUE, KEY=${OTHER}, or KEY alone for what is kept under that name", max_items=100),
    ] = None,
    header: Annotated[list[str] | None, Field("'Name: value'", max_items=50)] = None,
    cwd: Annotated[str | None, Field("The folder it runs in; else the project's", max_length=900)] = None,
    description: Annotated[str | None, Field("What it is good for", max_length=900)] = None,
    category: Annotated[str | None, Field("Its category, as mcp_environment has them", max_length=80)] = None,
    required: Annotated[list[str] | None, Field("A further key without which it cannot work", max_items=50)] = None,
    boot: Annotated[bool, Field("Mount it whenever a server of Deedlog starts")] = False,
    project: Annotated[bool, Field("For everybody who works on this project, in .deedlog/servers.json")] = False,
    replace: Annotated[bool, Field("Replace what our file has under that name")] = False,
    plain: Annotated[bool, Field("Write a key into the file as it is given")] = False,
) -> Added:
    """Add an MCP server to your own file of servers, or to the project's.

    Keys belong into `deedlog mcp secret set KEY`, or into the environment; the server gets what its configuration
    names: `--env KEY`, `${KEY}` in an argument, the address or a header.
    """
    program = list(command or [])
    if program and not url and len(program) == 1 and program[0].startswith(ADDRESS):
        url, program = program[0], []
    server = Server(
        name=named(name),
        **_launch(program, url or "", transport or "", cwd or ""),
        env=variables(env or []),
        headers=header_lines(header or []),
        description=description or "",
        category=in_category(category) if category else "other",
        required=list(variables(required or [])),
        boot=boot,
    )
    if not project and not server.cwd and _is_of_here(program):
        server = server.replace(cwd=ctx.root)  # else another project's script of that name would be run there
    _refuse_odd(server)
    if not plain:
        _refuse_plain(server)

    def put(before: dict[str, Any] | None) -> dict[str, Any]:
        if before is not None and not replace and ("command" in before or "url" in before):
            hint = f"--replace puts this one in its place, `mcp_show {server.name}` shows it"
            raise Conflict(f"there already is a server {server.name} in this file", hint=hint)
        said = {} if replace else before or {}
        return {**entry_of(server), **{key: said[key] for key in KEPT if key in said}}

    path = ctx.gateway.write(with_entry(server.name, put), project=project)
    brought = [each for each in ctx.gateway.candidates(server.name) if each.source == path and not each.trusted]
    if project and brought:
        approve_of(ctx, brought[0])  # whoever adds it has seen it; others approve for themselves
    answer: Added = {**one(ctx, server.name), "hint": f"see whether it works: `mcp_test {server.name}`"}
    if server.name != name:
        answer["hint"] = f"it is called {server.name} here; {answer['hint']}"
    said = about(server.name, after={"launch": shown(server), "path": path})
    return ctx.commit(answer=answer, outside=said)


def _launch(program: list[str], url: str, transport: str, cwd: str) -> dict[str, Any]:
    if bool(program) == bool(url):
        hint = "deedlog mcp add time uvx mcp-server-time, or deedlog mcp add docs --url https://…"
        told = "a command or --url, not both" if url else "either a command or --url is needed"
        raise Invalid(told, hint=hint, data={"field": "command"})
    if program:
        if transport not in ("", "stdio"):
            raise Invalid(f"transport: a command is not reached by {transport}", data={"field": "transport"})
        return {"command": program[0], "args": program[1:], "cwd": cwd}
    if transport == "stdio" or not url.startswith(ADDRESS):
        hint = "write an address that begins with https:// or http://"
        raise Invalid("url: this is no address of a server over HTTP", hint=hint, data={"field": "url"})
    usual = "sse" if url.partition("?")[0].rstrip("/").endswith("/sse") else "http"
    return {"url": url, "transport": transport or usual}


def _is_of_here(program: list[str]) -> bool:
    """Whether a program, or a script it is given, is named as one names what is in the folder one is in."""
    return any(
        part.startswith(("./", "../"))
        or (part.endswith(SCRIPTS) and "://" not in part and not part.startswith(ELSEWHERE))
        for part in program
    )


def _refuse_odd(server: Server) -> None:
    texts = [server.command, *server.args, server.cwd, server.url, *server.env.values(), *server.headers.values()]
    if any("\0" in text for text in texts):
        raise Invalid("a null character is in it", hint="no program can be given one")
    if server.url and (server.env or server.cwd):
        raise Invalid("env: a server over HTTP has no environment", hint="use --header", data={"field": "env"})
    if server.command and server.headers:
        raise Invalid("header: a command has no headers", hint="use --env", data={"field": "header"})


def _refuse_plain(server: Server) -> None:
    if found := in_plain_text(server):
        raise Denied(
            f"this would write a key into a file in plain text: {', '.join(found)}",
            hint="deedlog mcp secret set KEY keeps it; write ${KEY} in its place. --plain writes it all the same",
            part=Part.CONFIGURATION,
        )
