"""`deedlog import`."""

from __future__ import annotations

import os

from deedlog import bootstrap
from deedlog.core.caller import PEOPLE, Kind
from deedlog.core.errors import Invalid
from deedlog.faces.cli.acting import caller
from deedlog.faces.cli.command import Command, Invocation
from deedlog.faces.cli.output import show_answer
from deedlog.faces.cli.progress import Counter
from deedlog.faces.cli.refusal import tell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO


def run(invocation: Invocation) -> int:
    if tool := invocation.arguments.get("from"):
        return _from(tool, invocation)
    if invocation.arguments.get("dry_run"):
        raise Invalid("--dry-run is for imports from other tools", hint="name the tool with --from")
    name = invocation.arguments.get("file")
    if not name:
        raise Invalid("which file?", hint="`deedlog import FILE`, or --from with the tool whose files shall be read")
    with _opened(name) as file:
        settings = invocation.settings()
        upkeep = bootstrap.open_upkeep(settings)
        try:
            lines = Counter("read").passing(_lines(file, name))
            anyway: bool = invocation.arguments.get("anyway", False)
            answer = upkeep.merge(lines, anyway=anyway, actor=caller(settings).actor)
        finally:
            upkeep.close()
    show_answer(answer, as_json=invocation.as_json)
    if answer["conflicts"] and not invocation.as_json:
        tell("warning: some ops did not fit what this store has; they are kept in the log, as told above")
    return 0


def _from(tool: str, invocation: Invocation) -> int:
    """Bring in what another tool has: read all of it first, so that a broken file changes nothing."""
    if invocation.arguments.get("anyway"):
        raise Invalid("--anyway is for files that `deedlog export` wrote", hint="leave it out, or --from")
    settings = invocation.settings(enable=[*invocation.shared.get("enable", []), "supervision"])
    name = invocation.arguments.get("file", "")
    root = settings.the_project().root
    path = os.path.join(invocation.folder, name) if name not in ("", "-") else name
    found = bootstrap.read_from(tool, root, path)
    app = bootstrap.build(settings)
    dry_run: bool = invocation.arguments.get("dry_run", False)
    acting = caller(settings, cause=f"deedlog import --from {tool}").replace(kind=Kind.INTERNAL)
    try:
        arguments = {"tool": tool, "tasks": found.tasks, "memories": found.memories}
        answer = app.call("task_import_plan" if dry_run else "task_import", arguments, acting)
    finally:
        app.close()
    warnings = [*found.warnings, *answer.pop("warnings", [])]
    show_answer(
        {"from": found.source, **answer, **({"warnings": warnings} if warnings else {})}, as_json=invocation.as_json
    )
    if dry_run and not invocation.as_json:
        tell("nothing was imported: this is what would come")
    return 0


def _opened(name: str) -> BinaryIO:
    try:
        return open(0, "rb", closefd=False) if name == "-" else open(name, "rb")
    except OSError as error:
        raise Invalid(
            f"{name} cannot be read: {error.strerror}", hint="name a file that `deedlog export` wrote"
        ) from error


def _lines(file: Iterable[bytes], name: str) -> Iterator[str]:
    for number, line in enumerate(file, 1):
        try:
            yield line.decode().rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise Invalid(f"{name}: line {number} is not UTF-8 text", hint="nothing was imported") from error


COMMAND = Command(
    words="import",
    callers=PEOPLE,
    help="Add the ops of an exported file that this store does not have, or what another tool has.\n\n"
    "What the store already has is never dropped or overwritten; importing a file twice changes nothing. Where a task "
    "of the file has the number of another one here, one of the two gets a new number; the answer names them.\n\n"
    "With --from the tasks, dependencies and decisions of another tool come in, from the file or folder named here or "
    "from where the tool keeps them in this project. Doing so again brings what changed there; what was changed here "
    "stays. One `deedlog undo` takes a whole import back.",
    run=run,
    input_schema={
        "type": "object",
        "byPlace": ["file"],
        "properties": {
            "file": {"type": "string", "description": "The file; - is standard input. With --from it may be left out"},
            "from": {
                "type": "string",
                "enum": ["beads", "backlog", "task-master", "preflights"],
                "description": "The tool whose files shall be read",
            },
            "dry_run": {"type": "boolean", "description": "With --from: only tell what would come"},
            "anyway": {"type": "boolean", "description": "Also what is no longer as it was exported"},
        },
    },
    examples=[
        "deedlog import ledger.jsonl",
        "gunzip --stdout ledger.jsonl.gz | deedlog import -",
        "deedlog import --from beads --dry-run",
        "bd export | deedlog import --from beads -",
        "deedlog import --from backlog ../shop/backlog",
    ],
)
