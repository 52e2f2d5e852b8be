from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.page import fitting
from deedlog.core.queue import waits_for_merge
from deedlog.core.task import QUEUED, RUNNING, Session, Task
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.lookup import every
from deedlog.work.starting import at_work
from deedlog.work.trees import sessions_of_trees
from deedlog.work.waiting import is_over, wait_for
from deedlog.work.worker_rows import worker_row

MOST_SESSIONS = 100


class Waited(TypedDict):
    done: bool
    sessions: list[dict[str, Any]]
    hint: NotRequired[str]


@operation(
    Effect.READ,
    capability="tasks",
    callers=ANYONE,
    camel=True,
    settles=True,
    waits=True,
    columns=("sessionId", "taskId", "title", "agent", "status", "awaits", "exitCode", "seconds", "filesChanged"),
    examples=("deedlog worker wait", "deedlog worker wait session-12 session-13 --timeout-seconds 600"),
)
def worker_wait(
    ctx: Context,
    *,
    task_id: Annotated[int | None, Field("All attempts at this task", minimum=1)] = None,
    session_ids: Annotated[
        list[Annotated[int, Field("Session ID", minimum=1)]] | None,
        Field("Or these sessions", rare=True, max_items=MOST_SESSIONS),
    ] = None,
    any_of_them: Annotated[bool, Field("Return as soon as one has ended", rare=True)] = False,
    timeout_seconds: Annotated[float, Field("Wait at most this long", minimum=0, maximum=600)] = 60,
) -> Waited:
    """Wait until workers have ended, and tell how: by default all, also what waits to be merged.

    When done is false, call it again.
    """
    wanted = _chosen(ctx, session_ids, task_id)

    def enough(found: Sequence[Session]) -> bool:
        over = [is_over(session) for session in found]
        return any(over) if any_of_them and over else all(over)

    def told(found: Sequence[Session]) -> None:
        over = sum(is_over(session) for session in found)
        ctx.peer.progress(over, len(found), f"{over} of {len(found)} ended")

    found = wait_for(ctx, [session.id for session in wanted], timeout_seconds, enough, told)
    done = enough(found)
    if not session_ids and task_id is None:
        found = [*found, *_to_be_merged(ctx, found)]
    answer: Waited = {"done": done, "sessions": fitting([worker_row(ctx, session) for session in found])}
    if done and any(map(waits_for_merge, found)):
        answer["hint"] = "worker_done checks and merges the work of a session that awaits merge"
    return answer


def _to_be_merged(ctx: Context, waited_for: Sequence[Session]) -> list[Session]:
    """Those that ended before, whose work nobody has merged yet."""
    known = {session.id for session in waited_for}
    return [found for found in sessions_of_trees(ctx) if waits_for_merge(found) and found.id not in known]


def _chosen(ctx: Context, session_ids: list[int] | None, task_id: int | None) -> list[Session]:
    if session_ids:
        found = [ctx.ledger.get(Session, str(number)) for number in session_ids]
        return list({session.id: session for session in found}.values())
    if task_id is not None:
        task = ctx.ledger.get(Task, str(task_id))
        running = at_work(ctx, task)
        if running:
            group = {session.group for session in running if session.group}
            ended = [s for s in every(ctx.ledger, Session, {"task_id": task.id}) if s.group in group and is_over(s)]
            return [*running, *ended][:MOST_SESSIONS]
        return ctx.ledger.find(Session, {"task_id": task.id}, limit=1)
    here = (every(ctx.ledger, Session, {"status": status}, oldest=True) for status in (RUNNING, QUEUED))
    return [session for sessions in here for session in sessions if session.host][:MOST_SESSIONS]
