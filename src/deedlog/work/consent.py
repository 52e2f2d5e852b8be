"""Questions to the person behind a client, as a form that it shows, and how data reads in them."""

from __future__ import annotations

import json

from deedlog.core.remark import APPROVED, NOTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from deedlog.ports import Context, Peer

    Json = dict[str, Any]

RECORD = "approval_record"
FIELD = "decision"
MOST_SHOWN = 2_000
MOST_READ = 9_000  # in a form that is answered at once
NOT_WHOLE = "it is too long for a form, or has something like a secret"


def decision(peer: Peer, key: str, message: str, ways: dict[str, str]) -> str | None:
    """The way that a person chose; empty for any other reply, None where the client cannot ask a person."""
    if not peer.speaks_for_person:
        return None
    choice = {"type": "string", "title": "Your decision", "enum": list(ways), "enumNames": list(ways.values())}
    schema = {"type": "object", "properties": {FIELD: choice}, "required": [FIELD]}
    params = {"message": message, "requestedSchema": schema}
    replies = peer.ask({key: {"method": "elicitation/create", "params": params}})
    if replies is None:
        return None
    reply = replies[key]
    content = reply.get("content")
    said = content.get(FIELD) if reply.get("action") == "accept" and isinstance(content, dict) else ""
    return said if said in ways else ""


def noted(ctx: Context, question: str, said: str | None, *, yes: bool) -> None:
    """Record what a person decided in a form; nothing where the client could not show one."""
    if said is not None:
        verdict = APPROVED if yes else NOTED
        ctx.aside(RECORD, {"by": ctx.actor, "question": question, "said": said or "no choice", "verdict": verdict})


def written(data: Json) -> str:
    return visible(json.dumps(data, indent=2, ensure_ascii=False, default=str), keep="\n")


def shown(data: Json, cleaned: Callable[[str], str]) -> str:
    """Data as a form shows it; empty where something of it would be cut or hidden: a person approves what they see."""
    text = json.dumps(data, indent=2, ensure_ascii=False, default=str)
    if len(text) > MOST_READ or cleaned(text) != text:
        return ""
    text = visible(text, keep="\n")
    return text if len(text) <= MOST_READ else ""


def visible(text: str, keep: str = "") -> str:
    """Text in which all that does not print, or changes the order of what does, is spelt out."""
    return "".join(c if c.isprintable() or c in keep else c.encode("unicode_escape").decode() for c in text)
