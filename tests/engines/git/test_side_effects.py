"""Nothing of the user's is touched: no index, no ref but ours, no hook, no object, no lock.

Every call of every test in this folder is watched (`trace.untouched`); here are the ways it could still go wrong.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from deedlog.git.snapshots import GitSnapshots
from tests.engines.git.child import called
from tests.engines.git.repo import KNOWN, Repo, lines
from tests.engines.git.trace import OURS
from tests.engines.git.walk import look, truth

pytestmark = [pytest.mark.proves("track:snapshot:untouched"), KNOWN]

HOOKS = [
    "applypatch-msg", "commit-msg", "fsmonitor-watchman", "p4-pre-submit", "post-applypatch", "post-checkout",
    "post-commit", "post-index-change", "post-merge", "post-rewrite", "post-update", "pre-applypatch", "pre-auto-gc",
    "pre-commit", "pre-merge-commit", "pre-push", "pre-rebase", "pre-receive", "prepare-commit-msg", "proc-receive",
    "push-to-checkout", "reference-transaction", "sendemail-validate", "update",
]  # fmt: skip
AGENT = """
import subprocess, sys
for number in range(25):
    open("agent.ts", "a").write(f"{number}\\n")
    subprocess.run(["git", "add", "--all"], check=True)
    subprocess.run(["git", "commit", "--quiet", f"--message={number}"], check=True)
    if number % 5 == 4:
        subprocess.run(["git", "stash", "list"], check=True)
        subprocess.run(["git", "reset", "--quiet", "--soft", "HEAD~1"], check=True)
        subprocess.run(["git", "commit", "--quiet", "--message=again"], check=True)
"""


def plain(repo: Repo) -> Repo:
    return repo


def linked(repo: Repo) -> Repo:
    repo.git("worktree", "add", "--quiet", "-b", "side", "../linked")
    return Repo(repo.path.parent / "linked", repo.engine)


def with_submodule(repo: Repo) -> Repo:
    source = repo.beside("source")
    source.commit({"lib.c": lines("lib")})
    repo.git("submodule", "--quiet", "add", "../source", "lib")
    repo.commit()
    repo.append("lib/lib.c")
    return repo


def with_repository_inside(repo: Repo) -> Repo:
    inner = Repo.init(repo.path / "inner", repo.engine)
    inner.commit({"n.c": lines("n")})
    inner.append("n.c")
    return repo


def packed(repo: Repo) -> Repo:
    repo.git("gc", "--quiet")
    return repo


def split(repo: Repo) -> Repo:
    repo.git("update-index", "--split-index", "--untracked-cache")
    return repo


def unborn(repo: Repo) -> Repo:
    return repo.beside("unborn")


SHAPES = [plain, linked, with_submodule, with_repository_inside, packed, split, unborn]


def contents(place: Path, store: str) -> dict[str, str]:
    """Every file under it but ours, by what it holds."""
    return {
        str(path): hashlib.sha256(os.readlink(path).encode() if path.is_symlink() else path.read_bytes()).hexdigest()
        for path in place.rglob("*")
        if (path.is_symlink() or path.is_file()) and not str(path).startswith(store) and OURS not in str(path)
    }


def settled(store: str) -> None:
    """Whatever git still does for us beside us is done."""
    for lock in Path(store).rglob("refresh.lock"):
        with lock.open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)


@pytest.mark.parametrize("shape", SHAPES)
def test_no_file_changes_and_no_hook_runs(repo: Repo, shape: Callable[[Repo], Repo]) -> None:
    tree = shape(repo)
    hooks = repo.path.parent / "hooks"
    hooks.mkdir()
    for name in HOOKS:
        (hooks / name).write_text(f"#!/bin/sh\necho {name} >> '{hooks}/ran'\n")
        (hooks / name).chmod(0o755)
    tree.git("config", "--global", "core.hooksPath", str(hooks))
    tree.write("dirty.ts")
    tree.git("add", "dirty.ts")
    assert "post-index-change" in (hooks / "ran").read_text()  # they do run where git is used as usual
    (hooks / "ran").unlink()
    tree.append("dirty.ts")
    engine = tree.engine.opened()
    before = contents(repo.path.parent, repo.engine.store)
    engine.take("start", tree.tree)
    settled(repo.engine.store)
    assert contents(repo.path.parent, repo.engine.store) == before
    tree.write("new.ts")
    before = contents(repo.path.parent, repo.engine.store)
    index = Path(tree.git("rev-parse", "--path-format=absolute", "--git-path", "index").strip())
    written = index.stat().st_mtime_ns
    engine.take("end", tree.tree)
    compared = engine.compare(tree.tree, ["start", "end"])
    engine.forget(tree.tree, [], ["start", "end"])
    settled(repo.engine.store)
    assert [one.path for one in compared.changes] == ["new.ts"]
    assert contents(repo.path.parent, repo.engine.store) == before
    assert index.stat().st_mtime_ns == written
    assert not (hooks / "ran").exists()


@pytest.mark.parametrize("shape", SHAPES)
def test_a_running_task_has_one_ref_and_an_ended_one_none(repo: Repo, shape: Callable[[Repo], Repo]) -> None:
    tree = shape(repo)
    before = repo.refs()
    tree.engine.take("start", tree.tree)
    ours = [ref for ref in repo.refs() if ref not in before]
    assert [ref.rpartition("/")[2] for ref in ours] == ([] if shape is unborn else ["start"])
    assert all(ref.startswith("refs/deedlog/") for ref in ours)
    tree.engine.forget(tree.tree)
    assert repo.refs() == before
    assert not (repo.path / ".git/refs/deedlog").exists()


@pytest.mark.proves("track:change:kept")
@pytest.mark.parametrize("pruned", [True, False])
def test_a_ref_of_ours_that_git_packed_goes_too(repo: Repo, *, pruned: bool) -> None:
    with repo.task() as task:
        repo.git("pack-refs", "--all", *(["--prune"] if pruned else ["--no-prune"]))
        repo.write("new.ts")
    assert task.net == {"new.ts": "A"}
    assert repo.refs() == ["refs/heads/main"]


def test_refs_of_ours_are_not_pushed_cloned_or_described(repo: Repo) -> None:
    target = repo.beside("target", "--bare")
    repo.engine.take("start", repo.tree)
    repo.git("push", "--quiet", "--all", target.tree)
    repo.git("clone", "--quiet", repo.tree, "../cloned")
    assert target.refs() == ["refs/heads/main"]
    assert "deedlog" not in repo.git("log", "--oneline", "--decorate", "-1")
    cloned = Repo(repo.path.parent / "cloned", repo.engine)
    assert [ref for ref in cloned.refs() if "deedlog" in ref] == []


def test_contents_of_untracked_files_do_not_come_into_the_users_objects(repo: Repo) -> None:
    repo.write("notes.txt", "for my eyes\n")
    blob = repo.git("hash-object", "notes.txt").strip()
    with repo.task():
        repo.append("notes.txt", "again\n")
        edited = repo.git("hash-object", "notes.txt").strip()
    for oid in (blob, edited):
        assert repo.git("cat-file", "-t", oid, check=False) == ""


def test_an_agent_that_commits_all_the_time_never_meets_a_lock(repo: Repo) -> None:
    engine = repo.engine.opened()
    engine.take("start", repo.tree)
    command = [sys.executable, "-c", AGENT]
    taken = 0
    with subprocess.Popen(command, cwd=repo.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as agent:
        while agent.poll() is None:
            engine.take("during", repo.tree)
            engine.compare(repo.tree, ["start", "during"])
            taken += 1
        said = agent.communicate()
    assert (agent.returncode, said) == (0, ("", ""))
    assert taken > 0
    engine.take("end", repo.tree)
    assert [one.path for one in engine.compare(repo.tree, ["start", "end"]).changes] == ["agent.ts"]


def test_files_that_are_written_while_they_are_read(repo: Repo) -> None:
    """What is told in the meantime may be any state of theirs; afterwards it is the last."""
    stop = threading.Event()

    def scribble() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            repo.write("busy.ts", f"{number}\n" * (number % 50))
            repo.write(f"coming/{number % 7}.ts")
            (repo.path / f"coming/{(number + 3) % 7}.ts").unlink(missing_ok=True)

    engine = repo.engine.opened()
    engine.take("start", repo.tree)
    before = look(repo.tree)
    writer = threading.Thread(target=scribble)
    writer.start()
    try:
        for _ in range(10):
            engine.take("during", repo.tree)
            engine.compare(repo.tree, ["start", "during"])
    finally:
        stop.set()
        writer.join()
    engine.take("end", repo.tree)
    compared = engine.compare(repo.tree, ["start", "end"])
    assert {one.path for one in compared.changes} == truth(before, look(repo.tree)).net.keys()


def test_a_repository_that_may_not_be_written_to(repo: Repo) -> None:
    """Where even our ref cannot be: nothing is said against it, and the report is right."""
    folders = [path for path in (repo.path / ".git").rglob("*") if path.is_dir()]
    for folder in (repo.path / ".git", *folders):
        folder.chmod(0o555)
    called(repo, "take", "start")
    repo.append("auth.ts")
    called(repo, "take", "end")
    told = called(repo, "compare", "start", "end")
    for folder in (repo.path / ".git", *folders):
        folder.chmod(0o755)
    assert told["changes"] == {"auth.ts": "modified"}


def test_several_processes_share_what_is_kept(repo: Repo) -> None:
    """Servers, commands and hooks may all look at one tree at the same time."""
    repo.engine.take("start", repo.tree)
    repo.append("auth.ts")
    failed: list[BaseException] = []

    def take(number: int) -> None:
        try:
            engine = GitSnapshots(repo.engine.store)
            for turn in range(4):
                engine.take(f"{number}-{turn}", repo.tree)
                compared = engine.compare(repo.tree, ["start", f"{number}-{turn}"])
                assert [one.path for one in compared.changes] == ["auth.ts"]
                engine.forget(repo.tree, ["start"], [f"{number}-{turn}"])
        except BaseException as error:  # noqa: BLE001  # told below
            failed.append(error)

    threads = [threading.Thread(target=take, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    repo.engine.forget(repo.tree)
    assert [ref for ref in repo.refs() if "deedlog" in ref] == []
