"""Run the demo of the tracker; returns everything its report tells."""

from __future__ import annotations

import os
import shlex

from deedlog import settings
from deedlog.core.errors import DeedlogError
from deedlog.faces.cli.demo import flows
from deedlog.faces.cli.demo.agent import Agent
from deedlog.faces.cli.demo.scratch import Scratch
from deedlog.faces.cli.demo.server import McpServer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

ELSEWHERE = "your own settings name another store: unset them before you try these"


def run(folder: str, *, keep: bool) -> Json:
    with Scratch(folder, keep=keep) as scratch:
        flows.prepare(scratch)
        environment = {**scratch.environment(os.environ), "DEEDLOG_STORE": scratch.store}
        with McpServer(scratch.folder, environment) as server:
            agent = Agent(server, scratch)
            workflows = [flows.one_task(agent), flows.task_with_subtasks(agent)]
            found = {
                "folder": scratch.folder if keep else "",
                "story": agent.story,
                "tasks": agent.tasks,
                "trees": [agent.read("task_tree", workflow_id=workflow_id) for workflow_id in workflows],
                "reviews": agent.read("review_list")["reviews"],
            }
        return {**found, **_next(found, scratch if keep else None)}


def _next(found: Json, kept: Scratch | None) -> Json:
    """The commands to try now, in the repository that was kept or in one that will be."""
    strayed = next(task for task in found["tasks"] if not task["verification"]["scope_match"])
    scope = next(review for review in found["reviews"] if review["reason"] == "scope")
    commands = [
        "deedlog task tree",
        f"deedlog task report {strayed['task_id']}",
        f"deedlog task changes {strayed['task_id']}",
        f"deedlog task patch {strayed['task_id']}",
        "deedlog search token",
    ]
    if kept is None:
        return {"next": ["deedlog demo track --keep", *commands, "deedlog review list"]}
    answer = f"deedlog review close {scope['review_id']} approved --note 'utils.ts had to change'"
    note = {"note": ELSEWHERE} if _elsewhere(kept) else {}
    return {"next": [f"cd {shlex.quote(kept.folder)}", *commands, answer], **note}


def _elsewhere(kept: Scratch) -> bool:
    """Whether what the user configured would lead these commands to another store."""
    try:
        found = settings.load(kept.folder, os.environ)
        return bool(found["database_url"]) or found.the_project().store != kept.store
    except DeedlogError:
        return True
