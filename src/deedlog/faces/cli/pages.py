"""Lists that come in pages: all of them, or a word about the rest."""

from __future__ import annotations

from deedlog.core.page import NEXT, following
from deedlog.faces.cli.output import flush, show_answer, write
from deedlog.faces.cli.refusal import tell
from deedlog.faces.cli.terminal import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from deedlog.app import App, Caller
    from deedlog.faces.cli.command import Invocation
    from deedlog.operation.define import Operation

    Json = dict[str, Any]

CURSOR = "cursor"


def show_all(app: App, op: Operation, invocation: Invocation, caller: Caller) -> bool:
    """Show the rows of every page, for people as they come; returns whether there were any."""
    name = rows_of(op)
    rows: list[Json] = []
    lines = None if invocation.as_json else _Lines(op)
    rest: Json = {}
    for page in every_page(app, op, invocation, caller):
        rows += page[name]
        if lines:
            lines.show(page[name])
        rest = {part: value for part, value in page.items() if part not in (name, *NEXT)}
    if invocation.as_json:
        show_answer({name: rows, **rest}, as_json=True)
    elif rest:
        show_answer(rest, as_json=False)
    return bool(rows)


def tell_of_the_rest(answer: Json) -> None:
    """That there is more, beside the data."""
    flush()
    tell(f"more: --all, or --{CURSOR} {clean(following(answer))}")


def rows_of(op: Operation) -> str:
    """The part of an answer that is its list."""
    properties: Json = op.output_schema["properties"]
    return next(name for name, part in properties.items() if part.get("type") == "array")


def every_page(app: App, op: Operation, invocation: Invocation, caller: Caller) -> Iterator[Json]:
    most = op.input_schema["properties"].get("limit", {}).get("maximum")
    arguments = {**({"limit": most} if most else {}), **invocation.arguments}
    while True:
        page: Json = app.call(op.name, arguments, caller)
        yield page
        if not (cursor := following(page)):
            return
        arguments = {**arguments, CURSOR: cursor}


class _Lines:
    """One table for all pages."""

    def __init__(self, op: Operation) -> None:
        from deedlog.faces.cli.blocks import rows_under_each_other  # only for people
        from deedlog.faces.cli.show import style_of_output

        style = style_of_output(brief=op.brief, whole=op.whole)
        parts = op.output_schema["properties"][rows_of(op)]["items"]["properties"]
        # where nothing may be left out, a later page may have what the first has not
        self._table = rows_under_each_other(style, parts if style.columns is None else (), op.columns)

    def show(self, rows: list[Json]) -> None:
        for line in self._table.lines(rows) if rows else ():
            write(line)
        flush()
