"""An answer that other programs read: its bytes, nothing around them, page after page."""

from __future__ import annotations

from binascii import a2b_base64

from deedlog.core.page import following
from deedlog.faces.cli.output import flush, nobody_reads, write, write_bytes
from deedlog.faces.cli.refusal import tell
from deedlog.faces.cli.terminal import clean, columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.app import App, Caller
    from deedlog.operation.define import Operation


def print_raw(app: App, op: Operation, arguments: dict[str, Any], caller: Caller) -> None:
    """Write the answer to standard output; what it warns of goes to standard error, after it.

    A call that waits for more, as long as somebody reads, shows each page as it comes.
    """
    warnings: list[str] = []
    waits = op.may_wait(arguments)
    if waits:
        from deedlog.faces.cli.follow import Reader

        caller = caller.replace(peer=Reader())
    if "limit" in op.input_schema["properties"]:  # nobody here minds a long page, and each one has its price
        arguments = {"limit": op.input_schema["properties"]["limit"]["maximum"], **arguments}
    while True:
        page = app.call(op.name, arguments, caller)
        warnings += page.get("warnings", [])
        if page[op.raw]:
            _print(_whole_line(op, page[op.raw]), encoded=page.get("encoding") == "base64")
        if not (cursor := following(page)):
            break
        if waits:
            flush()
            if nobody_reads():
                raise BrokenPipeError
        arguments = {**arguments, "cursor": cursor}
    if warnings:
        flush()
    for warning in warnings:
        tell("warning: " + clean(warning))


def _whole_line(op: Operation, text: str) -> str:
    """What people read ends with its line."""
    return text if not op.mime_type.startswith("text/") or text.endswith("\n") else f"{text}\n"


def _print(text: str, *, encoded: bool) -> None:
    data = a2b_base64(text) if encoded else text.encode()
    if columns() is None:
        write_bytes(data)
    else:  # what a file holds must not steer the terminal
        write(clean(data.decode(errors="backslashreplace").expandtabs()).removesuffix("\n"))
