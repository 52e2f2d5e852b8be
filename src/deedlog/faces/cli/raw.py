"""An answer that other programs read: its bytes, nothing around them, page after page."""

from __future__ import annotations

from binascii import a2b_base64

from deedlog.faces.cli.output import write, write_bytes
from deedlog.faces.cli.terminal import clean, columns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.app import App, Caller
    from deedlog.operation.define import Operation


def print_raw(app: App, op: Operation, arguments: dict[str, Any], caller: Caller) -> None:
    while True:
        page = app.call(op.name, arguments, caller)
        _print(page[op.raw], encoded=page.get("encoding") == "base64")
        if "next_cursor" not in page:
            return
        arguments = {**arguments, "cursor": page["next_cursor"]}


def _print(text: str, *, encoded: bool) -> None:
    data = a2b_base64(text) if encoded else text.encode()
    if columns() is None:
        write_bytes(data)
    else:  # what a file holds must not steer the terminal
        write(clean(data.decode(errors="backslashreplace").expandtabs()).removesuffix("\n"))
