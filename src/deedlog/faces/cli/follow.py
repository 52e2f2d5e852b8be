"""`--follow`: repeat a read from where it stopped, showing each row as it comes."""

from __future__ import annotations

import json

from deedlog.faces.cli.output import flush, write
from deedlog.faces.cli.show import Table, style_of_output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from deedlog.app import App, Caller
    from deedlog.faces.cli.command import Invocation
    from deedlog.operation.define import Operation


def follow(app: App, op: Operation, invocation: Invocation, caller: Caller) -> NoReturn:
    """Ends by Ctrl-C, or when nobody reads any more."""
    rows = next(name for name, part in op.output_schema["properties"].items() if part.get("type") == "array")
    waits = op.input_schema["properties"]["wait_ms"]["maximum"]
    table = Table(style_of_output())
    arguments = invocation.arguments
    while True:
        answer = app.call(op.name, arguments, caller)
        if invocation.as_json:
            lines = [json.dumps(row, ensure_ascii=False) for row in answer[rows]]
        else:
            lines = list(table.lines(answer[rows])) if answer[rows] else []
        for line in lines:
            write(line)
        flush()
        arguments = {**arguments, "from_seq": answer["next_seq"], "wait_ms": waits}
