"""One task: what it was to do, what came of it, and the diff exactly as attributed to it."""

from __future__ import annotations

from markupsafe import Markup

from deedlog.core.terminal import plain
from deedlog.faces.web.page.diffing.visible import visible
from deedlog.faces.web.page.view import Asked, Json, Shown
from deedlog.faces.web.page.views.task_changes import changes

ADDRESS = "/task/{task}"
WAITS = True
FOLLOWS = ("task", "session", "review", "decision", "issue", "milestone", "comment")
SESSIONS = 50
AT_WORK = ("running", "queued")
SAID_ABOVE = "⚠️"  # that and how many files are out of scope


def show(asked: Asked) -> Shown:
    report = asked.read("task_report", task_id=str(asked.named["task"]))
    ref = report["task_id"]
    number = int(ref.rpartition("-")[2])
    thing = asked.read_if_on("ledger_get", uri=ref)
    details = asked.read_if_on("task_get", id=number) or {}
    sessions = (asked.read_if_on("session_list", task_id=number, limit=SESSIONS) or {"sessions": []})["sessions"]
    chosen = _chosen(asked, sessions, details)
    session = asked.read_if_on("session_get", session_id=chosen["id"]) if chosen else None
    about = {
        "report": report,
        "ref": ref,
        "number": number,
        "uri": thing["uri"] if thing else ref,
        "details": details,
        "sessions": sessions,
        "session": session,
        "picked": "session" in asked.query,
        "attempts": asked.read("session_compare", task_id=number) if len(sessions) > 1 else None,
        "comments": comments(asked, ref),
        **_work(report, session),
        **_changes(asked, ref, report, chosen),
        **_actions(report, details, sessions),
    }
    subjects = (thing["uri"],) if thing else ()
    return Shown("task.html", f"{ref} {report['name']}", about, follows=FOLLOWS, subjects=subjects)


def comments(asked: Asked, ref: str) -> list[Json]:
    rows = asked.read("comment_list", task_id=ref, status="all")["comments"]
    return [{**row, "shown": visible(row["text"]), "place": visible(row.get("path", ""))} for row in rows]


def _chosen(asked: Asked, sessions: list[Json], details: Json) -> Json | None:
    """The attempt that is shown: the one asked for, one at work, the selected, the last that ended."""
    wanted = asked.query.get("session", "").rpartition("-")[2]
    for fits in (
        lambda row: str(row["id"]) == wanted,
        lambda row: row["status"] == "running",
        lambda row: row["id"] == details.get("selectedSessionId"),
        lambda row: row["status"] not in AT_WORK,
    ):
        if found := next(filter(fits, sessions), None):
            return found
    return None


def _work(report: Json, session: Json | None) -> Json:
    """What came of the attempt that is shown; where sessions cannot be asked for, of the last one."""
    said = session or report
    ran = [{**check, "printed": _printed(check.get("output", ""))} for check in said.get("checks", [])]
    checks = sorted(ran, key=lambda check: check["passed"])
    return {
        "outcome": said.get("outcome", {}),
        "verification": _verification(report, session),
        "checks": checks,
        "failed_checks": sum(not check["passed"] for check in checks),
        "usage": (session or {}).get("usage", {}),
    }


def _printed(output: str) -> Markup:
    """What a check printed, without what was meant for a terminal."""
    return Markup("\n").join(visible(plain(line)) for line in output.split("\n"))


def _verification(report: Json, session: Json | None) -> Json:
    told = session.get("verification", {}) if session else report.get("verification", {})
    if not told:
        return {}
    return {
        "match": told.get("scopeMatch", told.get("scope_match")),
        "unexpected": [visible(path) for path in told.get("unexpectedFiles", told.get("unexpected_files", []))],
        "reasons": [visible(reason) for reason in told.get("reasons", [])],
        "warnings": [visible(text) for text in told.get("warnings", []) if not text.startswith(SAID_ABOVE)],
    }


def _changes(asked: Asked, ref: str, report: Json, chosen: Json | None) -> Json:
    """The changes themselves; of work that goes on only that there are some: looking at a tree takes its time."""
    begun = chosen or "started_at" in report
    running = chosen["status"] == "running" if chosen else "ended_at" not in report
    named = f"session-{chosen['id']}" if chosen else None
    if not begun:
        return {"changes": None, "so_far": None}
    if running:
        query = "&".join(f"{name}={asked.query[name]}" for name in ("by", "from") if name in asked.query)
        return {"changes": None, "so_far": f"/part/task/{ref}/changes?{f'session={named}&' if named else ''}{query}"}
    return {"changes": changes(asked, ref, named), "so_far": None}


def _actions(report: Json, details: Json, sessions: list[Json]) -> Json:
    """What a person may do with it now."""
    status = details.get("status", report["status"])
    at_work = [row for row in sessions if row["status"] in AT_WORK]
    reviews = report.get("reviews", [])
    waiting = [review for review in reviews if review["status"] == "open"]
    return {
        "status": report["status"] if status == "done" else status,
        "waiting": waiting,
        "decided": [review for review in reviews if review["status"] != "open"],
        "stoppable": at_work,
        "may_send_back": "started_at" in report and status != "cancelled",
        "may_merge": details.get("awaits") == "merge",
        "may_reopen": status in ("failed", "cancelled") and not details.get("retry"),
        "may_cancel": status not in ("done", "cancelled") and not at_work,
    }
