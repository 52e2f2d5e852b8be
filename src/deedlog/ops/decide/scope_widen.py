from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.area import Pattern, composed
from deedlog.core.caller import PEOPLE
from deedlog.core.errors import Conflict
from deedlog.core.remark import APPROVED, Review
from deedlog.core.task import Session, Task
from deedlog.core.violation import meant, wider
from deedlog.core.widening import limit_of, patterns_of, widened
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context, Seen
from deedlog.work.lookup import every, repeated
from deedlog.work.widening import Judged, answered, judged, outside_of

MOST_WARNING = 1_000
MOST_TOLD = 10_000  # characters of a list in the answer
LEFT = "name what else it may touch; what an area or a scope takes out, task_update changes"


class Left(TypedDict):
    session_id: str
    paths: list[str]


class Widened(TypedDict):
    task_id: str
    added: list[str]
    areas: NotRequired[list[str]]
    write: NotRequired[list[str]]
    reviews_closed: int
    outside: NotRequired[list[Left]]
    warnings: NotRequired[list[str]]
    hint: NotRequired[str]


@operation(
    Effect.WRITE,
    capability="tracking",
    callers=PEOPLE,
    people=True,
    examples=(
        "deedlog scope widen task-5 --paths 'docs/**' --reason 'The docs belong to it'",
        "deedlog scope widen task-5",
    ),
)
def scope_widen(
    ctx: Context,
    *,
    task_id: Annotated[str, Field("Task ID", min_length=1, max_length=80)],
    paths: Annotated[
        list[Annotated[str, Field("A path or a pattern", min_length=1, max_length=4_000)]] | None,
        Field("What it may touch too; all that is outside now, if left out", max_items=500),
    ] = None,
    reason: Annotated[str, Field("Why", max_length=5_000)] = "",
) -> Widened:
    """Let a task touch more files.

    Its ended sessions are judged anew, and reviews that this settles are closed.
    """
    return repeated(lambda: _widen(ctx, task_id, paths, reason))


def _widen(ctx: Context, task_id: str, paths: list[str] | None, reason: str) -> Widened:
    seen = ctx.ledger.head()
    task = ctx.ledger.get(Task, task_id)
    sessions = list(every(ctx.ledger, Session, {"task_id": task.id}))
    outside = outside_of([one for one in sessions if not one.sent_back])
    more = patterns_of(paths or _some(task, outside), outside)
    after = widened(task, sessions, more)
    found = [judged(ctx, after, session, more) for session in sessions]
    note = reason or page.condensed(f"the scope was widened: {', '.join(more)}", MOST_TOLD)
    reviews = answered(ctx, after, found, note[:5_000])
    changed = [one.session for one, before in zip(found, sessions, strict=True) if one.session != before]
    values = [*changed, *reviews, *([] if after == task else [after.replace(updated_at=ctx.now)])]
    answer = _answer(after, more, found, reviews)
    if (limit := limit_of(task, sessions)) is not None:
        answer["write"] = page.fitting(wider({"write": limit}, more)["write"], room=MOST_TOLD)
    if outside and (unused := _unused(more, outside)):
        answer["warnings"] = [f"nothing that was done outside of its scope matches {', '.join(unused)}"[:MOST_WARNING]]
    return ctx.commit(*values, answer=answer, seen=Seen(subject=task.uri, seq=seen))


def _some(task: Task, outside: list[str]) -> list[str]:
    if not outside:
        raise Conflict(
            f"nothing that was done on {task.ref} is outside of its scope",
            hint="name the paths that it may touch too",
            data={"task_id": task.ref},
        )
    return outside


def _unused(more: list[str], outside: list[str]) -> list[str]:
    """Patterns that let nothing in of what is outside: they may be mistyped."""
    paths = [composed(meant(path)) for path in outside]
    return [text for text in more if not any(Pattern.of(text).matches(path) for path in paths)]


def _answer(task: Task, more: list[str], found: list[Judged], reviews: list[Review]) -> Widened:
    answer: Widened = {
        "task_id": task.ref,
        "added": page.fitting(more, room=MOST_TOLD),
        "reviews_closed": sum(one.verdict == APPROVED for one in reviews),
    }
    if task.areas:
        answer["areas"] = page.fitting(task.areas, room=MOST_TOLD)
    left: list[Left] = [{"session_id": one.session.ref, "paths": one.outside} for one in found if one.outside]
    if left:
        answer["outside"] = page.shortened(left, MOST_TOLD)
        answer["hint"] = LEFT
    return answer
