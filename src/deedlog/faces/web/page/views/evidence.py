"""What there is to judge a waiting thing by: files with their lines, checks that failed, what was printed last."""

from __future__ import annotations

from urllib.parse import urlencode

from deedlog.core.errors import DeedlogError
from deedlog.core.terminal import plain
from deedlog.faces.web.page.view import LONGEST_NUMBER, Asked, Json, Shown

ADDRESS = "/part/evidence/{task}"
WAITS = True
FILES = 6
MOST = 500
LINES = 8  # of what a check or a worker printed last
PRINTED = ("worker_failed", "budget")
MINE = ["task", "subtask", "shared"]


def show(asked: Asked) -> Shown:
    task = str(asked.named["task"])
    session = asked.query.get("session", "")
    changes = asked.read("task_changes", task_id=task, session_id=session or None, by=MINE, limit=MOST)
    files = sorted(changes["changes"], key=lambda row: row.get("scope") != "out")
    tried = _session(asked, session)
    about: Json = {
        "task": task,
        "files": [{**row, "diff": _diff(task, session, row["path"])} for row in files[:FILES]],
        "left": len(files) - FILES,
        "added": sum(row.get("added", 0) for row in files),
        "deleted": sum(row.get("deleted", 0) for row in files),
        "count": len(files),
        "many": "next_cursor" in changes,
        "unknown": "changes_unknown" in changes,
        "failed": _failed(tried),
        "printed": _printed(asked, session) if asked.query.get("kind") in PRINTED else [],
        "session": session,
    }
    return Shown("evidence.html", "Evidence", about, part=True)


def _diff(task: str, session: str, path: str) -> str:
    query = urlencode({"path": path, **({"session": session} if session else {})})
    return f"/part/task/{task}/diff?{query}"


def _session(asked: Asked, session: str) -> Json:
    try:
        return asked.read("session_get", session_id=_number(session))
    except DeedlogError:  # without an attempt, or without that module, there is less to see
        return {}


def _failed(session: Json) -> list[Json]:
    return [
        {"label": check["label"], "exit_code": check.get("exitCode"), "lines": _last(check.get("output", ""))}
        for check in session.get("checks", [])
        if not check["passed"]
    ]


def _printed(asked: Asked, session: str) -> list[str]:
    try:
        return _last(asked.read("session_log", session_id=_number(session), from_line=-LINES)["text"])
    except DeedlogError:
        return []


def _last(text: str) -> list[str]:
    return [plain(line) for line in text.rstrip().splitlines()[-LINES:]]


def _number(session: str) -> int:
    digits = session.rpartition("-")[2]
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= LONGEST_NUMBER else 0
