"""What changed in a task's tree that is not its own, page after page: whose it is, but no diff, which is theirs."""

from __future__ import annotations

from deedlog.faces.web.page.diffing.files import files_of
from deedlog.faces.web.page.view import Asked, Shown
from deedlog.faces.web.page.views.task_changes import FILES, OTHERS

ADDRESS = "/part/task/{task}/others"
WAITS = True


def show(asked: Asked) -> Shown:
    session = asked.query.get("session") or None
    by = asked.choice("by", OTHERS, OTHERS[0])
    told = asked.read(
        "task_changes",
        task_id=str(asked.named["task"]),
        session_id=session,
        by=[by],
        limit=FILES,
        cursor=asked.query.get("from"),
    )
    about = {
        "task": asked.named["task"],
        "session": session or "",
        "by": by,
        "files": files_of(told["changes"]),
        "next": told.get("next_cursor", ""),
    }
    return Shown("task_others.html", "Other changes", about, part=True)
