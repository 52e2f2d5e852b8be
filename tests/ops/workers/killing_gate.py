"""`worker_done` killed at one line of its code after the other.

`python -m tests.ops.workers.killing_gate HOW KILLS FOLDER` prints, a JSON line for each kill, what was wrong after the
next call. It is a separate process because the processes that die are forked from it.

So many kills are spread over the whole call. Beyond them it dies at each line between the checks and the moved target:
right before and right after the verdict is recorded, and the target moves.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from pathlib import Path

from tests.engines.git.killing import Kill, killed_at, lines_of
from tests.ops.workers.conftest import Shop

PASSES = {"label": "passes", "command": ["true"]}
MOVING = "_moved"  # the function that records the verdict and moves the target


class Victim:
    def __init__(self, repo: Path, how: str) -> None:
        self._shop = Shop(repo)
        self._shop.agent()
        self._how = how
        self._number = 0

    def play(self, kill: Kill) -> list[str]:
        """Have one `worker_done` die and call it again; returns everything that is wrong then."""
        shop = self._shop
        self._number += 1
        name = f"src/{self._number}.txt"
        task = shop.task(checks=[PASSES])
        number = shop.call("worker_command", taskId=task, scope={"write": ["src/**"]})["sessionId"]
        tree = shop.repo / shop.session(number).worktree
        (tree / "src").mkdir(exist_ok=True)
        (tree / name).write_text("one\n")
        shop.git("add", name, tree=str(tree))
        shop.git("commit", "--quiet", "--message", "one", tree=str(tree))
        shop.call("session_end", sessionId=number, exitCode=0)
        (tree / name).write_text("late\n")
        shop.git("commit", "--quiet", "--allow-empty", "--message", "meanwhile")
        old = shop.git("rev-parse", "main")
        shop.app.close()  # no connection may be shared with a fork
        kill(lambda: self._finish(number))
        now = shop.git("rev-parse", "main")
        wrong = [f"unclean: {line}" for line in shop.git("status", "--porcelain").splitlines()]
        if now != old and shop.git("show", f"main:{name}") != "late":
            wrong.append("the target moved without the work")
        done = self._finish(number)
        shop.open()
        wrong += [] if done["merged"] and shop.status(task) == "done" else [f"not done: {done}"]
        wrong += self._unjudged(done, number)
        wrong += [] if now in (old, shop.git("rev-parse", "main")) else ["moved twice"]
        ahead = shop.git("rev-list", "--first-parent", "--count", f"{old}..main")
        wrong += [] if ahead in (("1",) if self._how != "rebase" else ("1", "2")) else [f"merged {ahead} times"]
        wrong += [] if shop.session(number).files == [name] else ["files are not recorded"]
        shop.app.worktrees.names()  # whoever looks at the trees next clears away what a dead call was removing
        wrong += [f"left: {path.name}" for path in (shop.repo / ".deedlog/worktrees").iterdir() if path.name != ".lock"]
        return wrong + [f"branch: {one}" for one in shop.branches() if one != "main"]

    def _unjudged(self, done: dict[str, object], number: int) -> list[str]:
        """What is in the target and was not judged and checked by Deedlog, as far as its record says."""
        session, target = self._shop.session(number), self._shop.git("rev-parse", "main")
        wrong = [] if session.judged.get("commit") == target == done.get("commit") else ["the target was not judged"]
        wrong += ["taken for merged by others"] if "by" in done else []
        checked = [(row["label"], row["passed"]) for row in session.checks]
        return wrong + ([] if checked == [("passes", True)] else [f"checks: {checked}"])

    def _finish(self, number: int) -> dict[str, object]:
        self._shop.open()
        answer = dict(self._shop.call("worker_done", sessionId=number, how=self._how))
        self._shop.app.close()
        return answer


def main() -> None:
    how, kills, folder = sys.argv[1:]
    victim = Victim(Path(folder), how)

    def played(line: int, within: str) -> int:
        """One call that dies at this line, or at none if it is negative; returns how many lines it came to, or none."""
        came: list[int] = []
        died: list[bool] = []

        def kill(work: Callable[[], object]) -> None:
            if line < 0:
                came.append(lines_of(work, within))
            else:
                died.append(killed_at(line, work, within))

        wrong = victim.play(kill)
        told = {"line": line, "within": within, "died": any(died), "wrong": wrong}
        sys.stdout.write(json.dumps(told) + "\n")
        return sum(came)

    lines, chance = played(-1, ""), random.Random(how)
    for number in range(int(kills)):
        played(int((number + chance.random()) * lines / int(kills)), "")
    for line in range(played(-1, MOVING)):
        played(line, MOVING)


if __name__ == "__main__":
    main()
