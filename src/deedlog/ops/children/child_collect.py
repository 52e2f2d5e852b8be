from __future__ import annotations

from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.child import runtime_of
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.child_inputs import ChildId
from deedlog.work.child_log import last_printed
from deedlog.work.child_rows import ended_row, find_child, messages_row, state
from deedlog.work.preparing import path_of
from deedlog.work.session_rows import artifacts, recorded_lines
from deedlog.work.waiting import is_over, wait_for

MOST_MESSAGES = 200
ROOM, ROOM_FOR_FILES = 20_000, 8_000


class Outputs(TypedDict):
    messages: list[dict[str, Any]]
    artifacts: list[str]


class Collected(TypedDict):
    child_id: str
    state: str
    runtime_status: str
    done: bool
    workdir: str
    outputs: Outputs
    first_sequence: int
    total_messages: int
    messages: dict[str, Any]
    usage: dict[str, float]
    exit: NotRequired[dict[str, Any]]


@operation(
    Effect.READ,
    capability="child-ops-fine",
    callers=ANYONE,
    settles=True,
    waits="timeout_ms",
    examples=("deedlog child collect session-12 --timeout-ms 60000",),
)
def child_collect(
    ctx: Context,
    *,
    child_id: ChildId,
    timeout_ms: Annotated[int, Field("Wait so long for its end", minimum=0, maximum=600_000)] = 0,
) -> Collected:
    """What came of a child: how it ended, what it changed, and the last it printed; child_stream has all."""
    session = find_child(ctx, child_id)
    if timeout_ms and not is_over(session):
        seconds = timeout_ms / 1_000
        session = wait_for(ctx, [session.id], seconds, lambda found: is_over(found[0]), lambda _: None)[0]
    total = recorded_lines(ctx.ledger, session)
    last = last_printed(ctx, session, total, MOST_MESSAGES, ROOM)
    answer: Collected = {
        "child_id": session.ref,
        "state": state(ctx, session),
        "runtime_status": runtime_of(session),
        "done": is_over(session),
        "workdir": path_of(ctx, session),
        "outputs": {"messages": last, "artifacts": page.fitting(artifacts(session), room=ROOM_FOR_FILES)},
        "first_sequence": last[0]["sequence"] if last else 0,
        "total_messages": total,
        "messages": messages_row(ctx, session),
        "usage": session.usage,
    }
    if ended := ended_row(session):
        answer["exit"] = ended
    return answer
