"""Reads that go on: all their pages, and `--follow`."""

from __future__ import annotations

import json

from deedlog.faces.cli.output import flush, nobody_reads, write
from deedlog.faces.cli.pages import rows_of
from deedlog.faces.cli.show import style_of_output
from deedlog.faces.cli.table import Table
from deedlog.ports import Silent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.app import App, Caller
    from deedlog.faces.cli.command import Invocation
    from deedlog.operation.define import Operation

    Json = dict[str, Any]

SHOWN_FIRST = 10


class Reader(Silent):
    """Whoever reads our output: a call for them need not go on when nobody does, or once they pressed Ctrl-C.

    That is remembered, because Python drops an interrupt that comes while it clears something away.
    """

    def __init__(self) -> None:
        import signal  # only who follows needs it

        self.interrupted = False
        signal.signal(signal.SIGINT, self._interrupt)

    def _interrupt(self, *_: object) -> None:
        self.interrupted = True
        raise KeyboardInterrupt

    def cancelled(self) -> bool:
        return self.interrupted or nobody_reads()

    def check(self) -> None:
        if self.interrupted:
            raise KeyboardInterrupt
        if nobody_reads():
            raise BrokenPipeError


def all_pages(app: App, op: Operation, invocation: Invocation, caller: Caller) -> Json:
    """One answer with the rows of every page: as many as were asked for, else all there are."""
    arguments, name = invocation.arguments, rows_of(op)
    page: Json = app.call(op.name, arguments, caller)
    rows, next_seq, limit = [*page[name]], page["next_seq"], arguments.get("limit")
    while page[name] and not arguments.get("last") and (limit is None or len(rows) < limit):
        rest = {} if limit is None else {"limit": limit - len(rows)}
        page = app.call(op.name, {**arguments, **rest, "from_seq": next_seq, "wait_ms": 0}, caller)
        rows += page[name]
        next_seq = page["next_seq"] if page[name] else next_seq
    ended = limit is None or len(rows) < limit or arguments.get("last")
    return {name: rows} if ended and not invocation.as_json else {name: rows, "next_seq": next_seq}


def follow(app: App, op: Operation, invocation: Invocation, caller: Caller) -> None:
    """Show each row as it comes. Ends when none will, by Ctrl-C, or when nobody reads any more."""
    name, known = rows_of(op), op.input_schema["properties"]
    table = Table(
        style_of_output(brief=op.brief), op.output_schema["properties"][name]["items"]["properties"], op.columns
    )
    arguments = dict(invocation.arguments)
    waiting = {key: value for key, value in arguments.items() if key not in ("last", "limit")}
    waiting["wait_ms"] = known["wait_ms"]["maximum"]
    if "from_seq" not in arguments and "last" in known:
        arguments = {"limit": SHOWN_FIRST, **arguments, "last": True}
    reader = Reader()
    caller = caller.replace(peer=reader)
    while True:
        answer = app.call(op.name, arguments, caller)
        if invocation.as_json:
            lines = [json.dumps(row, ensure_ascii=False) for row in answer[name]]
        else:
            lines = list(table.lines(answer[name])) if answer[name] else []
        for line in lines:
            write(line)
        flush()
        reader.check()
        if answer.get("over"):
            return
        arguments = {**waiting, "from_seq": answer["next_seq"]}
