"""Taking back children of a batch of which one could not be started, and telling which."""

from __future__ import annotations

from deedlog.core.child import is_over
from deedlog.core.ending import LAUNCH, STOPPED
from deedlog.core.errors import Conflict
from deedlog.core.task import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from deedlog.core.errors import DeedlogError
    from deedlog.ports import Context
    from deedlog.work.spawning import Ask

    Failure = tuple[int, DeedlogError, str, Ask | None]  # which, why, in which stage


WITH_ANOTHER = "another child could not be started"


def partial(failures: Sequence[Failure]) -> Conflict:
    """The refusal of a batch: what is wrong with which of its entries."""
    rows = [_row(*failure) for failure in failures]
    return Conflict(
        f"{len(rows)} of the entries cannot be started: none of them was",
        hint="failures says which and why; correct them and call again",
        data={"code": "E-BULK-PARTIAL", "failures": rows, "rolled_back": True},
    )


def _row(index: int, error: DeedlogError, stage: str, ask: Ask | None) -> dict[str, object]:
    code = str(error.data.get("code") or f"E-CHILD-{error.kind.upper().replace('_', '-')}")
    row: dict[str, object] = {"index": index, "code": code, "message": error.message, "stage": stage}
    if error.hint:
        row["hint"] = error.hint
    if ask:
        row["entry"] = {"role": ask.role or None, "task_id": ask.task_id, "command": ask.command or None}
    return row


def roll_back(ctx: Context, sessions: Sequence[Session]) -> None:
    """Stop them and discard their work trees; worker_restore could still bring one back."""
    for session in sessions:
        if not is_over(ctx.ledger.get(Session, session.id)):
            ctx.aside("worker_stop", {"sessionId": session.number, "reason": WITH_ANOTHER})
    for session in sessions:
        if not ctx.ledger.get(Session, session.id).merge:
            ctx.aside("worker_done", {"sessionId": session.number, "how": "discard", "force": True})


def is_taken_back(session: Session) -> bool:
    """Whether it could not be started, or was stopped because another one could not be."""
    error = session.error
    return error.get("reason") == LAUNCH or (error.get("reason") == STOPPED and error.get("message") == WITH_ANOTHER)
