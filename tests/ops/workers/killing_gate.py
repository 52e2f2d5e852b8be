"""`worker_done` killed at one line of its code after the other.

`python -m tests.ops.workers.killing_gate HOW KILLS FOLDER` prints, a JSON line for each kill, what was wrong after the
next call. It is a separate process because the processes that die are forked from it.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

from tests.engines.git.killing import Kill, killed_at, lines_of
from tests.ops.workers.conftest import Shop

PASSES = {"label": "passes", "command": ["true"]}


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
        wrong += [] if now in (old, shop.git("rev-parse", "main")) else ["moved twice"]
        ahead = shop.git("rev-list", "--first-parent", "--count", f"{old}..main")
        wrong += [] if ahead in (("1",) if self._how != "rebase" else ("1", "2")) else [f"merged {ahead} times"]
        wrong += [] if shop.session(number).files == [name] else ["files are not recorded"]
        shop.app.worktrees.names()  # whoever looks at the trees next clears away what a dead call was removing
        wrong += [f"left: {path.name}" for path in (shop.repo / ".deedlog/worktrees").iterdir() if path.name != ".lock"]
        return wrong + [f"branch: {one}" for one in shop.branches() if one != "main"]

    def _finish(self, number: int) -> dict[str, object]:
        self._shop.open()
        answer = dict(self._shop.call("worker_done", sessionId=number, how=self._how))
        self._shop.app.close()
        return answer


def main() -> None:
    how, kills, folder = sys.argv[1:]
    victim = Victim(Path(folder), how)
    counted: list[int] = []
    wrong = victim.play(lambda work: counted.append(lines_of(work)))
    sys.stdout.write(json.dumps({"line": -1, "died": False, "wrong": wrong}) + "\n")
    chance = random.Random(how)
    for number in range(int(kills)):
        line = int((number + chance.random()) * counted[0] / int(kills))
        died: list[bool] = []
        wrong = victim.play(lambda work, line=line, died=died: died.append(killed_at(line, work)))  # type: ignore[misc]
        sys.stdout.write(json.dumps({"line": line, "died": died[0], "wrong": wrong}) + "\n")


if __name__ == "__main__":
    main()
