"""Tasks, and the sessions in which they are worked on."""

from __future__ import annotations

from deedlog.core import page
from deedlog.core.check import failed
from deedlog.core.errors import Conflict, Invalid
from deedlog.core.moment import iso
from deedlog.core.value import Entity, uris
from deedlog.core.words import SHORT, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, ClassVar, Self, TypeVar

    Given = TypeVar("Given")

OPEN, IN_PROGRESS, DONE, FAILED, CANCELLED = "open", "in_progress", "done", "failed", "cancelled"
STATUSES = (OPEN, IN_PROGRESS, DONE, FAILED, CANCELLED)
QUEUED, RUNNING, COMPLETED = "queued", "running", "completed"
SESSION_STATUSES = (QUEUED, RUNNING, COMPLETED, FAILED, CANCELLED)
LOW, MEDIUM, HIGH, CRITICAL = "low", "medium", "high", "critical"
PRIORITIES = (CRITICAL, HIGH, MEDIUM, LOW)
PENDING, MERGED = "pending", "merged"
SHAPE = frozenset(  # what of it is part of its workflow's graph
    (
        *("name", "goal", "depends_on", "workflow_id", "node", "assignee", "priority", "type", "labels", "impacts"),
        *("attributes", "links"),
    )
)
FOLLOWING = ("updated_at", "waiting", "queue", "blocks")  # fields of a task that change with something else
MOST_CHARACTERS = 10_000  # of metadata and of lists: a session must fit into one answer
MOST_OUTCOME = 20_000  # its summary alone may have half of it
MOST_FILES, MOST_FILE_CHARACTERS = 500, 10_000  # that a search finds a session by
MOST_SAID = 32_000  # of files, outcome and metadata together


class Task(Entity):
    """One piece of work. Its status follows from its sessions; only `cancelled` is set by hand.

    `depends_on` are the tasks it waits for, `blocks` those that wait for it, `waiting` how many of the first
    are not done. `holder` has claimed it until `lease_until`; each claim has the next `epoch`, so that what a
    holder says after somebody else took over can be told from what the new one says. `queue` follows from
    all that, see `core/queue.py`. `origin` is what it is called in the tool it was imported from.
    """

    kind: ClassVar[str] = "task"
    found_by: ClassVar[tuple[str, ...]] = (
        "number",
        "workflow_id",
        "parent_id",
        "status",
        "assignee",
        "queue",
        "origin",
        "awaits",
        "created_at",
    )
    numbered: ClassVar[bool] = True
    begins: ClassVar[str] = "started"

    number: int
    workflow_id: str = ""
    parent_id: str = ""
    name: str
    goal: str = ""
    areas: list[str] = []  # noqa: RUF012  # values are never changed in place
    status: str = IN_PROGRESS
    created_at: int
    updated_at: int = 0
    priority: str = MEDIUM
    type: str = "task"
    assignee: str = ""
    assignee_type: str = ""
    labels: list[str] = []  # noqa: RUF012
    complexity: int | None = None
    depends_on: list[str] = []  # noqa: RUF012
    blocks: list[str] = []  # noqa: RUF012
    waiting: int = 0
    cancelled: bool = False
    cancel_reason: str = ""
    selected_session_id: str = ""
    scope: dict[str, list[str]] = {}  # noqa: RUF012
    scope_by: str = ""  # "agent" where no person gave or saw its scope
    checks: list[dict[str, Any]] = []  # noqa: RUF012
    budget: dict[str, float] = {}  # noqa: RUF012
    awaits: str = ""  # "merge" when a worker ended well and nobody else is at it
    sent_back: int = 0  # how often a person sent the work back
    carries: str = ""  # the session whose work the next attempt begins with
    retry: bool = False  # somebody wants it worked on again although its sessions failed
    holder: str = ""
    epoch: int = 0
    lease_until: int = 0
    queue: str = ""
    origin: str = ""
    clarified: str = ""  # the UID of the docs/CURRENT_TASK.md that its areas are from
    node: str = ""  # what it is called in the graph of its workflow, where that is not its own name
    impacts: list[dict[str, Any]] = []  # noqa: RUF012  # on what the project values
    attributes: dict[str, Any] = {}  # noqa: RUF012  # of its node, beside what is a field of its own
    links: dict[str, dict[str, Any]] = {}  # noqa: RUF012  # by what it waits for: label, weight and attributes of that edge

    @property
    def ref(self) -> str:
        """What people call it."""
        return f"task-{self.number}"

    def subjects(self) -> list[str]:
        return [self.uri, *uris(task=self.parent_id, workflow=self.workflow_id)]

    def reshapes(self, changed: set[str]) -> list[str]:
        return [f"graph://{self.workflow_id}"] if self.workflow_id and changed & SHAPE else []

    def taken_back(self, current: Self | None) -> Self:
        """No epoch is ever given twice: whoever had it may still use it."""
        return self.replace(epoch=max(self.epoch, current.epoch)) if current else self

    def search_text(self) -> tuple[str, str]:
        said = [self.ref, self.goal, *self.areas, *self.labels, self.origin]
        return self.name, " ".join(filter(None, said))

    @classmethod
    def headline(cls, fields: dict[str, Any]) -> str:
        return f"task-{fields.get('number', '')} {one_line(fields.get('name', ''), SHORT)}"

    @classmethod
    def beginning(cls, fields: dict[str, Any]) -> str:
        return "created" if fields.get("status") == OPEN else cls.begins

    @classmethod
    def news(cls, fields: dict[str, Any], changed: list[str]) -> str:
        told = [name for name in changed if name not in FOLLOWING]
        if "sent_back" in told and fields["sent_back"]:
            return f"{cls.headline(fields)} sent back"
        if "status" in told:
            return super().news(fields, changed)
        if "holder" in told or "epoch" in told:
            holder = fields["holder"]
            return f"{cls.headline(fields)} {f'claimed by {holder}' if holder else 'given back'}"
        if "lease_until" in told:
            return f"{cls.headline(fields)} held until {iso(fields['lease_until'])}"
        if not told and "waiting" in changed:
            return f"{cls.headline(fields)} waits for {_other_tasks(fields['waiting'])}"
        if not told and "blocks" in changed:
            return f"{cls.headline(fields)} blocks {_other_tasks(len(fields['blocks']))}"
        if told == ["retry"] and fields["retry"]:
            return f"{cls.headline(fields)} to be tried again"
        if told == ["awaits"]:
            return f"{cls.headline(fields)} {'waits to be merged' if fields['awaits'] else 'worked on'}"
        if told == ["selected_session_id"] and fields["selected_session_id"]:
            return f"{cls.headline(fields)}: a session selected"
        return super().news(fields, told) if told else f"{cls.headline(fields)} worked on"


class Session(Entity):
    """One attempt at one task: where it started from, how it ended, what it changed.

    `changes` and `patch` are the digests of what the store keeps of its changes; `counts` sums them up.
    `files` are the paths it changed itself, as many as a search needs to know; `changes` has all.
    `changes_unknown` says that it ended although nobody could tell what it changed.
    `beside` are the sessions that were running in its work tree when it started. `result` is the word
    of whoever ended it; `status` follows from it.

    Of a worker's: `worktree` is its own work tree below the project's root and `branch` its branch; both are
    empty, or the user's own, where somebody works in the current tree. `group` joins attempts at one task.
    `process` marks its supervisor (see `process.py`), `host` is the machine of it; `leader` is the process
    group of the worker itself. `dod_result` and `exit_code`, `signal`, `artifacts`, `error` are what was told
    of its end; `violations` what it changed outside its scope. `commit` is where its work is kept once the
    work tree is gone.
    """

    kind: ClassVar[str] = "session"
    found_by: ClassVar[tuple[str, ...]] = (
        "number",
        "task_id",
        "workflow_id",
        "tree",
        "status",
        "key",
        "host",
        "started_at",
    )
    sorted_by: ClassVar[str] = "started_at"
    numbered: ClassVar[bool] = True
    begins: ClassVar[str] = "started"
    told_of: ClassVar[str] = "task"

    number: int
    task_id: str
    workflow_id: str = ""
    actor: str
    status: str = RUNNING
    result: str = ""
    tree: str = ""
    branch: str = ""
    snapshot_id: str = ""
    snapshot_type: str = ""
    base: str = ""
    snapshot_at: int = 0
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
    agent: str = ""
    client: str = ""
    model: str = ""
    group: str = ""
    key: str = ""
    epoch: int = 0
    worktree: str = ""
    target: str = ""  # the branch its work is for
    host: str = ""
    process: str = ""
    leader: int | None = None
    command: list[str] = []  # noqa: RUF012
    stdin: str = ""  # the file in the work tree that it reads
    auto: bool = False
    scope: dict[str, list[str]] = {}  # noqa: RUF012
    enforcement: str = ""  # what kept it in its scope while it ran
    fingerprint: str = ""  # the digest of the state of the repository when it started
    repository_changes: list[dict[str, str]] = []  # noqa: RUF012  # what differed from that at its end
    timeout_seconds: int | None = None
    budget: dict[str, float] = {}  # noqa: RUF012
    usage: dict[str, float] = {}  # noqa: RUF012
    lines: int = 0  # of output that were recorded
    exit_code: int | None = None
    signal: str = ""
    dod_result: str = PENDING
    artifacts: list[str] = []  # noqa: RUF012
    error: dict[str, str] = {}  # noqa: RUF012
    violations: list[dict[str, str]] = []  # noqa: RUF012
    checks: list[dict[str, Any]] = []  # noqa: RUF012
    merge: dict[str, str] = {}  # noqa: RUF012
    judged: dict[str, str] = {}  # noqa: RUF012  # the commit that the merge gate let through, before the target moved
    commit: str = ""
    sent_back: bool = False  # a person wants its task worked on again: what came of it counts no more
    goes_on: str = ""  # the attempt whose work it was given, because a person sent that back
    run_id: str = ""  # of the run it is part of
    role: str = ""
    interactive: bool = False  # it reads what is said to it from standard input
    speech: str = ""  # how: in plain lines, or in the messages of a client
    input_closed: bool = False  # nothing more can be said to it
    awaited: bool = False  # its supervisor tells when its program runs, which is at
    ready_at: int | None = None
    limits: dict[str, float] = {}  # noqa: RUF012  # beside those of its budget, see `core/limits.py`
    environment: dict[str, Any] = {}  # noqa: RUF012  # which variables it finds, never what is in them
    stop: dict[str, Any] = {}  # noqa: RUF012  # that somebody wants it ended, how and why
    asked: str = ""  # the digest of what was asked for under its key
    tip: str = ""  # where its branch was when it ended
    origin: str = ""

    @property
    def ref(self) -> str:
        return f"session-{self.number}"

    def blobs(self) -> list[str]:
        return [digest for digest in (self.changes, self.patch, self.fingerprint) if digest]

    def subjects(self) -> list[str]:
        ids = {"task": self.task_id, "workflow": self.workflow_id, "host": self.host, "key": self.key}
        return [self.uri, *uris(**ids, run=self.run_id)]

    def search_text(self) -> tuple[str, str]:
        lists = ("achievements", "limitations", "next_steps")
        said = [self.outcome.get("summary", ""), *(text for name in lists for text in self.outcome.get(name, []))]
        return (str(said[0])[:200], " ".join([*said, *self.files])) if any(said) else ("", "")

    @classmethod
    def headline(cls, fields: dict[str, Any]) -> str:
        return f"session-{fields.get('number', '')}"

    @classmethod
    def beginning(cls, fields: dict[str, Any]) -> str:
        status = fields.get("status")
        return "queued" if status == QUEUED else "recorded" if status == COMPLETED else cls.begins

    @classmethod
    def news(cls, fields: dict[str, Any], changed: list[str]) -> str:
        if "result" in changed and fields["result"]:
            return f"{fields['result'].replace('_', ' ')}: {fields.get('outcome', {}).get('summary', '')}"
        if "status" in changed:
            return super().news(fields, changed)
        told = _work_news(fields, changed)
        return f"{cls.headline(fields)} {told}" if told else super().news(fields, changed)


def _work_news(fields: dict[str, Any], changed: list[str]) -> str:
    """What became of the work of a session, where that changed."""
    if "merge" in changed and (merge := fields["merge"]):
        counts = fields.get("counts")
        if "target" in merge and counts and not any(counts.values()):
            return "finished: it changed nothing"
        return f"merged into {merge['target']}" if "target" in merge else "discarded"
    if "judged" in changed and fields["judged"]:
        return "passed the merge gate"
    if "checks" in changed and (labels := failed(fields["checks"])):
        return f"did not pass: {', '.join(labels)}"
    if "leader" in changed and fields["leader"]:
        return f"at work ({fields.get('enforcement', '')})"
    return ""


def _other_tasks(count: int) -> str:
    return f"{count or 'no'} other {'task' if count == 1 else 'tasks'}"


def ended(session: Session, result: str) -> Session:
    """A session that ended with `result`: success, partial_success or failed."""
    return session.replace(status=FAILED if result == FAILED else COMPLETED, result=result)


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
        by = f" by {op_id}" if op_id else ""
        how = f"it ended as {session.result or session.status} at {iso(session.ended_at)}{by}"
    if differing:
        how += f", with another {' and '.join(differing)}"
    undo = f"undo {op_id}" if op_id else "undo that operation"
    hint = f"a completed task keeps its result; {undo}, or start another task"
    return Conflict(
        f"{task.ref} is {task.status}, not in progress: {how}",
        hint=hint if session else "session_start begins the work on a planned task",
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
