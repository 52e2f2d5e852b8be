"""What needs a person: why it does, and what they can do about it, the decisive thing first."""

from __future__ import annotations

from deedlog.core.remark import QUESTION
from deedlog.core.task import CANCELLED, DONE, OPEN

REVIEW, SCOPE, CHECKS, CONFLICT, WORKER_FAILED, BUDGET = (
    "review",
    "scope",
    "checks",
    "conflict",
    "worker_failed",
    "budget",
)
UNKNOWN, CLARIFICATION, LEASE, MERGE, TRUST = "changes_unknown", "clarification", "lease", "merge", "trust"
PERMISSION, MEMORY = "permission", "memory"
KINDS = (
    *(REVIEW, QUESTION, PERMISSION, MEMORY, SCOPE, CHECKS, CONFLICT, WORKER_FAILED),
    *(BUDGET, UNKNOWN, CLARIFICATION, LEASE, MERGE, TRUST),
)
# reasons that are kinds of their own
ASKED_BY_NAME = (QUESTION, PERMISSION, MEMORY, SCOPE, CHECKS, CONFLICT, WORKER_FAILED, BUDGET, UNKNOWN)
ASKED = ("manual_review", "issue", "comments", "in_the_way")  # those that just ask

APPROVE, SEND_BACK, WIDEN, ANSWER, RELEASE, RETRY, BRING_IN, NOTE = (
    "approve",
    "send_back",
    "widen_scope",
    "answer",
    "release",
    "retry",
    "merge",
    "note",
)
GONE = ""  # the status of a task that is not there any more
FORCED = (WORKER_FAILED, BUDGET, UNKNOWN)  # whose work is merged only by who says that it is meant
TRUST_IT = "trust"  # what the repository brings
CHOOSE = "choose"  # one of several attempts, before it is merged
ACTIONS = {
    REVIEW: (APPROVE, SEND_BACK, ANSWER, NOTE),
    QUESTION: (ANSWER,),
    PERMISSION: (APPROVE, NOTE),
    MEMORY: (APPROVE, NOTE),
    SCOPE: (WIDEN, APPROVE, SEND_BACK, ANSWER),
    CHECKS: (SEND_BACK, BRING_IN, ANSWER, NOTE),
    CONFLICT: (SEND_BACK, BRING_IN, ANSWER, NOTE),
    WORKER_FAILED: (RETRY, SEND_BACK, BRING_IN, ANSWER, NOTE),
    BUDGET: (RETRY, SEND_BACK, BRING_IN, ANSWER, NOTE),
    UNKNOWN: (APPROVE, SEND_BACK, BRING_IN, ANSWER),
    CLARIFICATION: (ANSWER,),
    LEASE: (RELEASE,),
    MERGE: (BRING_IN, SEND_BACK),
    TRUST: (TRUST_IT,),
}


def kind_of(reason: str) -> str:
    """What kind of thing a review with this reason is."""
    return reason if reason in ASKED_BY_NAME else REVIEW


def reasons_of(kind: str) -> tuple[str, ...]:
    """The reasons of the reviews that are of this kind."""
    return ASKED if kind == REVIEW else (kind,) if kind in ASKED_BY_NAME else ()


def actions(kind: str, *, has_tree: bool, is_over: bool = True, status: str = OPEN) -> list[str]:
    """What can be done about it; only work in a tree of its own can be merged, only what has ended tried again.

    Nobody works on a task of some `status` any more: what was asked about it is approved, or noted.
    """
    left_out = {*([] if has_tree else [BRING_IN]), *([] if is_over and status != DONE else [RETRY])}
    if status in (CANCELLED, GONE):
        left_out |= {RETRY, SEND_BACK, BRING_IN, WIDEN}
    return [action for action in ACTIONS[kind] if action not in left_out]
