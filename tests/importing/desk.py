"""A project into which files of other tools are imported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from deedlog.app import App, Caller
from deedlog.core.memory import Memory
from deedlog.core.task import Session, Task
from deedlog.importing.tools import Found, read

Json = dict[str, Any]
DATA = Path(__file__).parent / "data"


class Desk:
    def __init__(self, app: App, tree: Path, who: Caller) -> None:
        self.app = app
        self.tree = tree
        self.who = who

    def call(self, name: str, /, **arguments: object) -> Any:
        return self.app.call(name, arguments, self.who)

    def bring(self, tool: str, root: Path, *, dry_run: bool = False) -> Json:
        """Import what a tool has in the project at `root`; the answer, with the reader's warnings."""
        found = read(tool, str(root))
        return self.write(tool, found, dry_run=dry_run)

    def write(self, tool: str, found: Found, *, dry_run: bool = False) -> Json:
        name = "task_import_plan" if dry_run else "task_import"
        answer: Json = self.call(name, tool=tool, tasks=found.tasks, memories=found.memories)
        return {**answer, "warnings": [*found.warnings, *answer.get("warnings", [])]}

    def task(self, origin: str) -> Task:
        found = self.app.ledger.find(Task, {"origin": origin}, limit=2)
        assert len(found) == 1, f"{len(found)} tasks are {origin}"
        return found[0]

    def tasks(self) -> list[Task]:
        return self.app.ledger.find(Task, limit=1_000, oldest=True)

    def origins(self, ids: list[str]) -> list[str]:
        return [self.app.ledger.get(Task, task_id).origin for task_id in ids]

    def sessions(self, task: Task) -> list[Session]:
        return self.app.ledger.find(Session, {"task_id": task.id}, limit=10)

    def memory(self, memory_id: str) -> Memory:
        return self.app.ledger.get(Memory, memory_id)


def issues(root: Path, *rows: Json) -> Path:
    """A project whose beads are these; what is not said of one is as usual."""
    usual = {"status": "open", "priority": 2, "issue_type": "task", "created_at": "2025-11-01T09:00:00Z"}
    folder = root / ".beads"
    folder.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps({"title": f"Issue {row['id']}", **usual, **row}) for row in rows]
    (folder / "issues.jsonl").write_text("\n".join(lines) + "\n")
    return root


def needs(issue: str, *others: str, kind: str = "blocks") -> list[Json]:
    return [{"issue_id": issue, "depends_on_id": other, "type": kind} for other in others]
