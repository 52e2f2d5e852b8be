"""One MCP server: what it needs, its tools as agents see them, who has it mounted, its calls."""

from __future__ import annotations

from urllib.parse import urlencode

from deedlog.core.errors import Denied
from deedlog.faces.web.page.off import switched_off
from deedlog.faces.web.page.view import ANYTHING, Asked, Shown

ADDRESS = "/server/{name}"
EVERY = "all"
OUTCOMES = ("ok", "error", "refused", "failed", "timeout", "cancelled", "lost")
FAILURES = ("error", "failed", "timeout", "lost")
CALLS = 50


def show(asked: Asked) -> Shown:
    name = str(asked.named["name"])[:200]
    try:
        server = asked.read("mcp_show", name=name)
    except Denied as error:
        return switched_off("Servers", error)
    inside = asked.read("mcp_inspect", name=name)
    outcome = asked.choice("outcome", (EVERY, *OUTCOMES), EVERY)
    wanted = None if outcome == EVERY else outcome
    calls = asked.read(
        "mcp_calls", server=server["name"], outcome=wanted, limit=CALLS, cursor=asked.query.get("cursor")
    )
    kept = {} if wanted is None else {"outcome": outcome}
    more = calls.get("nextCursor")
    about = {
        "server": server,
        "inside": inside,
        "held": [tool for tool in inside["tools"] if tool.get("held")],
        "calls": calls["calls"],
        "outcome": outcome,
        "outcomes": [word for word in OUTCOMES if inside["calls"][word] or word == outcome],
        "called": sum(inside["calls"].values()),
        "failures": sum(inside["calls"][word] for word in FAILURES),
        "more": f"?{urlencode({**kept, 'cursor': more})}#calls" if more else "",
    }
    return Shown(
        "server.html",
        server.get("title") or server["name"],
        about,
        follows=(ANYTHING,),
        subjects=(inside["uri"],),
        view="servers",
    )
