"""All workflows, with how far each is."""

from __future__ import annotations

from deedlog.faces.web.page.view import Asked, Shown

ADDRESS = "/workflows"
STATUSES = ("in_progress", "completed", "partial", "failed")
PAGE = 50


def show(asked: Asked) -> Shown:
    status = asked.choice("status", ("", *STATUSES), "")
    found = asked.read(
        "workflow_list", status=status or None, counts=True, limit=PAGE, cursor=asked.query.get("cursor")
    )
    about = {"found": found, "status": status, "statuses": STATUSES, "later": "cursor" in asked.query}
    return Shown("workflows.html", "Workflows", about, follows=("workflow", "task"))
