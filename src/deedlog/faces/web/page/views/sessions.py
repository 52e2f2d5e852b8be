"""Sessions: those that run first, each with its last line, then those that ended."""

from __future__ import annotations

from urllib.parse import urlencode

from deedlog.core.errors import Denied
from deedlog.faces.web.page.off import switched_off
from deedlog.faces.web.page.view import Asked, Shown

ADDRESS = "/sessions"
STATUSES = ("running", "queued", "completed", "failed", "cancelled")
EVERY = "all"
PAGE = 50
MOST_AT_WORK = 100


def show(asked: Asked) -> Shown:
    try:
        about = _about(asked)
    except Denied as error:
        return switched_off("Sessions", error)
    return Shown("sessions.html", "Sessions", about, follows=("session", "task"))


def _about(asked: Asked) -> dict[str, object]:
    status = asked.choice("status", (EVERY, *STATUSES), EVERY)
    agent, cursor = asked.query.get("agent") or None, asked.query.get("cursor")
    wanted = "ended" if status == EVERY else status
    found = asked.read("session_browse", status=wanted, agent=agent, limit=PAGE, cursor=cursor)
    at_work = []
    if status == EVERY and not cursor:
        for each in ("running", "queued"):
            at_work += asked.read("session_browse", status=each, agent=agent, limit=MOST_AT_WORK)["sessions"]
    found["sessions"].sort(key=lambda row: row.get("endedAt", row["startedAt"]), reverse=True)
    rows = [*at_work, *found["sessions"]]
    agents = asked.read_if_on("agent_list") or {"agents": []}
    names = {row["agent"] or row["actor"] for row in rows} | {each["name"] for each in agents["agents"]}
    kept = {name: value for name, value in (("status", status), ("agent", agent or "")) if value not in ("", EVERY)}
    more = found.get("nextCursor")
    return {
        "at_work": at_work,
        "sessions": found["sessions"],
        "counts": found["counts"],
        "total": sum(found["counts"].values()),
        "status": status,
        "statuses": (EVERY, *STATUSES),
        "agent": agent or "",
        "agents": sorted(names | ({agent} if agent else set())),
        "query": urlencode(kept),
        "more": f"/sessions?{urlencode({**kept, 'cursor': more})}" if more else "",
    }
