"""One workflow: its timeline, tree, graph or plan."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from deedlog.core.errors import Conflict, Denied, NotFound
from deedlog.faces.web.page.drawing import graph, timeline
from deedlog.faces.web.page.view import Asked, Shown

Json = dict[str, Any]
ADDRESS = "/workflow/{workflow_id}"
TABS = ("timeline", "tree", "graph", "plan")
FOLLOWS = ("workflow", "task", "session", "milestone", "decision", "issue", "review", "comment", "run", "node")
FIRST_ROWS, FIRST_NODES, MOST_ROWS = 100, 200, 500
RUNS = 10
FOLLOWING, CANCELLING = "plan-lifecycle", "cancellation"


def show(asked: Asked) -> Shown:
    workflow_id = str(asked.named["workflow_id"])
    workflow = asked.read("workflow_get", workflow_id=workflow_id)
    tab = asked.choice("show", TABS, TABS[0])
    about: Json = {
        "workflow": workflow,
        "tab": tab,
        "tabs": TABS,
        "waiting": asked.read("attention_list", workflow_id=workflow_id, limit=1)["total"],
        "address": f"/workflow/{workflow['workflow_id']}",
        **VIEWS[tab](asked, workflow),
    }
    subjects = (f"workflow://{workflow['workflow_id']}",)
    return Shown(f"workflow_{tab}.html", workflow["name"], about, follows=FOLLOWS, subjects=subjects, view="workflows")


def _timeline(asked: Asked, workflow: Json) -> Json:
    """Of a workflow with many tasks those that something happened to last: its first ones are long done."""
    many = sum(workflow.get("tasks", {}).values()) > FIRST_ROWS
    only = asked.choice("only", ("all", "unfinished", "recent"), "recent" if many else "all")
    idle = asked.choice("idle", ("shown", "squeezed"), "")
    rows = max(1, asked.count("rows", FIRST_ROWS, MOST_ROWS))
    wanted = {"only": only if only != "all" else None, "limit": rows}
    found = asked.read("workflow_timeline", workflow_id=workflow["workflow_id"], **wanted)
    if only == "recent" and not found["tasks"]:
        only, found = "all", asked.read("workflow_timeline", workflow_id=workflow["workflow_id"], limit=rows)
    return {
        "timeline": found,
        "drawing": timeline.drawn(found, squeeze=idle == "squeezed" if idle else None),
        "only": only,
        "many": many,
        "idle": idle,
        "most_rows": MOST_ROWS,
    }


def _tree(asked: Asked, workflow: Json) -> Json:
    return {"tree": asked.read("task_tree", workflow_id=workflow["workflow_id"])}


def _graph(asked: Asked, workflow: Json) -> Json:
    rows = max(1, asked.count("rows", FIRST_NODES, MOST_ROWS))
    found = asked.read("workflow_timeline", workflow_id=workflow["workflow_id"], limit=rows)
    tasks = found["tasks"]
    holding = sorted((task for task in tasks if task.get("unblocks")), key=lambda task: -task["unblocks"])
    return {
        "timeline": found,
        "graph": graph.drawn(tasks),
        "holding": holding[:5],
        "size": graph.SIZE,
        "most_rows": MOST_ROWS,
    }


def _plan(asked: Asked, workflow: Json) -> Json:
    on = _capabilities(asked)
    about: Json = {"on": on, "run": None, "runs": [], "following": FOLLOWING, "cancelling": CANCELLING}
    if (listed := asked.read_if_on("plan_list", workflow_id=workflow["workflow_id"], limit=RUNS)) is None:
        return about
    runs = [_told(run) for run in listed["runs"]]
    chosen = asked.query.get("run") or (runs[0]["run_id"] if runs else "")
    run = _status(asked, chosen) if any(each["run_id"] == chosen for each in runs) else None
    return {**about, "runs": runs, "run": run}


def _status(asked: Asked, run_id: str) -> Json | None:
    try:
        return _told(asked.read("plan_status", run_id=run_id))
    except (NotFound, Conflict):
        return None


def _told(run: Json) -> Json:
    """With moments as other operations tell them."""
    names = ("started_at", "finished_at", "paused_at", "updated_at")
    return {**run, **{name: _iso(run[name]) for name in names}}


def _iso(millis: int | None) -> str:
    return "" if millis is None else datetime.fromtimestamp(millis / 1_000, UTC).isoformat().replace("+00:00", "Z")


def _capabilities(asked: Asked) -> dict[str, bool]:
    try:
        rows = asked.read("capability_list")["capabilities"]
    except Denied:
        return {}
    return {row["name"]: row["on"] for row in rows}


VIEWS = {"timeline": _timeline, "tree": _tree, "graph": _graph, "plan": _plan}
