"""The engine killed at one line of its code after the other.

`python -m tests.engines.git.killing CALL KILLS TREE STORE` prints, a JSON line for each kill, what the next call found
and what lay about in the repository then. It is a process of its own because those that die are forked from it, warm.
"""

from __future__ import annotations

import json
import os
import random
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import deedlog
from deedlog.git.snapshots import GitSnapshots
from deedlog.testing import app_in, caller
from tests.engines.campaign import in_child
from tests.engines.git.repo import Engine, Repo
from tests.engines.git.trace import OURS

PRODUCT = os.path.dirname(deedlog.__file__)
Kill = Callable[[Callable[[], object]], None]
Play = Callable[[Kill], dict[str, str]]


def each_line(act: Callable[[], object], within: str = "") -> None:
    """Act at every line of the product that this process comes to, or of its functions of one name."""

    def at_line(_frame: FrameType, event: str, _argument: object) -> Any:
        if event == "line":
            act()
        return at_line

    def is_meant(frame: FrameType) -> bool:
        return frame.f_code.co_filename.startswith(PRODUCT) and within in ("", frame.f_code.co_name)

    sys.settrace(lambda frame, *_: at_line if is_meant(frame) else None)


def lines_of(work: Callable[[], object], within: str = "") -> int:
    passed: list[None] = []
    each_line(lambda: passed.append(None), within)
    work()
    sys.settrace(None)
    return len(passed)


def killed_at(line: int, work: Callable[[], object], within: str = "") -> bool:
    """Run it in a process that dies at that line; returns whether it did."""
    left = iter(range(line))

    def count_down() -> None:
        if next(left, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)

    def doomed() -> None:
        each_line(count_down, within)
        work()

    _, status = os.waitpid(in_child(doomed), 0)
    return os.WIFSIGNALED(status)


class Victim:
    """A task is running in a repository; every call after its start may die."""

    def __init__(self, repo: Repo) -> None:
        self._repo = repo
        self._tree = repo.tree
        self._number = 0
        self._store = repo.engine.store
        self._engine().take("start", self._tree)
        self._make_changes()

    def _engine(self) -> GitSnapshots:
        return GitSnapshots(self._store)

    def _make_changes(self) -> None:
        self._repo.write("new.ts")
        self._repo.commit({"auth.ts": "other\n"})
        self._repo.delete("database.ts")

    def first(self, kill: Kill) -> dict[str, str]:
        """The first snapshot ever of this repository dies."""
        self._engine().forget(self._tree, [], ["start"])
        self._store = f"{self._repo.engine.store}-{self._number}"
        self._repo.git("reset", "--quiet", "--hard", "HEAD~1")
        self._repo.git("clean", "-fdq")
        kill(lambda: self._engine().take("start", self._tree))
        self._engine().take("start", self._tree)
        self._make_changes()
        return self._end(lambda _: None)

    def take(self, kill: Kill) -> dict[str, str]:
        self._repo.git("commit", "--quiet", "--allow-empty", "--message=x")
        self._repo.git("reset", "--quiet", "--soft", "HEAD~1")  # so that private state is made anew
        kill(lambda: self._engine().take(self._name, self._tree))
        return self._end(lambda _: None)

    def compare(self, kill: Kill) -> dict[str, str]:
        self._engine().take(self._name, self._tree)
        kill(lambda: self._engine().compare(self._tree, ["start", self._name]))
        return self._end(lambda _: None)

    def forget(self, kill: Kill) -> dict[str, str]:
        return self._end(kill)

    @property
    def _name(self) -> str:
        return f"end-{self._number}"

    def _end(self, kill: Kill) -> dict[str, str]:
        self._engine().take(self._name, self._tree)
        compared = self._engine().compare(self._tree, ["start", self._name])
        kill(lambda: self._engine().forget(self._tree, ["start"], [self._name]))
        self._engine().forget(self._tree, ["start"], [self._name])
        self._number += 1
        return {one.path: one.status for one in compared.changes}

    def lying_about(self) -> list[str]:
        return lying_about(self._repo.path / ".git")


def lying_about(folder: Path) -> list[str]:
    """What is in the repository that git did not put there; refs of ours by their names alone."""
    files = [str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()]
    ours = [Path(name).name for name in files if name.startswith(OURS[1:])]
    return ours + [name for name in files if name.endswith((".lock", ".tmp")) or "tmp_" in name]


class Tracker:
    """Whole operations die, and are called again as a client does that heard no answer."""

    def __init__(self, repo: Repo) -> None:
        self._repo = repo
        self._store = f"{repo.engine.store}-ledger"
        self._number = 0
        self._workflow = self._call("start_workflow", name="kills")["workflow_id"]

    def _call(self, name: str, /, **arguments: object) -> Any:
        app = app_in(self._store, tree=self._repo.tree)
        answer = app.call(name, arguments, caller(idempotency_key=f"{name}-{self._number}"))
        app.close()
        return answer

    def _start(self) -> Any:
        return self._call("start_task", workflow_id=self._workflow, name="task", goal="goal")

    def start_task(self, kill: Kill) -> dict[str, str]:
        kill(self._start)
        return self._complete(self._start(), lambda _: None)

    def complete_task(self, kill: Kill) -> dict[str, str]:
        return self._complete(self._start(), kill)

    def _complete(self, started: Any, kill: Kill) -> dict[str, str]:
        self._repo.append("auth.ts")
        self._repo.commit({f"committed-{self._number}.ts": "1\n"})
        self._repo.write("left.ts", f"{self._number}\n")
        said = {"task_id": started["task_id"], "status": "success", "outcome": {"summary": "done"}}
        kill(lambda: self._call("complete_task", **said))
        answer = self._call("complete_task", **said)
        kept = self._call("task_changes", task_id=started["task_id"])["changes"]
        assert {one["path"] for one in kept} == {path for paths in answer["files_changed"].values() for path in paths}
        self._number += 1
        return {
            re.sub(r"-\d+", "", path): status for status, paths in answer["files_changed"].items() for path in paths
        }

    def lying_about(self) -> list[str]:
        return lying_about(self._repo.path / ".git")


def one_kill(victim: Victim | Tracker, play: Play, line: int) -> dict[str, object]:
    died: list[bool] = []
    changes = play(lambda work: died.append(killed_at(line, work)))
    return {"line": line, "died": died[0], "changes": changes, "left": victim.lying_about()}


def main() -> None:
    call, kills, tree, store = sys.argv[1:]
    engine = Engine(Path(store).parent, known=False)
    engine.store = store
    victim = (Tracker if call.endswith("_task") else Victim)(Repo(Path(tree), engine))
    play: Play = getattr(victim, call)
    counted: list[int] = []
    play(lambda work: counted.append(lines_of(work)))
    chance = random.Random(call)
    for number in range(int(kills)):
        told = one_kill(victim, play, int((number + chance.random()) * counted[0] / int(kills)))
        sys.stdout.write(json.dumps(told) + "\n")


if __name__ == "__main__":
    main()
