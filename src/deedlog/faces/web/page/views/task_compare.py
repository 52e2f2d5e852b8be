"""Two attempts at a task beside each other: file by file, what each of them did."""

from __future__ import annotations

from deedlog.core.errors import Invalid
from deedlog.faces.web.page.diffing.files import File, files_of
from deedlog.faces.web.page.view import Asked, Json, Shown

ADDRESS = "/task/{task}/compare"
WAITS = True
FILES = 100
TWO = 2


def show(asked: Asked) -> Shown:
    report = asked.read("task_report", task_id=str(asked.named["task"]))
    ref = report["task_id"]
    told = asked.read("session_compare", task_id=int(ref.rpartition("-")[2]))
    attempts = {str(row["id"]): row for row in told["sessions"]}
    chosen = [asked.query.get(side, "").rpartition("-")[2] for side in ("left", "right")]
    if not all(chosen):
        chosen = list(attempts)[-TWO:]
    if len(chosen) < TWO or any(name not in attempts for name in chosen):
        raise Invalid(f"left, right: {ref} has no such attempts", hint=f"session_list {ref} shows its sessions")
    sides = [_side(asked, ref, attempts[name]) for name in chosen]
    both = sorted({path for side in sides for path in side["files"]})
    about = {
        "report": report,
        "ref": ref,
        "attempts": told["sessions"],
        "sides": sides,
        "paths": both[:FILES],
        "left_out": max(0, len(both) - FILES) + sum(side["more"] for side in sides),
    }
    return Shown("task_compare.html", f"Attempts at {ref}", about, follows=("session",), view="task")


def _side(asked: Asked, ref: str, attempt: Json) -> Json:
    if attempt["status"] == "queued":
        return {"attempt": attempt, "files": {}, "more": 0}
    told = asked.read(
        "task_changes", task_id=ref, session_id=f"session-{attempt['id']}", by=["task", "subtask"], limit=FILES
    )
    files: dict[str, File] = {file.path: file for file in files_of(told["changes"])}
    return {"attempt": attempt, "files": files, "more": 1 if "next_cursor" in told else 0}
