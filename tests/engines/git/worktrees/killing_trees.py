"""The engine of work trees killed at one line of its code after the other.

`python -m tests.engines.git.worktrees.killing_trees CALL KILLS FOLDER` prints, a JSON line for each kill, what was
wrong after the next call. It is a process of its own because those that die are forked from it, warm.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from pathlib import Path

import deedlog.git.kept
import deedlog.git.merging
import deedlog.git.restoring  # noqa: F401  # warm
from deedlog.core.errors import Conflict
from tests.engines.git.killing import Kill, killed_at, lines_of
from tests.engines.git.repo import Engine, Repo
from tests.engines.git.worktrees.sessions import FILES, Place, Session, merge

OURS = {".deedlog/prompt.md": "x\n", "CLAUDE.local.md": "x\n"}


class Victim:
    """Each play has a call die, makes it again, and returns what is not as it should be then."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._number = 0

    def _session(self) -> Session:
        self._number += 1
        session = self._place.make(f"t{self._number}", exclude=("**/*.env",))
        session.commit({f"n{self._number}.py": "1\n"})
        return session

    def make(self, kill: Kill) -> list[str]:
        self._number += 1
        name = f"t{self._number}"
        kill(lambda: self._place.make(name, exclude=("**/*.env",)))
        wrong = [f"half: {one}" for one in self._place.trees.names() if not self._is_whole(one)]
        try:
            session = self._place.make(name, exclude=("**/*.env",))
        except Conflict:
            base = self._place.repo.head()
            wrong += [] if self._is_whole(name) else ["refused though it is not there"]
            self._place.trees.remove(str(self._place.state / "worktrees" / name), f"{name}-s1")
            return wrong + self._left() + ([] if base else ["no base"])
        wrong += [session.changed(), *(set(session.on_disk()) ^ {one for one in FILES if not one.endswith(".env")})]
        session.remove()
        return wrong + self._left()

    def _is_whole(self, name: str) -> bool:
        repo = Repo(self._place.state / "worktrees" / name, self._place.repo.engine)
        return repo.git("status", "--porcelain") == "" and repo.git("branch", "--show-current").strip() == f"{name}-s1"

    def put(self, kill: Kill) -> list[str]:
        session = self._session()
        kill(lambda: self._place.trees.put(session.tree, OURS, read_only=True))
        wrong = [session.changed(), *session.dirty()]
        self._place.trees.put(session.tree, OURS, read_only=True)
        wrong += [session.changed(), *(path for path in OURS if session.read(path) != b"x\n")]
        session.remove()
        return wrong + self._left()

    def commit(self, kill: Kill) -> list[str]:
        session = self._session()
        session.write("more.py")
        kill(lambda: self._place.trees.commit(session.tree, "more"))
        head = self._place.trees.commit(session.tree, "more")
        wrong = [session.changed(), *session.dirty()]
        wrong += [] if head == session.head() and session.commits() == 2 else ["commits"]
        session.remove()
        return wrong + self._left()

    def merge(self, kill: Kill) -> list[str]:
        return self._merge(kill, "merge")

    def squash(self, kill: Kill) -> list[str]:
        return self._merge(kill, "squash")

    def rebase(self, kill: Kill) -> list[str]:
        return self._merge(kill, "rebase")

    def _merge(self, kill: Kill, how: str) -> list[str]:
        session = self._session()
        repo = self._place.repo
        repo.commit({f"main{self._number}.py": "1\n"})
        old = repo.head()

        def act() -> None:
            merge(self._place.trees, session.branch, session.base, "main", how, "m")

        kill(act)
        wrong = [repo.git("status", "--porcelain")]
        if repo.head() != old and repo.read(f"n{self._number}.py") != b"1\n":
            wrong.append("the target moved without the work")
        act()
        wrong += [repo.git("status", "--porcelain"), *(["not merged"] if session.how_merged() != how else [])]
        ahead = repo.git("rev-list", "--first-parent", "--count", f"{old}..main").strip()
        wrong += [] if ahead == "1" else [f"merged {ahead} times"]
        session.remove()
        return wrong + self._left()

    def keep(self, kill: Kill) -> list[str]:
        session = self._session()
        before = self._dirty(session)
        kill(lambda: self._place.trees.keep(session.tree, "kept"))
        return self._come_back(session, before, lambda _: None)

    def remove(self, kill: Kill) -> list[str]:
        session = self._session()
        kill(session.remove)
        session.remove()
        return self._left() + self._place.trees.names()

    def restore(self, kill: Kill) -> list[str]:
        session = self._session()
        return self._come_back(session, self._dirty(session), kill)

    def _dirty(self, session: Session) -> tuple[str, dict[str, str]]:
        session.write("a.py", "staged\n")
        session.git("add", "a.py")
        session.write("a.py", "more\n")
        session.write("untracked.py")
        return session.changed(), session.on_disk()

    def _come_back(self, session: Session, before: tuple[str, dict[str, str]], kill: Kill) -> list[str]:
        name = session.path.name
        kept = self._place.trees.keep(session.tree, "kept")
        wrong = ["keeping changed it"] if (session.changed(), session.on_disk()) != before else []
        session.remove()
        kill(lambda: self._place.trees.restore(name, session.branch, kept))
        try:
            self._place.trees.restore(name, session.branch, kept)
        except Conflict:
            wrong += [] if name in self._place.trees.names() else ["refused though it is not there"]
        wrong += ["it is not as it was"] if (session.changed(), session.on_disk()) != before else []
        session.remove()
        return wrong + self._left()

    def _left(self) -> list[str]:
        branches = self._place.repo.git("branch", "--list", "t*")
        return [*self._place.leftovers(), branches, self._place.repo.git("status", "--porcelain")]


def main() -> None:
    call, kills, folder = sys.argv[1:]
    repo = Repo(Path(folder), Engine(Path(folder).parent, known=False))
    play: Callable[[Kill], list[str]] = getattr(Victim(Place(repo)), call)
    counted: list[int] = []
    wrong = play(lambda work: counted.append(lines_of(work)))
    sys.stdout.write(json.dumps({"line": -1, "died": False, "wrong": [one for one in wrong if one]}) + "\n")
    chance = random.Random(call)
    for number in range(int(kills)):
        line = int((number + chance.random()) * counted[0] / int(kills))
        died: list[bool] = []
        wrong = play(lambda work, line=line, died=died: died.append(killed_at(line, work)))  # type: ignore[misc]
        sys.stdout.write(json.dumps({"line": line, "died": died[0], "wrong": [one for one in wrong if one]}) + "\n")


if __name__ == "__main__":
    main()
