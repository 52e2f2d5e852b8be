"""The timeline as a table: when who worked on what, for those who do not see drawings, and to be copied."""

from __future__ import annotations

from deedlog.faces.web.page.view import Asked, Shown

ADDRESS = "/part/workflow/{workflow_id}/table"
ROWS = 500


def show(asked: Asked) -> Shown:
    found = asked.read("workflow_timeline", workflow_id=str(asked.named["workflow_id"]), limit=ROWS)
    return Shown("workflow_table.html", found["name"], {"timeline": found}, part=True)
