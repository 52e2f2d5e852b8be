"""The report of a workflow, as Markdown to be kept."""

from __future__ import annotations

from deedlog.faces.web.page import report
from deedlog.faces.web.page.view import Asked, Text

ADDRESS = "/workflow/{workflow_id}/report.md"


def show(asked: Asked) -> Text:
    workflow_id = str(asked.named["workflow_id"])
    return Text(report.markdown_of(asked.read, workflow_id), "text/markdown", report.file_name(workflow_id, "md"))
