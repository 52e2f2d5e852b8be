"""How views become HTML: the templates, and the small words they use. Everything is escaped unless it is `Markup`."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from functools import cache
from hashlib import blake2b
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from deedlog import __version__
from deedlog.core.kinds import KINDS
from deedlog.faces.advice import in_commands

HERE = os.path.dirname(os.path.abspath(__file__))
STATIC = os.path.join(HERE, "static")
MINUTE, HOUR, DAY = 60, 3_600, 86_400
GLYPHS = {  # beside the colour: who does not see it reads it
    "open": "○",
    "queued": "◌",
    "ready": "○",
    "running": "◐",
    "in_progress": "◐",
    "paused": "❙❙",
    "done": "✓",
    "completed": "✓",
    "success": "✓",
    "partial_success": "◑",
    "passed": "✓",
    "approved": "✓",
    "sent_back": "↩",
    "failed": "✕",
    "cancelled": "⊘",
    "review": "!",
    "waiting": "…",
}
PLACES = {  # where a thing of a kind is looked at, by what events and searches call it
    "workflow": "/workflow/{}",
    "task": "/task/{}",
    "session": "/session/{}",
    "memory": "/memory/{}",
    "adr": "/decision/{}",
    "decision": "/decision/{}",
    "server": "/server/{}",
    "clarification": "/review",
}


@cache
def environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(os.path.join(HERE, "templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters |= {
        "lasting": lasting,
        "words": words,
        "number": number,
        "counted": counted,
        "glyph": glyph,
        "place": place,
        "advice": advice,
    }
    made.tests["thing"] = is_thing
    made.globals |= {"static": static, "edition": edition, "version": __version__}
    return made


def render(template: str, about: dict[str, Any]) -> str:
    return environment().get_template(template).render(about)


@cache
def edition() -> str:
    """Return a part of the addresses of our files: browsers may keep them while this process runs.

    It differs in every process: another server on the same port cannot prepare the browser's cache for it.
    """
    digest = blake2b(os.urandom(16), digest_size=6)
    for folder, _, names in sorted(os.walk(STATIC)):
        for name in sorted(names):
            with open(os.path.join(folder, name), "rb") as file:
                digest.update(name.encode() + b"\0" + file.read())
    return digest.hexdigest()


def static(name: str) -> str:
    """The address of a file of ours; scripts name each other beside themselves."""
    return f"/static/{edition()}/{name}"


def lasting(seconds: float | None) -> str:
    """`3 h 20 min`: two units are enough to tell."""
    if seconds is None:
        return ""
    whole = max(0, int(seconds))
    if whole < MINUTE:
        return f"{whole} s"
    if whole < HOUR:
        return f"{whole // MINUTE} min {whole % MINUTE} s" if whole < 10 * MINUTE else f"{whole // MINUTE} min"
    if whole < DAY:
        return f"{whole // HOUR} h {whole % HOUR // MINUTE} min"
    return f"{whole // DAY} d {whole % DAY // HOUR} h"


def since(moment: str, now: datetime | None = None) -> float:
    """Seconds since a moment as operations tell it."""
    return ((now or datetime.now(UTC)) - datetime.fromisoformat(moment)).total_seconds()


def words(name: object) -> str:
    """`in_progress` as people say it."""
    return str(name).replace("_", " ").replace("-", " ")


def number(count: float) -> str:
    """With thin spaces between thousands."""
    return f"{count:,}".replace(",", "\u202f")


def advice(hint: str) -> Markup:
    """What to do next, with its commands as such."""
    parts = in_commands(hint).split("`")
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if at % 2 else escape(part) for at, part in enumerate(parts)
    )


def counted(count: int, one: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number(count)} {one}" if count == 1 else f"{number(count)} {one}s"


def is_thing(uri: object) -> bool:
    """Whether there is something to look at: events also name places, such as the host of a session."""
    kind = str(uri).partition("://")[0]
    return kind in PLACES or kind in KINDS


def glyph(status: str) -> str:
    return GLYPHS.get(status, "•")


def place(uri: object) -> str:
    """The address of the view of a thing; what has none of its own is shown as it is recorded."""
    kind, _, name = str(uri).partition("://")
    from urllib.parse import quote

    if kind in PLACES and name:
        return PLACES[kind].format(quote(name, safe=""))
    return f"/thing?uri={quote(str(uri), safe='')}"
