"""What a caller means who names a task where a session is asked for."""

from __future__ import annotations

import re

from deedlog.core.errors import Conflict
from deedlog.core.task import Task
from deedlog.work.lookup import last_session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from deedlog.ports import Ledger

A_TASK = re.compile(r"\s*task-([0-9]{1,16})\s*")
NAMES = ("sessionId", "session_id")


def newest_of_task(ledger: Ledger, arguments: Mapping[str, object]) -> Mapping[str, object]:
    """The arguments with the newest session of a task where they name the task."""
    for name in NAMES:
        value = arguments.get(name)
        if found := A_TASK.fullmatch(value) if isinstance(value, str) else None:
            task = ledger.get(Task, found[1])
            session = last_session(ledger, task)
            if session is None:
                raise Conflict(
                    f"nobody has worked on {task.ref} yet: it has no session",
                    hint="worker_run starts a worker on it, session_start a session of your own",
                    data={"task_id": task.number},
                )
            return {**arguments, name: session.number}
    return arguments
