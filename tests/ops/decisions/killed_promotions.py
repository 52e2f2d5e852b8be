"""Promotions that are killed after so many lines, each on a copy of one project; prints what came of each.

`python -m tests.ops.decisions.killed_promotions FOLDER DECISION`, where FOLDER has `repo` and `store`.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from deedlog.core.clarification import WrittenAdr
from deedlog.core.remark import Decision
from deedlog.testing import app_in, caller

ROUNDS = 40
WATCHED = ("/deedlog/records/", "/ops/decisions/", "/deedlog/store/ledger", "/deedlog/work/unfinished")


def in_child(work: Callable[[], object]) -> bool:
    """Whether a forked process did its work to the end."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException as error:  # noqa: BLE001  # a child must not go on as its parent
            print(repr(error), file=sys.stderr)  # noqa: T201
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def promote(folder: str, decision: str) -> dict[str, Any]:
    app = app_in(f"{folder}/store", tree=f"{folder}/repo")
    try:
        answer: dict[str, Any] = app.call("adr_promote", {"decision_id": decision}, caller())
        return answer
    finally:
        app.close()


class Lines:
    """Counts the lines that run in what is watched; kills this process at one of them."""

    def __init__(self, last: int) -> None:
        self.left = last
        self.seen = 0

    def __call__(self, frame: FrameType, event: str, _given: object) -> Any:
        if event == "call":
            return self if any(part in frame.f_code.co_filename for part in WATCHED) else None
        if event == "line":
            self.seen += 1
            if self.seen == self.left:
                os.kill(os.getpid(), signal.SIGKILL)
        return self


def length(folder: str, decision: str) -> int:
    """How many lines a promotion runs that nobody kills."""
    read, write = os.pipe()

    def counted() -> None:
        lines = Lines(0)
        sys.settrace(lines)
        promote(folder, decision)
        sys.settrace(None)
        os.write(write, str(lines.seen).encode())

    assert in_child(counted)
    return int(os.read(read, 20))


def killed(folder: str, decision: str, last: int) -> bool:
    def work() -> None:
        sys.settrace(Lines(last))
        promote(folder, decision)

    return not in_child(work)


def problems(folder: str, decision: str) -> list[str]:
    """What is wrong after the next promotion, which must finish or begin anew what was killed."""
    answer = promote(folder, decision)
    app = app_in(f"{folder}/store", tree=f"{folder}/repo")
    book = app.records.book()
    found = [adr for adr in book.adrs if f"Logged as {decision} " in adr.context]
    stored = app.ledger.get(Decision, decision).adr
    written = app.ledger.find_one(WrittenAdr, stored)
    told = {
        "not one ADR": len(found) != 1 or len(book.adrs) != 1,
        "another uid": not found or {found[0].uid} != {answer["uid"], stored},
        "not in the ledger": written is None or written.decision_id != decision,
        "no architecture": book.architecture.plain() != {"Backend": {"Validation": "Zod"}},
        "something is left": sorted(os.listdir(f"{folder}/repo/docs")) != ["ARCHITECTURE_STATE.md", "adr"],
    }
    app.close()
    return [name for name, wrong in told.items() if wrong]


def main(folder: str, decision: str) -> None:
    def copied(name: str) -> str:
        shutil.rmtree(f"{folder}/{name}", ignore_errors=True)
        for part in ("repo", "store"):
            shutil.copytree(f"{folder}/{part}", f"{folder}/{name}/{part}", symlinks=True)
        return f"{folder}/{name}"

    lines = length(copied("whole"), decision)
    for number in range(ROUNDS + 1):
        last = 1 + number * lines // ROUNDS
        copy = copied("copy")
        dead = killed(copy, decision, last)
        read, write = os.pipe()
        in_child(lambda copy=copy, write=write: os.write(write, json.dumps(problems(copy, decision)).encode()))  # type: ignore[misc]
        os.close(write)
        said = os.read(read, 10_000)
        os.close(read)
        found = json.loads(said) if said else ["the next one failed"]
        print(json.dumps({"line": last, "killed": dead, "problems": found}))  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
