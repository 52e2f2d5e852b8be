"""`deedlog demo`."""

from __future__ import annotations

import json

from deedlog.core.caller import ANYONE
from deedlog.faces.cli.command import MODULES, Command, Invocation, find
from deedlog.faces.cli.output import write


def run(invocation: Invocation) -> int:
    from deedlog.faces.cli.show import style_of_output
    from deedlog.faces.cli.table import Table

    names = [words for words in MODULES if words.startswith("demo ")]
    rows = [{"demo": f"deedlog {words}", "shows": find(words).summary} for words in names]
    if invocation.as_json:
        write(json.dumps({"demos": rows}, ensure_ascii=False))
        return 0
    for line in Table(style_of_output()).lines(rows):
        write(line)
    return 0


COMMAND = Command(
    words="demo",
    callers=ANYONE,
    help="List the demos: worked examples that need nothing and leave nothing behind.",
    run=run,
    examples=["deedlog demo", "deedlog demo track"],
)
