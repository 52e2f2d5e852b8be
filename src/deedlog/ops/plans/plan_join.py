from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.joining import ALL, ERROR, RUNNING, SUCCESS, counted, decided, needed
from deedlog.core.page import condensed
from deedlog.core.value import Value
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.plan_children import MOST_CHILDREN, Child, ChildIds, awaited, chosen

Json = dict[str, Any]
LATE = "timeout"  # the status of a child that still ran when the time was over
MOST_SUMMARY = 500


class Joined(TypedDict):
    policy: str
    satisfied: bool
    timeout_ms: int
    success_count: int
    failure_count: int
    running_count: int
    quorum_threshold: int | None
    winning_child_id: str | None
    consensus: NotRequired[Json]
    results: list[Json]


class _Wanted(Value):
    children: list[str]
    run_id: str | None
    policy: str
    enough: int
    seconds: float
    consensus: Json | None


@operation(
    Effect.READ,
    capability="plans",
    callers=ANYONE,
    waits=True,
    settles=True,
    further=True,
    columns=("name", "child_id", "status", "summary"),
    examples=("deedlog plan join --run-id run-1j9x2k3m4n5p6q7r --join-policy quorum --quorum-count 2",),
)
def plan_join(
    ctx: Context,
    *,
    children: ChildIds = None,
    run_id: Annotated[str | None, Field("Or all of a run", max_length=80)] = None,
    join_policy: Annotated[Literal["all", "first_success", "quorum"], Field("What is enough")] = "all",
    quorum_count: Annotated[int | None, Field("More than half by default", minimum=1, maximum=MOST_CHILDREN)] = None,
    timeout_sec: Annotated[float, Field("Wait at most so long", minimum=0, maximum=600)] = 10,
    consensus: Annotated[
        Json | None, Field("mode, quorum, weights, tie_breaker, prefer_value: success must win")
    ] = None,
) -> Joined:
    """Wait until enough children succeeded: all, the first, or a quorum.

    Says who succeeded, failed or still runs. Children are sessions (session-12) or tasks (task-5), or those of a run.
    """
    enough = needed(join_policy, len(chosen(ctx, children or [], run_id)), quorum_count)
    counted([], {"quorum": 1, **(consensus or {})})  # what is wrong with it is refused before anybody waits
    wanted = _Wanted(
        children=children or [],
        run_id=run_id,
        policy=join_policy,
        enough=enough,
        seconds=timeout_sec,
        consensus=consensus,
    )
    return _answer(ctx, wanted, _awaited(ctx, wanted))


def _awaited(ctx: Context, wanted: _Wanted) -> list[Child]:
    """The children once it is decided, the time is over, or the caller gave up."""
    waits_for_all = wanted.policy == ALL or bool(wanted.consensus)

    def enough(states: list[str]) -> bool:
        return decided(states, wanted.enough, all_of_them=waits_for_all)

    return awaited(ctx, wanted.children, wanted.run_id, wanted.seconds, enough)


def _answer(ctx: Context, wanted: _Wanted, found: list[Child]) -> Joined:
    states = [child.state for child in found]
    ended = sorted((child for child in found if child.state != RUNNING), key=lambda child: child.at or 0)
    late = [child for child in found if child.state == RUNNING]
    satisfied = states.count(SUCCESS) >= wanted.enough
    answer: Joined = {
        "policy": wanted.policy,
        "satisfied": satisfied,
        "timeout_ms": round(wanted.seconds * 1_000),
        "success_count": states.count(SUCCESS),
        "failure_count": states.count(ERROR),
        "running_count": len(late),
        "quorum_threshold": wanted.enough if wanted.policy != ALL else None,
        "winning_child_id": next((child.called for child in ended if child.state == SUCCESS), None),
        "results": [],
    }
    if wanted.consensus is not None:
        result = counted([(child.called, child.state) for child in ended], wanted.consensus)
        answer |= {"consensus": result, "satisfied": result["outcome"] == SUCCESS}
    over = answer["satisfied"] or not late
    rows = [child.row(ctx, MOST_SUMMARY) for child in (*ended, *late)]
    answer["results"] = [row if row["status"] != RUNNING or over else {**row, "status": LATE} for row in rows]
    return condensed(answer)
