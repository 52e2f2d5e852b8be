"""What people see first: what runs, what waits for them, what finished, how far the workflows are."""

from __future__ import annotations

from deedlog.core.errors import Denied
from deedlog.core.task import CANCELLED, DONE, FAILED, IN_PROGRESS, OPEN
from deedlog.faces.web.page.view import Asked, Json, Shown
from deedlog.faces.web.page.views.review import KINDS

ADDRESS = "/"
FOLLOWS = ("task", "session", "workflow", "review", "milestone", "clarification", "comment")
ORDER = (DONE, IN_PROGRESS, FAILED, CANCELLED, OPEN)  # of the parts of a bar, as work goes on
ROWS, WAITING_ROWS = 8, 6


def show(asked: Asked) -> Shown:
    now = asked.read("now_get", limit=ROWS)
    waits = asked.read("attention_list", limit=WAITING_ROWS)
    about = {
        **now,
        "counts": {**now["counts"], **_columns(asked)},
        "waits": [{**row, "kind_name": KINDS[row["kind"]][0]} for row in waits["items"]],
        "more_waits": waits["total"] - len(waits["items"]),
        "next_task": _next_task(asked) if not now["running"] else 0,
        "bars": {row["workflow_id"]: bar(row["tasks"]) for row in now["workflows"]},
        "is_new": not (now["workflows"] or now["running"] or sum(now["counts"].values())),
    }
    return Shown("now.html", "Now", about, follows=FOLLOWS)


def _next_task(asked: Asked) -> int:
    """The number of what an agent would be handed out next; nought where nothing is ready."""
    ready = asked.read_if_on("task_list", ready=True, limit=1) or {"tasks": []}
    return next((row["id"] for row in ready["tasks"]), 0)


def _columns(asked: Asked) -> dict[str, int]:
    """How many tasks stand in each column of the board, which is where the counts lead."""
    try:
        return {column["name"]: column["count"] for column in asked.read("task_board", limit=1)["columns"]}
    except Denied:
        return {}


def bar(tasks: dict[str, int]) -> Json:
    """The parts of a workflow's bar, in hundredths of its width, and what it says in words."""
    total = sum(tasks.values())
    parts, at = [], 0.0
    for status in ORDER:
        if width := 100 * tasks[status] / total if total else 0:
            parts.append({"status": status, "at": f"{at:g}", "width": f"{width:g}"})
            at += width
    words = ", ".join(f"{tasks[status]} {status.replace('_', ' ')}" for status in ORDER if tasks[status])
    return {"parts": parts, "words": words or "no task yet", "done": tasks[DONE], "total": total}
