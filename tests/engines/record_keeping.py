"""Writing records as an operation does, for tests of the engine and for processes of their own."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from deedlog.core.clarify.values import REQUEST, Decided
from deedlog.core.records.building import plan_records
from deedlog.core.records.values import STATE_FILE, TASK_FILE
from deedlog.core.records.verifying import Evidence, problems
from deedlog.core.records.wanted import Planned, Wanted
from deedlog.records.engine import FileRecords


def wanted(title: str = "Add a queue", /, **fields: str) -> Wanted:
    """A request that decides `Area_Field="value"`; without any it is a simple task."""
    decided = [
        Decided(area=name.partition("_")[0], field=name.partition("_")[2], value=value, source=REQUEST)
        for name, value in fields.items()
    ]
    return Wanted(title=title, intention=title, adr=bool(decided), decided=decided, allowlist=["src"])


def record(records: FileRecords, spec: Wanted) -> Planned:
    with records.writing() as writing:
        planned = plan_records(writing.book, spec, writing.uid, time.time_ns() // 1000)
        writing.put(planned.files, {"title": spec.title})
        writing.done()
    return planned


def files(tree: Path) -> dict[str, bytes]:
    """Every file below docs/, hidden ones too, with what it holds."""
    docs = tree / "docs"
    found = {str(path.relative_to(tree)): path for path in docs.rglob("*")} if docs.exists() else {}
    return {name: path.read_bytes() for name, path in sorted(found.items()) if path.is_file()}


def found_problems(records: FileRecords) -> list[str]:
    def text(name: str) -> str | None:
        return records.text(name) if os.path.exists(os.path.join(records.tree, name)) else None

    return problems(Evidence(sources=records.sources(), state=text(STATE_FILE), task=text(TASK_FILE)))


def main(tree: str, store: str, count: str, name: str) -> None:
    """Write so many ADRs over ten fields of its own, as soon as told to; print their UIDs."""
    records = FileRecords(tree, store)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    for number in range(int(count)):
        planned = record(records, wanted(f"{name} {number}", **{f"Area_{name}{number % 10}": str(number)}))
        assert planned.adr
        sys.stdout.write(f"{planned.adr.uid}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
