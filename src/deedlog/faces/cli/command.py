"""Commands about the project as a whole. Each is one module, imported when it is called."""

from __future__ import annotations

import os
from importlib import import_module

from deedlog import settings
from deedlog.core import worker_calls
from deedlog.core.caller import client_in
from deedlog.core.errors import Denied, NotFound, Part
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from deedlog.settings import Settings

    Json = dict[str, Any]

MODULES = {
    "init": "init",
    "serve": "serve",
    "open": "open_",
    "mcp serve": "mcp_serve",
    "mcp secret set": "mcp_secret_set",
    "mcp secret list": "mcp_secret_list",
    "mcp secret remove": "mcp_secret_remove",
    "doctor": "doctor",
    "export": "export",
    "import": "import_",
    "clarify": "clarify",
    "clarify answer": "clarify_answer",
    "clarify status": "clarify_status",
    "clarify resume": "clarify_resume",
    "clarify reset": "clarify_reset",
    "config": "config",
    "config get": "config_get",
    "workflow html": "workflow_html",
    "demo": "demo",
    "demo track": "demo_track",
    "demo page": "demo_page",
    "completion": "completion",
    "help": "help_",
}
HIDDEN = {"worker supervise": "worker_supervise", "plan drive": "plan_drive"}  # what only programs of ours start

SHARED: Json = {
    "properties": {
        "directory": {"type": "string", "description": "Run as if started in this folder (also -C)"},
        "json": {"type": "boolean", "description": "Print the answer as JSON"},
        "actor": {"type": "string", "description": "Who acts, in the log"},
        "help": {"type": "boolean", "description": "Explain the command (also -h)"},
        "version": {"type": "boolean", "description": "Print the version"},
    }
}

TOOLS: Json = {
    "type": "string",
    "enum": ["short", "all"],
    "description": "What tools/list shows: the everyday tools in a few words, or all in full",
}
WHERE_SETTINGS_ARE = "edit .deedlog/config.toml, or ~/.config/deedlog/config.toml for every project"


class Command(Value):
    """One command, described like an operation so that both are read, explained and completed alike.

    `callers` is ANYONE or PEOPLE of `core/caller.py`. No review lets an agent run one that is for people.
    """

    words: str
    callers: str
    help: str
    run: Callable[[Invocation], int]
    input_schema: Json = {"type": "object", "properties": {}}  # noqa: RUF012  # values are never changed in place
    examples: list[str] = []  # noqa: RUF012
    alias: str = ""
    values: Callable[[str, Invocation], list[str]] | None = None  # of an argument, for the shells' completion

    @property
    def summary(self) -> str:
        return self.help.partition("\n")[0]


class Invocation:
    """One run of one command: what it was given and where it runs."""

    def __init__(self, arguments: Json, shared: Json) -> None:
        self.arguments = arguments
        self.shared = shared
        self.folder = _folder(shared.get("directory", ""))
        self.as_json: bool = shared.get("json", False)

    def settings(self, **flags: Any) -> Settings:
        """The settings, with what was given on the command line; refused when a name in them is unknown."""
        given = {name: self.shared.get(name) for name in ("actor", "enable", "disable")}
        found = settings.load(self.folder, os.environ, {**given, **flags})
        found.enabled  # noqa: B018  # refuses unknown capabilities, whatever the command
        return found


def _folder(name: str) -> str:
    """The folder a command runs in, as an absolute path."""
    try:
        folder = os.path.abspath(name)
    except FileNotFoundError as error:
        raise NotFound("the current folder is gone", hint="go to one that exists", part=Part.CONFIGURATION) from error
    if not os.path.isdir(folder):
        raise NotFound(f"there is no folder {folder}", hint="name one that exists", part=Part.CONFIGURATION)
    return folder


def refuse_agent(what: str) -> None:
    """Refuse a command in the shell of an agent."""
    if client_in(os.environ):
        raise Denied(f"{what} needs a person", hint="a person runs it in a terminal of their own")


def user() -> str:
    """Who acts where nobody else is configured."""
    import pwd

    try:
        return os.environ.get("USER") or pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"user-{os.getuid()}"  # one without a name, as in containers


def reachable() -> list[str]:
    """The commands there are here; a worker has only those that need no store."""
    return [*worker_calls.COMMANDS] if os.environ.get(worker_calls.SOCKET) else [*MODULES, *HIDDEN]


def find(words: str) -> Command:
    module = import_module(f"deedlog.faces.cli.commands.{MODULES.get(words) or HIDDEN[words]}")
    command: Command = module.COMMAND
    return command
