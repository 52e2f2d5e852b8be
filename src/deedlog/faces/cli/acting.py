"""The caller behind a command: the person who typed it, or the agent in whose shell it runs."""

from __future__ import annotations

import os

from deedlog.app import Caller
from deedlog.core.caller import COMMAND, WORKER, Kind, agent_name, client_in, conversation_in, plain, short_id
from deedlog.faces.cli.command import user

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.settings import Settings


def caller(settings: Settings, **said: Any) -> Caller:
    if client := client_in(os.environ):
        return Caller(actor=agent_name(settings["actor"] or client, _id(client)), kind=Kind.AGENT, **said)
    return Caller(actor=plain(settings["actor"]) or plain(user()), kind=Kind.PERSON, **said)


def _id(client: str) -> str:
    conversation = conversation_in(os.environ, client)
    if client == WORKER and conversation.isdigit():
        return conversation  # the session, which people know by its number
    return short_id(conversation) if conversation else COMMAND
