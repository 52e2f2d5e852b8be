"""Tasks, and the sessions in which they are worked on."""

from __future__ import annotations

from deedlog.core import page
from deedlog.core.errors import Conflict, Invalid
from deedlog.core.moment import iso
from deedlog.core.value import Entity
from deedlog.core.words import SHORT, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, ClassVar, TypeVar

    Given = TypeVar("Given")

IN_PROGRESS, DONE, FAILED = "in_progress", "done", "failed"
RUNNING, COMPLETED = "running", "completed"
MOST_CHARACTERS = 10_000  # of metadata and of lists: a session must fit into one answer
MOST_OUTCOME = 20_000  # its summary alone may have half of it
MOST_FILES, MOST_FILE_CHARACTERS = 500, 10_000  # that a search finds a session by
MOST_SAID = 32_000  # of files, outcome and metadata together


class Task(Entity):
    """One piece of work. Its status follows from its sessions."""

    kind: ClassVar[str] = "task"
    found_by: ClassVar[tuple[str, ...]] = ("number", "workflow_id", "parent_id", "status", "created_at")
    numbered: ClassVar[bool] = True
    seen_with: ClassVar[str] = "task tree"
    begins: ClassVar[str] = "started"

    number: int
    workflow_id: str
    parent_id: str = ""
    name: str
    goal: str
    areas: list[str] = []  # noqa: RUF012  # values are never changed in place
    status: str = IN_PROGRESS
    created_at: int

    @property
    def ref(self) -> str:
        """What people call it."""
        return f"task-{self.number}"

    def subjects(self) -> list[str]:
        parent = [f"task://{self.parent_id}"] if self.parent_id else []
        return [self.uri, *parent, f"workflow://{self.workflow_id}"]

    def search_text(self) -> tuple[str, str]:
        return self.name, f"{self.ref} {self.goal} {' '.join(self.areas)}"

    @classmethod
    def headline(cls, fields: dict[str, Any]) -> str:
        return f"task-{fields.get('number', '')} {one_line(fields.get('name', ''), SHORT)}"


class Session(Entity):
    """One attempt at one task: where it started from, how it ended, what it changed.

    `changes` and `patch` are the digests of what the store keeps of its changes; `counts` sums them up.
    `files` are the paths it changed itself, as many as a search needs to know; `changes` has all.
    `changes_unknown` says that it ended although nobody could tell what it changed.
    `beside` are the sessions that were running in its work tree when it started. `result` is the word
    of whoever ended it; `status` follows from it.
    """

    kind: ClassVar[str] = "session"
    found_by: ClassVar[tuple[str, ...]] = ("number", "task_id", "workflow_id", "tree", "status", "started_at")
    sorted_by: ClassVar[str] = "started_at"
    numbered: ClassVar[bool] = True
    begins: ClassVar[str] = "started"
    told_of: ClassVar[str] = "task"

    number: int
    task_id: str
    workflow_id: str
    actor: str
    status: str = RUNNING
    result: str = ""
    tree: str
    branch: str = ""
    snapshot_id: str
    snapshot_type: str
    base: str
    snapshot_at: int
    started_at: int
    beside: list[str] = []  # noqa: RUF012
    end_snapshot_id: str = ""
    end_snapshot_at: int | None = None
    ended_at: int | None = None
    outcome: dict[str, Any] = {}  # noqa: RUF012
    metadata: dict[str, Any] = {}  # noqa: RUF012
    counts: dict[str, int] = {}  # noqa: RUF012
    files: list[str] = []  # noqa: RUF012
    verification: dict[str, Any] = {}  # noqa: RUF012
    changes: str = ""
    changes_unknown: bool = False
    patch: str = ""

    @property
    def ref(self) -> str:
        return f"session-{self.number}"

    def blobs(self) -> list[str]:
        return [digest for digest in (self.changes, self.patch) if digest]

    def subjects(self) -> list[str]:
        return [self.uri, f"task://{self.task_id}", f"workflow://{self.workflow_id}"]

    def search_text(self) -> tuple[str, str]:
        lists = ("achievements", "limitations", "next_steps")
        said = [self.outcome.get("summary", ""), *(text for name in lists for text in self.outcome.get(name, []))]
        return (str(said[0])[:200], " ".join([*said, *self.files])) if any(said) else ("", "")

    @classmethod
    def headline(cls, fields: dict[str, Any]) -> str:
        return f"session-{fields.get('number', '')}"

    @classmethod
    def news(cls, fields: dict[str, Any], changed: list[str]) -> str:
        if "result" in changed and fields["result"]:
            return f"{fields['result'].replace('_', ' ')}: {fields.get('outcome', {}).get('summary', '')}"
        return super().news(fields, changed)


def ended(task: Task, session: Session, result: str) -> tuple[Task, Session]:
    """Both as they are when the session ended with `result`: success, partial_success or failed."""
    failed = result == FAILED
    return (
        task.replace(status=FAILED if failed else DONE),
        session.replace(status=FAILED if failed else COMPLETED, result=result),
    )


def fitting(name: str, given: Given, most: int = MOST_CHARACTERS) -> Given:
    """What was given as `name`, refused when it is too long to be read back in one answer."""
    if (found := page.size(given)) > most:
        raise Invalid(
            f"{name}: has {found} characters in all, at most {most} are allowed",
            hint="shorten it; what is longer belongs in a file",
            data={"field": name},
        )
    return given


def findable(paths: Sequence[str], *said: object) -> list[str]:
    """The first of the paths, as many as fit into one answer beside what else was said."""
    room = min(MOST_FILE_CHARACTERS, MOST_SAID - sum(map(page.size, said)))
    return page.fitting(paths[:MOST_FILES], room=room)


def not_in_progress(
    task: Task, session: Session | None = None, differing: Sequence[str] = (), op_id: str = ""
) -> Conflict:
    """The refusal to complete a task that is not in progress, or not in the way `session` ended it.

    `differing` are the arguments that are not what the op `op_id` was told.
    """
    how = "nobody is at it"
    if session and session.ended_at:
        how = f"it ended as {session.result} at {iso(session.ended_at)}" + (f" by {op_id}" if op_id else "")
    if differing:
        how += f", with another {' and '.join(differing)}"
    undo = f"undo {op_id}" if op_id else "undo that operation"
    return Conflict(
        f"{task.ref} is {task.status}, not in progress: {how}",
        hint=f"a completed task keeps its result; {undo}, or start another task",
        data={
            "task_id": task.ref,
            "status": task.status,
            **({"differing": list(differing)} if differing else {}),
            **({"op_id": op_id} if op_id else {}),
        },
    )


def check_parent(parent: Task, workflow_id: str) -> None:
    """Refuse a parent under which no task of the workflow can start."""
    if parent.workflow_id != workflow_id:
        raise Invalid(
            f"parent_task_id: {parent.ref} belongs to another workflow",
            hint=f"start the task in workflow {parent.workflow_id!r}, or without a parent",
            data={"field": "parent_task_id", "workflow_id": parent.workflow_id},
        )
    if parent.status != IN_PROGRESS:
        raise Conflict(
            f"{parent.ref} is {parent.status}: no subtask can start under it",
            hint="start the task without a parent, or under one that is in progress",
            data={"task_id": parent.ref, "status": parent.status},
        )
