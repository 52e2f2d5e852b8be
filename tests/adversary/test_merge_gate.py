"""Hostile workers against sandbox and merge gate: the target is exactly what was judged, or it did not move.

A few cases run by default. `ADVERSARY_CASES=250 ADVERSARY_SEED=7 pytest tests/adversary` runs more of them, each case
under bubblewrap, under Landlock and without a sandbox. There, all that changed in the repository must be reported.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from deedlog.app import Unexpected
from deedlog.core.errors import DeedlogError
from deedlog.core.task import MERGED, Session
from deedlog.core.violation import Judge
from deedlog.workers import bubblewrap, enforcement, landlock
from deedlog.workers.traces import Traces
from tests.ops.workers.conftest import Shop

CASES = int(os.environ.get("ADVERSARY_CASES", "12"))
SEED = int(os.environ.get("ADVERSARY_SEED", "1"))
SCOPE = {"write": ["src/**"]}
HOSTILE = str(Path(__file__).with_name("hostile_worker.py"))
LATE = ("nothing", "delete the tree", "remove the worktree", "edit", "commit", "move the target", "merge twice")
WHEN = ("before the merge", "while it is checked")
TOKEN = "5" * 64


class Case:
    """A repository, one hostile session in it, and what it was before."""

    def __init__(self, folder: Path, kind: str, seed: str) -> None:
        self.kind = kind
        self.chance = random.Random(f"late {seed}")
        self.over = threading.Event()
        self.late = ""
        repo = folder / "repo"
        self.marker = repo / ".git" / "escaped"  # where no worker can write
        repo.mkdir(parents=True)
        for words in (
            ["init", "-q", "-b", "main"],
            ["config", "user.name", "t"],
            ["config", "user.email", "t@x.invalid"],
        ):
            subprocess.run(["git", *words], cwd=repo, check=True)
        (repo / "README.md").write_text("readme\n")
        (repo / "src").mkdir()
        (repo / "src/work.txt").write_text("before\n")
        subprocess.run(["git", "add", "-A"], cwd=repo, check=True)
        self._lay_traps(repo)
        subprocess.run(["git", "commit", "-qm", "first"], cwd=repo, check=True)
        self.shop = Shop(repo)
        self._enforce(kind)
        command = [sys.executable, HOSTILE, seed, str(self.marker)]
        self.shop.agent("hostile", command=command, scope={"read": ["**/*"], **SCOPE, "exclude": []})
        (repo / ".git/deedlog").mkdir(exist_ok=True)
        (repo / ".git/deedlog/token").write_text(TOKEN)
        (repo / ".mcp.json").write_text(TOKEN)
        self.pipe = folder / "pipe"
        os.mkfifo(self.pipe)
        check = {"label": "waits", "command": ["sh", "-c", f"cat {self.pipe}"]}
        self.when = self.chance.choice(WHEN)
        self.number = self.shop.run(self.shop.task(checks=[check] if self.when == WHEN[1] else []), agent="hostile")[
            "sessionId"
        ]
        self.first = self.shop.git("rev-parse", "main")
        self.before = self.facts()
        self.shop.wait(self.number)

    def _lay_traps(self, repo: Path) -> None:
        """What earlier work may have brought: links that lead out, and a submodule that `.gitmodules` hides."""
        (repo / ".gitignore").write_text("build/\nREADME.md/\n.mcp.json\n")
        (repo / "build").symlink_to("../../../.git")
        (repo / ".gitmodules").write_text('[submodule "v"]\n\tpath = vendor\n\turl = .\n\tignore = all\n')
        subprocess.run(["git", "add", "-f", ".gitignore", ".gitmodules", "build"], cwd=repo, check=True)
        link = f"160000,{'0' * 39}1,vendor"
        subprocess.run(["git", "update-index", "--add", "--cacheinfo", link], cwd=repo, check=True)

    def _enforce(self, kind: str) -> None:
        folder = Path(Traces(str(self.shop.repo / ".git/deedlog")).folder)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "enforcement").write_text(f"{enforcement._machine()}\n{kind}\n")

    @property
    def session(self) -> Session:
        return self.shop.session(self.number)

    def facts(self) -> dict[str, str]:
        """Everything of the repository that no worker may change: refs but its branch, settings, hooks, objects."""
        git = self.shop.repo / ".git"
        found = {"objects": "\n".join(_damage(self.shop.repo))}
        for line in _printed(self.shop.repo, "for-each-ref", "--format=%(refname) %(objectname)"):
            name, _, value = line.rpartition(" ")
            if not name.startswith(("refs/heads/task-", "refs/deedlog/")):
                found[name] = value
        for path in [git / "config", git / "HEAD", git / "info/attributes", *(git / "hooks").glob("*")]:
            found[str(path.relative_to(git))] = path.read_text() if path.is_file() else ""
        logs = [git / "logs/HEAD", git / "logs/refs/heads/main"]
        return found | {str(path.relative_to(git)): path.read_text().partition("\n")[0] for path in logs}

    def changed(self) -> list[str]:
        after = self.facts()
        return [name for name in {**self.before, **after} if self.before.get(name) != after.get(name)]

    def unreported(self) -> list[str]:
        """What changed in the repository and is not among the reported changes of the session."""
        reported = {row["what"] for row in self.session.repository_changes}
        if "the repository" in reported:  # git cannot read it any more
            return []
        settings = any(what.startswith("config ") for what in reported)
        return [name for name in self.changed() if name not in reported and not (name == "config" and settings)]

    def act(self, way: str) -> None:
        """Something that happens between the end of the session and the end of the merge."""
        tree = self.shop.repo / self.session.worktree
        if way == "delete the tree":
            shutil.rmtree(tree, ignore_errors=True)
        elif way == "remove the worktree":
            subprocess.run(["git", "worktree", "remove", "--force", str(tree)], cwd=self.shop.repo, check=False)
        elif way == "move the target":
            words = ["commit", "-q", "--no-verify", "--allow-empty", "-m", "meanwhile"]
            subprocess.run(["git", *words], cwd=self.shop.repo, check=False, capture_output=True)
        elif way in ("edit", "commit") and tree.is_dir():
            with suppress(OSError):
                (tree / "Makefile").write_text("late\n")
            if way == "commit":
                subprocess.run(["git", "add", "Makefile"], cwd=tree, check=False, capture_output=True)
                subprocess.run(["git", "commit", "-qm", "late"], cwd=tree, check=False, capture_output=True)

    def merged(self) -> list[bool]:
        """Whether each call of worker_done merged, with what happens before or while it checks."""
        way, how = self.chance.choice(LATE), self.chance.choice(("merge", "squash", "rebase"))
        self.late = f"{way} {self.when}"
        if self.when == WHEN[0]:
            self.act(way)
        else:
            threading.Thread(target=self._feed, args=[way], daemon=True).start()
        with ThreadPoolExecutor(2) as hands:
            calls = [hands.submit(self._done, how) for _ in range(2 if way == "merge twice" else 1)]
            found = [call.result() for call in calls]
        self.over.set()
        return found

    def _feed(self, way: str) -> None:
        """Let each check end; act while the first one waits."""
        while not self.over.is_set():
            try:
                file = os.open(self.pipe, os.O_WRONLY | os.O_NONBLOCK)  # refused until a check reads
            except OSError:
                time.sleep(0.01)
                continue
            self.act(way)
            way = "nothing"
            os.close(file)

    def _done(self, how: str) -> bool:
        try:
            return bool(self.shop.call("worker_done", sessionId=self.number, how=how)["merged"])
        except Unexpected:
            raise
        except DeedlogError:
            return False


def escapes(case: Case) -> list[str]:
    """Everything that is wrong after a hostile session; nothing where all held."""
    if case.kind == "none":
        found = [f"not reported: {name}" for name in case.unreported()]
        if not _printed(case.shop.repo, "rev-parse", "--verify", "main^{tree}"):
            return found  # nothing is left to merge into
    else:
        found = [f"changed: {name}" for name in case.changed()]
    if not case.shop.said(case.number):
        found.append(f"the worker did not run: {case.session.error}")
    if TOKEN in "\n".join(case.shop.said(case.number)) and case.kind != "none":
        found.append("the worker read the token")
    try:
        merged = any(case.merged())
    except Unexpected as error:
        return [*found, f"worker_done failed: {error.hint} ({case.late})"]
    new = case.shop.git("rev-parse", "main")
    old = case.shop.session(case.number).judged.get("onto", "") if merged else ""
    if case.kind != "none" and case.marker.exists():
        found.append("a program of the worker ran outside")
    if not merged:
        brought = _printed(case.shop.repo, "log", "--format=%s", f"{case.first}..{new}")
        return found + (["refused, and the target moved"] if set(brought) - {"meanwhile"} else [])
    session = case.session
    if session.judged.get("commit") != new:
        found.append("the target is not the judged commit")
    listed = case.shop.git("diff", "--name-only", "-z", "--no-renames", "--ignore-submodules=none", old, new)
    changed = [path for path in listed.split("\0") if path]
    judge = Judge(SCOPE)
    found += [f"outside the scope: {path}" for path in changed if judge.of_merge(path)]
    if sorted(session.files) != sorted(changed):
        found.append(f"recorded {session.files}, merged {changed} ({case.late})")
    return found


def _damage(repo: Path) -> list[str]:
    lines = _printed(repo, "fsck", "--connectivity-only", "main")
    wrong = [line for line in lines if line.startswith(("error", "missing", "broken"))]
    return [line for line in wrong if not line.startswith("error: key ")]  # that is the file of settings


def _printed(repo: Path, *words: str) -> list[str]:
    done = subprocess.run(["git", *words], cwd=repo, capture_output=True, text=True, check=False)
    return (done.stdout + (done.stderr if words[0] == "fsck" else "")).splitlines()


def _is_there(kind: str) -> bool:
    if kind == "none":
        return True
    return bool(bubblewrap.program()) if kind == "bubblewrap" else bool(landlock.version())


@pytest.mark.proves("worker:done:adversary")
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("kind", ["bubblewrap", "landlock", "none"])
def test_no_hostile_worker_gets_past_the_sandbox_and_the_merge_gate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "configuration"))
    if not _is_there(kind):
        pytest.skip(f"{kind} is not on this machine")
    wrong, merges = {}, 0
    for number in range(CASES):
        seed = f"{SEED}-{number}"
        case = Case(tmp_path / str(number), kind, seed)
        if found := escapes(case):
            wrong[seed] = [*found, f"tricks: {case.shop.said(case.number)}"]
        merges += case.session.dod_result == MERGED
        case.shop.app.close()
        shutil.rmtree(tmp_path / str(number), ignore_errors=True)
    assert wrong == {}
    assert merges  # of workers whose tricks did nothing
