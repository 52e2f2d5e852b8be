"""Task Master: `.taskmaster/tasks/tasks.json`, lists of tasks by their tags, each with subtasks."""

from __future__ import annotations

import os
import re

from deedlog.core.draft import (
    CANCELLED,
    DONE,
    TO_DO,
    MemoryDraft,
    TaskDraft,
    Warnings,
    labels_of,
    line_of,
    sections,
    was,
)
from deedlog.core.task import CRITICAL, HIGH, LOW, MEDIUM
from deedlog.importing.reading import MOST_TASKS, Broken, Folder, Record, first_that_exists, mapped, parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

TOOL = "task-master"
PLACES = (".taskmaster/tasks/tasks.json", "tasks/tasks.json")
MAIN = "master"
STATES = {"pending": TO_DO, "done": DONE, "completed": DONE, "cancelled": CANCELLED, "canceled": CANCELLED}
UNDER_WAY = ("in-progress", "in_progress")
PRIORITIES = {"critical": CRITICAL, "high": HIGH, "medium": MEDIUM, "low": LOW}
MOST_COMPLEXITY = 1_000
NAME = re.compile(r"[\w.-]{1,60}")  # others could be sentences, which do not belong in a refusal


def find(root: str) -> str:
    return first_that_exists(TOOL, root, *PLACES)


def read(path: str, warnings: Warnings) -> tuple[list[TaskDraft], list[MemoryDraft]]:
    if os.path.isdir(path):
        path = first_that_exists(TOOL, path, *PLACES, "tasks/tasks.json", "tasks.json")
    whole = Record(parsed(Folder(warnings).text(path), path), path)
    found = [draft for tag, part in _tags(whole) for draft in _Tag(tag, part, warnings).drafts()]
    if len(found) > MOST_TASKS:
        raise Broken(path, f"has more than {MOST_TASKS} tasks", "import it in parts")
    return found, []


def _tags(whole: Record) -> Iterator[tuple[str, Record]]:
    """Each tag with its part of the file; older releases had no tags."""
    if isinstance(whole.data.get("tasks"), list):
        yield MAIN, whole
        return
    for at, (tag, part) in enumerate(whole.data.items(), 1):
        place = f"{whole.place}, {tag if NAME.fullmatch(tag) else f'tag {at}'}"
        if not isinstance(part, dict) or not isinstance(part.get("tasks"), list):
            raise Broken(place, "has no list of tasks")
        if not tag.strip() or line_of(tag, 80) != tag:
            raise Broken(place, "its name is empty, long or unprintable")
        yield tag, Record(part, place)


class _Tag:
    def __init__(self, tag: str, part: Record, warnings: Warnings) -> None:
        self.prefix = f"{TOOL}:{tag}/"
        self.labels = [] if tag == MAIN else [f"tag:{tag}"]
        self.tasks = part.records("tasks")
        self.warnings = warnings
        self.top = {task.key() for task in self.tasks}

    def drafts(self) -> Iterator[TaskDraft]:
        for task in self.tasks:
            key = task.key()
            yield self._draft(task, key, "", [self._need(need, "", set()) for need in task.texts("dependencies")])
            parts = task.records("subtasks")
            beside = {part.key() for part in parts}
            for part in parts:
                needs = [self._need(need, key, beside) for need in part.texts("dependencies")]
                yield self._draft(part, f"{key}.{part.key()}", key, needs)

    def _need(self, need: str, parent: str, beside: set[str]) -> str:
        """A subtask names those beside it by their number alone, others as `2.1`."""
        name = line_of(need, 80)
        if parent and "." not in name and name in beside:
            return f"{self.prefix}{parent}.{name}"
        return self.prefix + name

    def _draft(self, task: Record, key: str, parent: str, needs: list[str]) -> TaskDraft:
        status = task.text("status", "pending").strip().lower()
        state = STATES.get(status, TO_DO)
        before = [] if status in STATES else [was(status)]
        origin = self.prefix + key
        updated = task.moment("updatedAt", self.warnings)
        return TaskDraft(
            origin=origin,
            name=task.title(),
            goal=self._goal(task),
            priority=mapped(
                task.text("priority"), PRIORITIES, MEDIUM, lambda: self.warnings.add("unknown priority", origin)
            ),
            labels=labels_of([*task.texts("labels"), *self.labels, *before]),
            assignee=task.text("assignee"),
            complexity=_complexity(task),
            parent=self.prefix + parent if parent else "",
            depends_on=needs,
            state=state,
            parked=bool(before) and status not in UNDER_WAY and not (status == "blocked" and needs),
            created_at=task.moment("createdAt", self.warnings),
            updated_at=updated,
            ended_at=updated if state == DONE else 0,
        )

    def _goal(self, task: Record) -> str:
        return sections(
            {
                "": task.text("description"),
                "Details": task.text("details"),
                "Test strategy": task.text("testStrategy"),
                "Acceptance criteria": "\n".join(task.texts("acceptanceCriteria")),
            }
        )


def _complexity(task: Record) -> int | None:
    value = task.data.get("complexity", task.data.get("complexityScore"))
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST_COMPLEXITY:
        return None
    return round(value)
