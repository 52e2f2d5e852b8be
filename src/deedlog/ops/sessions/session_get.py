from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.task import Session
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.session_rows import session_details


class Violation(TypedDict):
    path: str
    reason: str


class Details(TypedDict):
    id: int
    taskId: int
    taskTitle: str
    agent: Any
    actor: str
    status: str
    startedAt: str
    endedAt: Any
    durationMs: int
    exitCode: Any
    dodResult: str
    sessionGroupId: Any
    selected: bool
    artifacts: list[str]
    violations: list[Violation]
    files: dict[str, int]
    outputLines: int
    branch: NotRequired[str]
    worktree: NotRequired[str]
    result: NotRequired[str]
    signal: NotRequired[str]
    error: NotRequired[dict[str, Any]]
    changesUnknown: NotRequired[bool]
    verification: NotRequired[dict[str, Any]]
    checks: NotRequired[list[dict[str, Any]]]
    usage: NotRequired[dict[str, float]]
    budget: NotRequired[dict[str, float]]
    scope: NotRequired[dict[str, Any]]
    enforcement: NotRequired[str]
    repositoryChanges: NotRequired[list[dict[str, str]]]
    client: NotRequired[str]
    model: NotRequired[str]
    target: NotRequired[str]
    base: NotRequired[str]
    commit: NotRequired[str]
    merge: NotRequired[dict[str, Any]]
    command: NotRequired[list[str]]
    host: NotRequired[str]
    timeoutSeconds: NotRequired[int]
    epoch: NotRequired[int]
    outcome: NotRequired[dict[str, Any]]
    listens: NotRequired[bool]
    truncated: NotRequired[bool]


@operation(
    Effect.READ,
    capability="tasks",
    callers=ANYONE,
    further=True,
    camel=True,
    settles=True,
    examples=("deedlog session get 123",),
)
def session_get(
    ctx: Context, *, session_id: Annotated[int, Field("The session; task-5: its newest", minimum=1)]
) -> Details:
    """Get session details: branch, work tree, exit, checks, violations, usage, files."""
    whole = session_details(ctx, ctx.ledger.get(Session, str(session_id)))
    told: Any = page.condensed(whole)
    details: Details = told if told == whole else told | {"truncated": True}
    return details
