"""`deedlog export`."""

from __future__ import annotations

import json
import os
import time
from itertools import chain

from deedlog import bootstrap, project
from deedlog.core.caller import PEOPLE
from deedlog.core.errors import Conflict, Invalid, NotFound
from deedlog.faces.cli.command import Command, Invocation
from deedlog.faces.cli.files import write_whole
from deedlog.faces.cli.output import show_answer, write
from deedlog.faces.cli.progress import Counter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.settings import Settings


def run(invocation: Invocation) -> int:
    settings = invocation.settings()
    file = invocation.arguments.get("file")
    if file and file != "-":
        _check_target(file, force=invocation.arguments.get("force", False))
    upkeep = bootstrap.open_upkeep(settings)
    try:
        exported = upkeep.export()
        header = next(exported)
        lines = Counter("exported").passing(chain([header], exported))
        if file == "-":
            for line in lines:
                write(line)
            return 0
        path = os.path.abspath(file) if file else _usual_path(settings)
        write_whole(path, (line + "\n" for line in lines), secret=True)
    finally:
        upkeep.close()
    show_answer({"file": path, "ops": json.loads(header)["ops"]}, as_json=invocation.as_json)
    return 0


def _check_target(file: str, *, force: bool) -> None:
    folder = os.path.dirname(os.path.abspath(file))
    if not os.path.isdir(folder):
        raise NotFound(f"there is no folder {folder}", hint="make it first, or name another file")
    if os.path.exists(file) and not os.path.isfile(file):
        raise Invalid(f"{file} is not a file", hint="name a file, or - for standard output")
    if os.path.exists(file) and not force:
        raise Conflict(f"{file} exists already", hint="add --force to replace it, or name another file")


def _usual_path(settings: Settings) -> str:
    name = time.strftime("%Y-%m-%dT%H-%M-%SZ.jsonl", time.gmtime())
    return os.path.join(project.make_state(settings.the_project()), "exports", name)


COMMAND = Command(
    words="export",
    callers=PEOPLE,
    help="Write the whole log to a file, an op a line (JSON Lines), with the patches it names.\n\n"
    "`deedlog import` brings it into another store, or back.",
    run=run,
    input_schema={
        "type": "object",
        "properties": {
            "file": {
                "type": "string",
                "description": "Where to; - is standard output; left out, a new file in .deedlog/exports/",
            },
            "force": {"type": "boolean", "description": "Replace the file if it exists"},
        },
    },
    examples=["deedlog export", "deedlog export ledger.jsonl", "deedlog export - | gzip > ledger.jsonl.gz"],
)
