"""`deedlog import`."""

from __future__ import annotations

from deedlog import bootstrap
from deedlog.core.errors import Invalid
from deedlog.faces.cli.command import Command, Invocation, user
from deedlog.faces.cli.output import show_answer
from deedlog.faces.cli.progress import Counter
from deedlog.faces.cli.refusal import tell

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO


def run(invocation: Invocation) -> int:
    name = invocation.arguments["file"]
    with _opened(name) as file:
        settings = invocation.settings()
        upkeep = bootstrap.open_upkeep(settings)
        try:
            lines = Counter("read").passing(_lines(file, name))
            anyway: bool = invocation.arguments.get("anyway", False)
            answer = upkeep.merge(lines, anyway=anyway, actor=settings["actor"] or user())
        finally:
            upkeep.close()
    show_answer(answer, as_json=invocation.as_json)
    if answer["conflicts"] and not invocation.as_json:
        tell("warning: some ops did not fit what this store has; they are kept in the log, as told above")
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
    help="Add the ops of an exported file that this store does not have.\n\n"
    "What the store already has is never dropped or overwritten; importing a file twice changes nothing. Where a task "
    "of the file has the number of another one here, one of the two gets a new number; the answer names them.",
    run=run,
    input_schema={
        "type": "object",
        "properties": {
            "file": {"type": "string", "description": "The file; - is standard input"},
            "anyway": {"type": "boolean", "description": "Also what is no longer as it was exported"},
        },
        "required": ["file"],
    },
    examples=["deedlog import ledger.jsonl", "gunzip --stdout ledger.jsonl.gz | deedlog import -"],
)
