from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deedlog.app import App
from deedlog.store.postgres import Postgres
from deedlog.store.sqlite import Sqlite
from deedlog.testing import Clock, app_on, caller

MODULES = ["knowledge", "assist", "causal-memory", "bt", "tx"]


class Team:
    """Somebody who works, and asks what is known of it."""

    def __init__(self, app: App, clock: Clock, tree: Path) -> None:
        self.app = app
        self.clock = clock
        self.tree = tree

    def call(self, name: str, /, **arguments: Any) -> Any:
        return self.app.call(name, arguments, caller())

    def finished(self, name: str, *goals: str, status: str = "completed", **more: Any) -> tuple[str, list[str]]:
        """A workflow that ended, and its tasks, each of which took a minute."""
        workflow = self.call("start_workflow", name=name, **more)["workflow_id"]
        tasks = [self.done(workflow, goal) for goal in goals]
        self.call("complete_workflow", workflow_id=workflow, status=status, summary="that was it")
        return workflow, tasks

    def done(self, workflow: str, goal: str, status: str = "success") -> str:
        task = str(self.call("start_task", workflow_id=workflow, name=goal, goal=f"{goal}, well")["task_id"])
        self.clock.turn(60)
        self.call("complete_task", task_id=task, status=status, outcome={"summary": "done"})
        return task

    def facts(self, **asked: Any) -> list[tuple[str, str, str]]:
        found = self.call("kg_query", **asked)["triples"]
        return [(fact["subject"], fact["predicate"], fact["object"]) for fact in found]


@pytest.fixture(params=["sqlite", "postgres"])
def team(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> Iterator[Team]:
    if request.param == "sqlite":
        database: Sqlite | Postgres = Sqlite(str(tmp_path / "store"))
    else:
        database = Postgres(request.getfixturevalue("postgres_url"), "one")
    (tmp_path / "tree").mkdir()
    app = app_on(database, tree=str(tmp_path / "tree"), clock=clock, enable=MODULES)
    yield Team(app, clock, tmp_path / "tree")
    database.close()


def fact(subject: str, predicate: str, about: str, **more: object) -> dict[str, object]:
    return {"subject": subject, "predicate": predicate, "object": about, **more}


@pytest.fixture
def story(team: Team) -> Team:
    """Task 2 depends on task 1, meets an issue, is decided upon, writes a file and fails."""
    workflow = team.call("start_workflow", name="Add login")["workflow_id"]
    first = team.call("task_create", title="Schema", workflowId=workflow)["id"]
    second = team.call("task_create", title="API", workflowId=workflow, dependsOn=[first])["id"]
    assert (first, second) == (1, 2)
    team.call("task_done", id=1)
    session = team.call("session_start", taskId=2, agent="coder")["sessionId"]
    team.call(
        "log_decision",
        task_id="task-2",
        category="library_choice",
        question="Which library?",
        chosen="authlib",
        reasoning="small",
    )
    team.call(
        "log_issue", task_id="task-2", type="bug_encountered", description="callbacks are stale", resolution="none"
    )
    (team.tree / "api.py").write_text("x = 1\n")
    team.clock.turn(60)
    team.call("session_end", sessionId=session, exitCode=3, error={"type": "crash", "message": "boom"})
    return team
