"""kill -9 before every call by which a writer changes the disk: `python -m tests.engines.record_campaign STORY FOLDER`.

The calls are counted as they come, so none can be forgotten. A write that is hit is done by half first. After each
kill the records are read by the next process, which must find all of the write or nothing.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from deedlog.core.errors import Conflict, DeedlogError
from deedlog.core.records.values import STATE_FILE, TASK_FILE
from deedlog.records.engine import FileRecords
from tests.engines.record_keeping import files, found_problems, record, wanted

CHANGING = ("write", "pwrite", "fsync", "link", "replace", "rename", "unlink", "mkdir", "rmdir", "chmod")
LEDGER = "ledger"
AMID = 25  # of the calls of a writer: one file is there, the others are not


class Mortal:
    """Dies before the call of that number, counted over all that change the disk."""

    def __init__(self, last: int) -> None:
        self.calls = 0
        self._last = last
        for name in CHANGING:
            setattr(os, name, self._counted(name, getattr(os, name)))
        self._open = os.open
        os.open = self._opened

    def _counted(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **more: Any) -> Any:
            if self._is_over():
                if name == "write":
                    real(given[0], bytes(given[1])[: len(given[1]) // 2])
                self._die()
            return real(*given, **more)

        return call

    def _opened(self, path: Any, flags: int, *given: Any, **more: Any) -> int:
        if flags & os.O_CREAT and self._is_over():
            self._die()
        return self._open(path, flags, *given, **more)

    def _is_over(self) -> bool:
        self.calls += 1
        return self.calls == self._last

    def _die(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


class Story:
    """What a writer finds, and what happens to it."""

    def __init__(self, folder: Path, name: str) -> None:
        self.tree, self.store, self.ledger = folder / "tree", folder / "store", folder / LEDGER
        self.name = name
        (self.tree / "docs").mkdir(parents=True)
        if name == "first":
            (self.tree / "docs").rmdir()
        elif name == "by-hand":
            (self.tree / TASK_FILE).write_text("# My own task\n")
        else:
            record(self.records(), wanted("Add a database", Database_Type="PostgreSQL"))
        self.before = files(self.tree)
        if name == "recovering":
            assert killed(self, AMID)
        if name == "reading":
            (self.tree / STATE_FILE).write_text("<!-- UID: None -->\n")

    def records(self) -> FileRecords:
        return FileRecords(str(self.tree), str(self.store))

    def write(self) -> None:
        if self.name == "reading" or self._is_interrupted():
            self.records().book()
            return
        if self.name == "no-links":
            os.link = _no_links
        if self.name == "full-disk":
            os.replace = _full(os.replace)
        from deedlog.core.records.building import plan_records

        with self.records().writing() as writing:
            planned = plan_records(writing.book, wanted(Queue_Broker="Kafka"), writing.uid, 1_800_000_000_000_000)
            writing.put(planned.files, {"said": "so"})
            if self.name == "refused":
                raise Conflict("the ledger knows better")
            file = os.open(self.ledger, os.O_WRONLY | os.O_CREAT, 0o600)
            os.write(file, b"committed")
            writing.done()

    def _is_interrupted(self) -> bool:
        kept = os.listdir(self.store / "records") if self.name == "recovering" else []
        return any(name.startswith("journal-") for name in kept)

    def wrong(self) -> list[str]:
        """What is wrong after a writer was killed; reading comes first, then the next writer."""
        records = self.records()
        book = records.book()
        now = files(self.tree)
        committed = self.ledger.exists()
        found = [f"{name} is left behind" for name in now if "/." in name or not name.endswith(".md")]
        found += [f"{name} changed" for name in self.before if "/adr/" in name and now.get(name) != self.before[name]]
        nothing = now == self.before
        if not nothing:
            found += self._incomplete(now, book)
        with records.writing() as writing:
            if nothing and (writing.unfinished or committed):
                found.append("there is a trace of what was not written")
            if not nothing and not committed and (writing.unfinished or {}).get("said") != "so":
                found.append("nobody knows that the ledger has to be told")
            writing.done()
        record(records, wanted("Add a cache", Cache_Store="Redis"))
        found += found_problems(records)
        kept = {name.partition("-")[0] for name in os.listdir(self.store / "records")}
        return found + [f"{name} is left in the store" for name in kept - {"lock", "uid", "written"}]

    def _incomplete(self, now: dict[str, bytes], book: Any) -> list[str]:
        newest = book.adrs[-1] if book.adrs else None
        archived = [name for name in now if "/archive/" in name]
        task = self.before.get(TASK_FILE)
        is_whole = (
            newest is not None
            and [change.value for change in newest.changes] == ["Kafka"]
            and book.task is not None
            and book.task.adr == newest.uid == book.architecture.uid
            and [now[name] for name in archived] == ([task] if task is not None else [])
        )
        return [] if is_whole else [f"half is there: {sorted(now)}"]


def _no_links(*_given: object, **_more: object) -> None:
    raise OSError(errno.EPERM, "no links here")


def _full(real: Callable[..., None]) -> Callable[..., None]:
    """A disk that is full when the last of the files is about to be there."""

    def replace(source: str, target: str, **more: Any) -> None:
        if str(target).endswith("ARCHITECTURE_STATE.md"):
            raise OSError(errno.ENOSPC, "no space left")
        real(source, target, **more)

    return replace


def killed(story: Story, last: int) -> bool:
    """Let a process write that dies before that call; returns whether it did."""
    child = os.fork()
    if child == 0:
        try:
            Mortal(last)
            story.write()
        except DeedlogError:
            pass
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def main(name: str, folder: str) -> None:
    last, died = 0, True
    while died:
        last += 1
        story = Story(Path(folder, str(last)), name)
        died = killed(story, last)
        sys.stdout.write(json.dumps({"killed_before": last if died else 0, "wrong": story.wrong()}) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
