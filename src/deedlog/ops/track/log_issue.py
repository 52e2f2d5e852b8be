from __future__ import annotations

from typing import Annotated, Literal, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.moment import iso
from deedlog.core.remark import Issue, Review
from deedlog.core.task import Task
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.lookup import about_remark, review

MOST = 3


class Logged(TypedDict):
    issue_id: str
    created_at: str
    warnings: NotRequired[list[str]]


@operation(
    Effect.WRITE,
    capability="tracking",
    callers=ANYONE,
    words="issue log",
    everyday=4,
    examples=("deedlog issue log task-5 bug_encountered 'v5 drops cookies' 'Pinned 4.2' --requires-human-review",),
)
def log_issue(
    ctx: Context,
    *,
    task_id: Annotated[str, Field("Task ID", min_length=1, max_length=80)],
    type: Annotated[  # noqa: A002  # the document's name
        Literal["documentation_gap", "bug_encountered", "dependency_conflict", "unclear_requirement", "other"],
        Field("What kind of problem it was"),
    ],
    description: Annotated[str, Field("Description of the issue", min_length=1, max_length=10_000)],
    resolution: Annotated[str, Field("How the issue was resolved/worked around", min_length=1, max_length=10_000)],
    requires_human_review: Annotated[bool, Field("Does a human need to review this resolution?")] = False,
) -> Logged:
    """Log an issue encountered during execution.

    At most 3 for each task. With requires_human_review it waits in the review queue until a person answers.
    """
    task = ctx.ledger.get(Task, task_id)
    issue = Issue(
        id=ctx.new_id("iss"),
        task_id=task.id,
        workflow_id=task.workflow_id,
        actor=ctx.actor,
        created_at=ctx.now,
        type=type,
        description=description,
        resolution=resolution,
        requires_human_review=requires_human_review,
    )
    reviews: list[Review] = []
    if requires_human_review:
        reviews.append(review(ctx, task, about=issue.uri, reason="issue", question=description))
    answer: Logged = {"issue_id": issue.id, "created_at": iso(ctx.now)}
    if warnings := about_remark(ctx, task, Issue, MOST):
        answer["warnings"] = warnings
    return ctx.commit(issue, *reviews, answer=answer)
