"""The report of a workflow as one HTML file: nothing is loaded from anywhere, and nothing in it runs."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from markupsafe import Markup

from deedlog.core import report_markdown
from deedlog.faces.web.page import look
from deedlog.faces.web.page.drawing import timeline

Json = dict[str, Any]
Read = Callable[..., Json]
STYLES = ("report.css", "chart.css")
DRAWN = 500  # tasks on the timeline
MOST_NAME = 60


def html_of(read: Read, workflow_id: str) -> str:
    """The file; `read` answers an operation by its name and inputs."""
    pages = list(pages_of(read, workflow_id, form="data"))
    style = "\n".join(_file(name) for name in STYLES)
    drawing = timeline.drawn(read("workflow_timeline", workflow_id=workflow_id, limit=DRAWN))
    digest = b64encode(sha256(style.encode()).digest()).decode()
    about = {
        "workflow": pages[0]["workflow"],
        "tasks": [task for page in pages for task in page["tasks"]],
        "drawing": drawing,
        "style": Markup(style),  # noqa: S704  # files of ours
        "policy": f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'",
        "used": report_markdown.used,
        "lines": lines,
        "local": True,
    }
    return look.render("report.html", about)


def markdown_of(read: Read, workflow_id: str) -> str:
    return "".join(page["markdown"] for page in pages_of(read, workflow_id, form="markdown"))


def pages_of(read: Read, workflow_id: str, form: str) -> list[Json]:
    pages = [read("workflow_report", workflow_id=workflow_id, form=form)]
    while cursor := pages[-1].get("next_cursor"):
        pages.append(read("workflow_report", workflow_id=workflow_id, form=form, cursor=cursor))
    return pages


def file_name(workflow_id: str, ending: str) -> str:
    """A name that any system takes."""
    kept = "".join(letter for letter in workflow_id if letter.isascii() and (letter.isalnum() or letter in "-_"))
    return f"deedlog-{kept[:MOST_NAME] or 'workflow'}.{ending}"


def lines(patch: str) -> list[tuple[str, str]]:
    """The lines of a patch, each with what it is."""
    return [(_kind(line), line) for line in patch.split("\n")]


def _kind(line: str) -> str:
    if line.startswith(("@@", "diff --git")):
        return "hunk"
    if line.startswith("+"):
        return "added"
    return "deleted" if line.startswith("-") else ""


def _file(name: str) -> str:
    with open(os.path.join(look.STATIC, name), encoding="utf-8") as file:
        return file.read()
