"""Runs: a workflow being executed, and what became of each node of its graph."""

from __future__ import annotations

from deedlog.core.value import Entity, uris

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

RUNNING, PAUSED, DONE, FAILED, CANCELLED = "running", "paused", "done", "failed", "cancelled"
WAITING, SKIPPED = "waiting", "skipped"
RUN_STATES = (RUNNING, PAUSED, DONE, FAILED, CANCELLED)
NODE_STATES = (WAITING, RUNNING, DONE, FAILED, SKIPPED, CANCELLED)
RUN_NEWS = {  # by what changed, in words
    "state": "{state}",
    "finished_at": "is over: nothing of it runs any more",
    "process": "has a new driver",
    "parallelism": "works on up to {parallelism} at once",
}
RUN_OTHERWISE = ("goes on",)
NODE_NEWS = {
    "state": "{state}",
    "session_id": "has a worker",
    "error": "is being stopped",
    "after": "waits for other nodes now",
}


class Run(Entity):
    """A workflow being executed by a driver, a process of its own (`process`, on the machine `host`).

    Whoever drives it reads from the log what is done and what is next, so that another can take over at any moment.
    """

    kind: ClassVar[str] = "run"
    found_by: ClassVar[tuple[str, ...]] = ("workflow_id", "state", "host", "created_at")
    begins: ClassVar[str] = "started"
    seen_with: ClassVar[str] = "resources_list"

    workflow_id: str
    op_id: str = ""  # of the call that started it
    mode: str = "plan"  # plan, bt, reactive, fanout
    label: str = ""
    state: str = RUNNING
    parallelism: int = 2
    retries: int = 0
    backoff_ms: int = 1_000
    timeout_seconds: int | None = None
    agent: str = ""
    merge: bool = True
    target: str = ""  # the branch that its work begins at and goes to; of an earlier release: as it is found each time
    options: dict[str, Any] = {}  # noqa: RUF012  # values are never changed in place
    impacts: list[dict[str, Any]] = []  # noqa: RUF012
    correlation: dict[str, Any] = {}  # noqa: RUF012
    host: str = ""
    process: str = ""
    created_at: int
    updated_at: int = 0
    paused_at: int | None = None
    finished_at: int | None = None
    reason: str = ""  # why it was cancelled
    failure: dict[str, Any] = {}  # noqa: RUF012

    def subjects(self) -> list[str]:
        return [self.uri, *uris(workflow=self.workflow_id, host=self.host)]

    @classmethod
    def headline(cls, fields: dict[str, Any]) -> str:
        return f"run {fields.get('label', '')}".rstrip()

    @classmethod
    def news(cls, fields: dict[str, Any], changed: list[str]) -> str:
        said = [told for name, told in RUN_NEWS.items() if name in changed]
        return f"{cls.headline(fields)} {(said or RUN_OTHERWISE)[0].format_map(fields)}"


class Node(Entity):
    """One node of a graph in one run: what has to be over before it, how often it was tried, what came of it.

    Work for an agent has a `task_id`; what the driver does itself has a `tool` and its `input`.
    `after` are the names of nodes with the result that is waited for: `{"node": "a", "on": "done"}`.
    """

    kind: ClassVar[str] = "node"
    found_by: ClassVar[tuple[str, ...]] = ("run_id", "task_id", "session_id", "state", "created_at")
    begins: ClassVar[str] = "planned"
    seen_with: ClassVar[str] = "event_list"
    told_of: ClassVar[str] = "run"

    run_id: str
    workflow_id: str = ""
    name: str
    task_id: str = ""
    tool: str = ""
    input: dict[str, Any] = {}  # noqa: RUF012
    after: list[dict[str, Any]] = []  # noqa: RUF012
    rule: dict[str, Any] = {}  # noqa: RUF012  # retries, backoff_ms, timeout_ms, guard, join
    state: str = WAITING
    attempts: int = 0
    session_id: str = ""  # of the attempt that runs or was the last
    adopted: str = ""  # the session of an earlier run whose work this attempt merges
    not_before: int = 0
    created_at: int
    started_at: int | None = None
    ended_at: int | None = None
    output: Any = None
    error: dict[str, Any] = {}  # noqa: RUF012

    def subjects(self) -> list[str]:
        return [self.uri, *uris(run=self.run_id, task=self.task_id, workflow=self.workflow_id)]

    @classmethod
    def headline(cls, fields: dict[str, Any]) -> str:
        return f"node {fields.get('name', '')}"

    @classmethod
    def news(cls, fields: dict[str, Any], changed: list[str]) -> str:
        if fields.get("state") == WAITING and fields.get("error") and "state" in changed:
            return f"{cls.headline(fields)} waits to be tried again"
        said = [told for name, told in NODE_NEWS.items() if name in changed]
        return f"{cls.headline(fields)} {said[0].format_map(fields)}" if said else super().news(fields, changed)
