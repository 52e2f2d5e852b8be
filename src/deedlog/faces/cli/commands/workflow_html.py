"""`deedlog workflow html`."""

from __future__ import annotations

import os

from deedlog import bootstrap
from deedlog.core.caller import ANYONE
from deedlog.core.errors import Conflict, Invalid, NotFound
from deedlog.faces.cli.acting import caller
from deedlog.faces.cli.command import Command, Invocation
from deedlog.faces.cli.files import write_whole
from deedlog.faces.cli.output import show_answer, write
from deedlog.faces.cli.refusal import OK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

STANDARD_OUTPUT = "-"


def run(invocation: Invocation) -> int:
    from deedlog.faces.web.page import report  # with what writes HTML

    workflow_id = invocation.arguments["workflow_id"]
    file = invocation.arguments.get("file") or report.file_name(workflow_id, "html")
    path = os.path.normpath(os.path.join(invocation.folder, file))
    if file != STANDARD_OUTPUT:
        _check(path, file, force=invocation.arguments.get("force", False))
    settings = invocation.settings()
    app = bootstrap.build(settings)
    acting = caller(settings)

    def read(operation: str, **inputs: Any) -> dict[str, Any]:
        answer: dict[str, Any] = app.call(operation, inputs, acting)
        return answer

    try:
        text = report.html_of(read, workflow_id)
    finally:
        app.close()
    if file == STANDARD_OUTPUT:
        write(text)
        return OK
    write_whole(path, [text])
    show_answer({"file": path}, as_json=invocation.as_json)
    return OK


def _check(path: str, file: str, *, force: bool) -> None:
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        raise NotFound(f"there is no folder {folder}", hint="make it first, or name another file")
    if os.path.exists(path) and not os.path.isfile(path):
        raise Invalid(f"{file} is not a file", hint="name a file, or - for standard output")
    if os.path.exists(path) and not force:
        raise Conflict(f"{file} exists already", hint="add --force to replace it, or name another file")


COMMAND = Command(
    words="workflow html",
    callers=ANYONE,
    help="Write the report of a workflow as one HTML file that needs nothing else.\n\n"
    "`deedlog workflow report` prints the same as Markdown.",
    run=run,
    input_schema={
        "type": "object",
        "properties": {
            "workflow_id": {"type": "string", "description": "Workflow ID", "minLength": 1, "maxLength": 80},
            "file": {
                "type": "string",
                "description": "Where to; - is standard output; left out, a file in this folder named after it",
            },
            "force": {"type": "boolean", "description": "Replace the file if it exists"},
        },
        "required": ["workflow_id"],
    },
    examples=["deedlog workflow html wf-1j9x2k3m4n5p6q7r", "deedlog workflow html wf-1j9x2k3m4n5p6q7r --file out.html"],
)
