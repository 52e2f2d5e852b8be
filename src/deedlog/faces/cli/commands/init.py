"""`deedlog init`."""

from __future__ import annotations

import os
import sys

from deedlog import bootstrap, project
from deedlog.core.caller import ANYONE
from deedlog.core.errors import DeedlogError, Invalid, NotFound
from deedlog.core.value import Value
from deedlog.faces.cli.acting import caller
from deedlog.faces.cli.command import Command, Invocation
from deedlog.faces.cli.connect.client import CLIENTS, NAME, Client, own_command
from deedlog.faces.cli.connect.edit import with_server, without_tokens
from deedlog.faces.cli.files import write_whole
from deedlog.faces.cli.output import show_answer
from deedlog.faces.cli.refusal import OK, refuse, tell
from deedlog.faces.cli.terminal import clean, is_terminal
from deedlog.token import token

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.settings import Settings

    Json = dict[str, Any]

ANYWHERE = ("0.0.0.0", "::", "")  # noqa: S104  # an address to listen on, not one to call


class Change(Value):
    """What connecting one client would change."""

    client: Client
    path: str
    old: str
    new: str


def run(invocation: Invocation) -> int:
    asked = invocation.arguments
    settings, done = _prepared(invocation)
    tree = done["project"]
    code = OK
    if _chosen(asked) and not asked.get("http"):
        _tell_place(own_command())
    for client in _chosen(asked):
        try:
            outcome = _connected(client, tree, settings, asked)
        except DeedlogError as error:
            code = refuse(error, as_json=invocation.as_json)
            outcome = "left alone"
        done[client.name] = outcome
    show_answer(done, as_json=invocation.as_json)
    if not _chosen(asked):
        tell("connect a coding agent with: deedlog init --client " + "|".join(CLIENTS))
    return code


def _prepared(invocation: Invocation) -> tuple[Settings, Json]:
    """Make this folder a project with a store that opens; says where both are."""
    settings = invocation.settings()
    if invocation.arguments.get("dry_run"):
        place: Json = {"database": "PostgreSQL"} if settings["database_url"] else {"store": _store(settings)}
        return settings, {"project": settings.project.tree if settings.project else invocation.folder, **place}
    if isinstance(settings.missing, NotFound):
        project.make_folder(invocation.folder)
        settings = invocation.settings()
    settings = _approved(settings)
    project.make_state(settings.the_project())
    if project.drop_exclusion(settings.the_project()):
        tell("git's info/exclude no longer hides .deedlog/, which ignores itself now: its config.toml can be committed")
    upkeep = bootstrap.open_upkeep(settings)
    try:
        facts = upkeep.facts() if settings["database_url"] else {}
    finally:
        upkeep.close()
    place = {"database": facts["server"], "project_name": facts["project"]} if facts else {"store": _store(settings)}
    return settings, {"project": settings.the_project().tree, **place}


def _approved(settings: Settings) -> Settings:
    """The settings after a person on a terminal was asked about what the repository brings."""
    waiting = settings.waiting
    if not waiting:
        return settings
    from json import dumps  # only where something is brought

    tell("This repository brings what runs programs or redirects data. Deedlog ignores it until you approve it:")
    for one in waiting:
        tell(clean(f"  {one.id}  {dumps(one.value)}"))
    ids = [one.id for one in waiting]
    if not _can_ask() or not _asked("Approve all of this?"):
        tell(f"to approve it later: deedlog trust approve {' '.join(ids)}\n")
        return settings
    app = bootstrap.build(settings)
    try:
        app.call("trust_approve", {"ids": ids}, caller(settings))
    finally:
        app.close()
    return settings.at(settings.folder, ())


def _store(settings: Settings) -> str:
    return settings.project.store if settings.project else ""


def _chosen(asked: Json) -> list[Client]:
    """The clients that were named; on a terminal all of them are offered."""
    named = [] if asked.get("all") else asked.get("client", [])
    names = named or (CLIENTS if asked.get("all") or _can_ask() else [])
    return [CLIENTS[name] for name in dict.fromkeys(names)]


def _can_ask() -> bool:
    return is_terminal(sys.stdin) and is_terminal(sys.stderr)


def _connected(client: Client, tree: str, settings: Settings, asked: Json) -> str:
    """Connect one client, if its user agrees; says what happened."""
    change = _change(client, tree, settings, asked)
    if change.old == change.new:
        return "connected already"
    _show(change)
    if asked.get("dry_run"):
        return f"would write {change.path}"
    if not asked.get("yes") and not _agreed(change):
        return "not connected"
    secret = asked.get("http", False)
    if secret:
        _keep_out_of_git(settings, change.path)
    write_whole(change.path, [change.new], secret=secret)
    return f"wrote {change.path}"


def _keep_out_of_git(settings: Settings, path: str) -> None:
    """Before the token is written: a file that git tracks already is not ignored by it, so a person must know."""
    try:
        ignored = project.exclude(settings.the_project(), path)
    except OSError:
        ignored = False
    said = "git ignores it unless it is tracked already; never commit it" if ignored else "keep it out of git"
    tell(f"{path} holds the token now: {said}")


def _change(client: Client, tree: str, settings: Settings, asked: Json) -> Change:
    path = client.path(tree, os.environ)
    try:
        with open(path, encoding="utf-8", newline="") as file:
            old = file.read()
    except FileNotFoundError:
        old = ""
    except (OSError, UnicodeDecodeError) as error:
        raise Invalid(f"{path} cannot be read: {error}") from error
    if asked.get("http"):
        dry = asked.get("dry_run", False)
        secret = "" if dry and not settings.project else token(settings, make=not dry)
        entry = client.over_http(_address(settings), secret)
    else:
        entry = client.over_stdio(own_command())
    return Change(client=client, path=path, old=old, new=with_server(path, old, client.section, entry))


def _tell_place(command: list[str]) -> None:
    if command != [NAME]:
        tell(
            f"other programs may not find `{NAME}` on their search path, so {command[0]} is named in full: "
            "right on this machine, not in a file that others share\n"
        )


def _address(settings: Settings) -> str:
    host = "127.0.0.1" if settings["host"] in ANYWHERE else settings["host"]
    return f"http://{f'[{host}]' if ':' in host else host}:{settings['port']}/mcp"


def _show(change: Change) -> None:
    from difflib import unified_diff

    tell(f"{change.client.title}:")
    lines = unified_diff(
        change.old.splitlines(),
        change.new.splitlines(),
        change.path if change.old else os.devnull,
        change.path,
        lineterm="",
    )
    tell(clean(without_tokens("\n".join(lines))) + "\n")


def _agreed(change: Change) -> bool:
    if not _can_ask():
        raise Invalid(f"{change.path} is not written: nobody can be asked", hint="add --yes to agree beforehand")
    return _asked(f"Write this into {change.path}?")


def _asked(question: str) -> bool:
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


COMMAND = Command(
    words="init",
    callers=ANYONE,
    help="Prepare this repository, and connect coding agents to it.\n\n"
    "Makes the store and the folder .deedlog/, of which git sees only config.toml, yours to share. For each agent it "
    "shows the change to its configuration and asks; other entries of that file stay as they are. Repeating it "
    "changes nothing.",
    run=run,
    input_schema={
        "type": "object",
        "properties": {
            "client": {
                "type": "array",
                "items": {"type": "string", "enum": list(CLIENTS)},
                "description": f"Connect this agent: {', '.join(CLIENTS)}",
            },
            "all": {"type": "boolean", "description": "Connect every agent"},
            "yes": {"type": "boolean", "description": "Write without asking"},
            "dry_run": {"type": "boolean", "description": "Show what would be written, and write nothing"},
            "http": {
                "type": "boolean",
                "description": "Connect to `deedlog serve` with its token, instead of starting `deedlog mcp serve`",
            },
        },
    },
    examples=["deedlog init", "deedlog init --client claude-code --client codex --yes", "deedlog init --all --dry-run"],
)
