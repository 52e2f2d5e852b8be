"""Kinds of callers, the names they act under, and how a process knows that an agent started it."""

from __future__ import annotations

from enum import StrEnum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Kind(StrEnum):
    PERSON = "person"  # the page with its key; a command outside any agent
    AGENT = "agent"  # MCP on any transport; a command inside an agent
    PROGRAM = "program"  # the HTTP API with the token
    INTERNAL = "internal"  # Deedlog itself: supervisors, drivers of runs, what runs beside a call


# Each operation names one of these as its `callers`.
ANYONE = "anyone"
PEOPLE = "people"  # an agent needs a person's approval
INTERNAL = "internal"  # Deedlog itself; no approval lets an agent call it
CALLERS = (ANYONE, PEOPLE, INTERNAL)

# How an agent shows in the environment of a command: the variable, then the client's name.
# The first that is set counts. Deedlog sets its own variables in workers.
WORKER = "worker"
MARKS = {
    "DEEDLOG_WORKER": WORKER,
    "DEEDLOG_SESSION_ID": WORKER,
    "CODEX_SESSION_ID": "codex",
    "CODEX_THREAD_ID": "codex",
    "CODEX_SANDBOX": "codex",
    "GEMINI_CLI": "gemini-cli",
    "CURSOR_AGENT": "cursor",
    "CURSOR_TRACE_ID": "cursor",
    "OPENCODE": "opencode",
    "AMP_CURRENT_THREAD_ID": "amp",
    "COPILOT_AGENT_SESSION_ID": "copilot",
    "CLINE_ACTIVE": "cline",
    "GOOSE_TERMINAL": "goose",
    "CLAUDECODE": "claude-code",
    "CLAUDE_CODE_SESSION_ID": "claude-code",
    "AI_AGENT": "agent",
}
# The variables that tell conversations of one client apart.
CONVERSATIONS = {
    WORKER: ("DEEDLOG_SESSION_ID",),
    "codex": ("CODEX_SESSION_ID", "CODEX_THREAD_ID"),
    "gemini-cli": ("GEMINI_SESSION_ID",),
    "amp": ("AMP_CURRENT_THREAD_ID",),
    "copilot": ("COPILOT_AGENT_SESSION_ID",),
    "claude-code": ("CLAUDE_CODE_SESSION_ID",),
}
ID_LENGTH = 16  # so many that no program finds another conversation with the same id
MOST_NAME = 80
COMMAND = "cli"  # the id of an agent's commands where no variable tells its conversation
RESERVED = "deedlog"  # Deedlog's own name in the log


def client_in(environment: Mapping[str, str]) -> str:
    """The client whose agent runs this process; empty where a person does."""
    return next((client for variable, client in MARKS.items() if environment.get(variable)), "")


def conversation_in(environment: Mapping[str, str], client: str) -> str:
    """The id of the client's conversation, where its environment tells it."""
    found = (environment.get(variable) for variable in CONVERSATIONS.get(client, ()))
    return next((text for text in found if text), "")


def plain(name: str) -> str:
    """A name for a person: printable, in one line, and in no form that marks an agent or a program."""
    text = "".join(c if c.isprintable() and c not in "/:" else " " if c.isspace() else "-" for c in name)
    text = " ".join(text.split())
    return f"{text}-" if text == RESERVED else text


def program_name(name: str) -> str:
    """A name for a program that uses the HTTP API. A person's name never has a colon."""
    return f"http:{plain(name)}" if plain(name) else "http"


def agent_name(client: str, short_id: str) -> str:
    """A name for an agent. The slash marks it: no person and no program has one."""
    return f"{plain(client.partition('-mcp-client')[0])[:MOST_NAME] or 'mcp'}/{short_id}"


def client_of(actor: str) -> str:
    """An actor without the id of its connection: after a crash the same client comes back with another one."""
    return actor.partition("/")[0]


def is_unguessable(conversation: str) -> bool:
    """Whether only those who were given the id of a conversation can name it: a UUID."""
    parts = conversation.split("-")
    is_hex = all(c in "0123456789abcdefABCDEF" for part in parts for c in part)
    return is_hex and [len(part) for part in parts] == [8, 4, 4, 4, 12]


def short_id(conversation: str) -> str:
    """Characters that tell conversations apart and do not give their ids away."""
    from hashlib import sha256  # only agents need it

    return sha256(conversation.encode()).hexdigest()[:ID_LENGTH]
