"""One session: its log as it comes, and all that is known of it."""

from __future__ import annotations

import re
from typing import Any

from deedlog.core.errors import Denied
from deedlog.faces.web.page.log import last_lines, lines_around, rest_of
from deedlog.faces.web.page.look import number
from deedlog.faces.web.page.off import switched_off
from deedlog.faces.web.page.view import Answer, Asked, Elsewhere, Shown

ADDRESS = "/session/{session}"
QUEUED = "queued"
AT_WORK = ("running", QUEUED)
HUMP = re.compile("([A-Z])")
ID = re.compile(r"[a-z]+-[0-9a-z]*[a-z][0-9a-z]*")


def show(asked: Asked) -> Answer:
    named = str(asked.named["session"])
    if ID.fullmatch(named):  # as events and searches name it
        return Elsewhere(f"/session/{asked.read('ledger_get', uri=f'session://{named}')['fields']['number']}")
    session_number = asked.number("session")
    try:
        session = asked.read("session_get", sessionId=session_number)
    except Denied as error:
        return switched_off("Session", error)
    line = asked.count("line", 0, 10**9)
    sought = asked.query.get("q", "").strip()[:200]
    log = (
        lines_around(asked, session_number, line, sought) if line else last_lines(asked, session_number, sought=sought)
    )
    has_log = bool(log["total"]) or (session["status"] in AT_WORK and ("command" in session or "listens" in session))
    has_log = has_log or session["status"] == QUEUED
    about = {
        "session": session,
        "has_log": has_log,
        "rest": rest_of(asked, session_number) if log["total"] else "",
        "milestones": [] if has_log else _milestones(asked, session),
        "log": log,
        "line": line,
        "sought": sought,
        "is_at_work": session["status"] in AT_WORK,
        "usage": _usage(session),
    }
    return Shown(
        "session.html",
        f"session-{session_number} {session['taskTitle']}",
        about,
        follows=("session", "task", "review", "message"),
        subjects=(log["uri"],),
        view="sessions",
    )


def _milestones(asked: Asked, session: dict[str, Any]) -> list[dict[str, Any]]:
    """What was reached during it."""
    told = asked.read("task_report", task_id=f"task-{session['taskId']}").get("milestones", [])
    until = session.get("endedAt") or "9"
    return [row for row in told if session["startedAt"] <= row["created_at"] <= until]


def _usage(session: dict[str, Any]) -> list[dict[str, str]]:
    """What was used, beside what it may use where there is a limit."""
    used, limits = session.get("usage", {}), session.get("budget", {})
    names = sorted({name for name, amount in used.items() if amount} | {*limits})
    return [
        {"name": HUMP.sub(r" \1", name).lower(), "used": _figure(used.get(name)), "most": _figure(limits.get(name))}
        for name in names
    ]


def _figure(amount: float | None) -> str:
    """With as many decimals as say something."""
    if amount is None:
        return ""
    whole, _, rest = number(round(amount, 2)).partition(".")
    return f"{whole}.{rest:0<2}" if rest.strip("0") else whole
