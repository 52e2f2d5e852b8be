"""A worker's private repository: what git can do in it, and what comes back from it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from deedlog.git.private import make_private, pointer_to
from tests.engines.git.repo import Repo
from tests.engines.git.worktrees.sessions import Place, Session

pytestmark = pytest.mark.proves("worker:private-repository")


def lent(place: Place, session: Session) -> Path:
    """The tree as a worker has it where no mount can hide `.git`: the private repository."""
    found = place.trees.lend(session.tree)
    (session.path / ".git").write_bytes(Path(found.pointer).read_bytes())
    return Path(found.folder)


def everything(place: Place) -> dict[str, bytes]:
    """All files of the user's repository but what is the session's."""
    git = place.repo.path / ".git"
    files = (path for path in git.rglob("*") if path.is_file() and "worktrees" not in path.parts)
    return {str(path.relative_to(git)): path.read_bytes() for path in files}


def test_git_works_as_in_any_clone_and_writes_nothing_into_the_users_repository(place: Place) -> None:
    place.repo.git("tag", "v1")
    session = place.make()
    before = everything(place)
    lent(place, session)
    assert session.changed() == ""
    session.commit({"a.py": "after\n"})
    session.git("merge", "--quiet", "main")
    session.git("tag", "v2", "v1")
    session.git("switch", "--quiet", "--create", "aside")
    session.commit({"n.py": "new\n"})
    session.git("switch", "--quiet", "-")
    session.git("stash", "list")
    session.git("gc", "--quiet")
    assert session.git("log", "--format=%s", "main") == "work\n"
    assert everything(place) == before


def test_the_commits_come_back_and_nothing_else_moves(place: Place) -> None:
    session = place.make()
    lent(place, session)
    tip = session.commit({"a.py": "after\n"})
    session.git("update-ref", "refs/heads/main", tip)
    session.write("b.py", "not committed\n")
    before = place.repo.git("rev-parse", "main").strip()
    warnings = place.trees.take_back(session.tree)
    assert place.repo.git("rev-parse", "main").strip() == before
    assert place.repo.git("rev-parse", session.branch).strip() == tip
    assert session.git("symbolic-ref", "HEAD").strip() == f"refs/heads/{session.branch}"
    assert session.dirty() == ["b.py"]
    assert session.commits() == 1
    assert place.repo.git("fsck", "--strict", "--connectivity-only") == ""
    [told] = warnings
    assert "refs/heads/main" in told
    assert place.repo.git("rev-parse", told.split()[-1]).strip() == tip
    assert place.trees.take_back(session.tree) == []


def test_objects_in_packs_come_back_too(place: Place) -> None:
    session = place.make()
    lent(place, session)
    tip = session.commit({"a.py": "after\n"})
    session.git("repack", "-adlq")
    session.git("pack-refs", "--all")
    assert place.trees.take_back(session.tree) == []
    assert place.repo.git("rev-parse", session.branch).strip() == tip
    assert place.repo.git("fsck", "--strict") == ""


def test_flags_in_the_workers_index_disappear(place: Place) -> None:
    session = place.make()
    lent(place, session)
    session.write("a.py", "after\n")
    session.git("update-index", "--assume-unchanged", "a.py")
    session.git("update-index", "--skip-worktree", "b.py")
    session.delete("b.py")
    assert session.changed() == ""
    assert place.trees.take_back(session.tree) == []
    assert session.dirty() == ["a.py", "b.py"]


def test_what_is_left_out_of_a_tree_stays_left_out(place: Place) -> None:
    session = place.make(exclude=("secrets/**", "*.env"))
    place.repo.commit({"secrets/new.pem": "new\n", "c.py": "c\n"})
    lent(place, session)
    session.git("merge", "--quiet", "main")
    session.write("a.py", "after\n")
    assert not (session.path / "secrets").exists()
    assert place.trees.take_back(session.tree) == []
    assert session.dirty() == ["a.py"]
    assert not (session.path / "secrets").exists()


@pytest.mark.parametrize("how", ["merge", "rebase", "cherry-pick", "another", "detached"])
def test_a_worker_that_ends_in_the_middle_of_something_cannot_be_taken_for_done(place: Place, how: str) -> None:
    session = place.make()
    place.repo.commit({"a.py": "theirs\n"})
    lent(place, session)
    session.commit({"a.py": "ours\n"})
    if how == "another":
        session.git("switch", "--quiet", "--create", "another")
    elif how == "detached":
        session.git("switch", "--quiet", "--detach")
    else:
        session.git(how, "main", check=False)
    place.trees.take_back(session.tree)
    assert session.git("symbolic-ref", "--quiet", "HEAD", check=False) == ""
    assert place.repo.git("log", "--format=%s", f"main..{session.branch}") == "work\n"
    with pytest.raises(Exception, match="is not checked out"):
        place.trees.commit(session.tree, "done")


def test_a_branch_that_was_rewritten_comes_back_as_it_is(place: Place) -> None:
    session = place.make()
    lent(place, session)
    session.commit({"a.py": "one\n"})
    session.git("commit", "--quiet", "--amend", "--message=better")
    assert place.trees.take_back(session.tree) == []
    assert place.log(session.branch) == ["better", "work"]


def test_a_branch_that_moved_meanwhile_stays_and_the_work_is_kept(place: Place) -> None:
    session = place.make()
    lent(place, session)
    tip = session.commit({"a.py": "one\n"})
    place.repo.commit({"z.py": "z\n"})
    place.repo.git("update-ref", f"refs/heads/{session.branch}", "main")
    warnings = place.trees.take_back(session.tree)
    assert place.repo.git("rev-parse", session.branch) == place.repo.git("rev-parse", "main")
    assert "moved in your repository" in warnings[0]
    assert place.repo.git("rev-parse", warnings[1].split()[-1]).strip() == tip


def _loose(folder: Path, oid: str) -> Path:
    return folder / "objects" / oid[:2] / oid[2:]


def test_an_object_that_is_not_what_its_name_says_is_refused(place: Place) -> None:
    session = place.make()
    before = place.repo.git("rev-parse", session.branch)
    folder = lent(place, session)
    session.commit({"a.py": "one\n"})
    good = session.git("rev-parse", "HEAD:a.py").strip()
    bad = session.git("hash-object", "-w", "--stdin", given="evil\n").strip()
    place_of = _loose(folder, good)
    place_of.chmod(0o600)
    shutil.copyfile(_loose(folder, bad), place_of)
    [told] = place.trees.take_back(session.tree)
    assert "damaged" in told
    assert place.repo.git("rev-parse", session.branch) == before
    assert place.repo.git("fsck", "--no-dangling") == ""
    assert (session.path / ".git").read_bytes() == pointer_to(f"{place.repo.path}/.git/worktrees/task-5")


@pytest.mark.parametrize("trick", ["objects", "folder", "pipe", "alternates", "commit", "missing", "refs", "gone"])
def test_tricks_in_the_private_repository_change_nothing_of_the_users(place: Place, trick: str, tmp_path: Path) -> None:
    session = place.make()
    before = {name: place.repo.git("rev-parse", name) for name in ("main", session.branch)}
    elsewhere = place.repo.beside("elsewhere")
    foreign = elsewhere.commit({"x": "x\n"})
    folder = lent(place, session)
    session.commit({"a.py": "one\n"})
    ref = folder / "refs/heads" / session.branch
    if trick == "objects":
        shutil.rmtree(folder / "objects")
        (folder / "objects").symlink_to(elsewhere.path / ".git/objects")
        ref.write_text(foreign + "\n")
    elif trick == "folder":
        folder.rename(tmp_path / "moved")
        folder.symlink_to(elsewhere.path / ".git")
    elif trick == "pipe":
        found = next(path for path in (folder / "objects").glob("??/*"))
        found.unlink()
        os.mkfifo(found)
    elif trick == "alternates":
        (folder / "objects/info/alternates").write_text(f"{elsewhere.path}/.git/objects\n")
        ref.write_text(foreign + "\n")
    elif trick == "commit":
        ref.write_text(session.git("rev-parse", "HEAD^{tree}"))
    elif trick == "missing":
        ref.write_text("1" * 40 + "\n")
    elif trick == "refs":
        shutil.rmtree(folder / "refs")
        (folder / "refs").symlink_to(elsewhere.path / ".git/refs")
    else:
        shutil.rmtree(folder)
    place.trees.take_back(session.tree)
    assert {name: place.repo.git("rev-parse", name) for name in before} == before
    assert place.repo.git("fsck", "--no-dangling") == ""
    assert session.dirty() == ["a.py"]
    assert place.trees.take_back(session.tree) == []


def test_a_repository_in_the_place_of_the_pointer_is_set_aside(place: Place) -> None:
    session = place.make()
    lent(place, session)
    (session.path / ".deedlog").mkdir()
    (session.path / ".git").unlink()
    session.git("init", "--quiet")
    session.git("config", "core.fsmonitor", f"touch {place.repo.path}/ran; false")
    assert place.trees.take_back(session.tree) == []
    assert session.dirty() == []
    assert not (place.repo.path / "ran").exists()


def test_submodules_that_a_worker_fetched_still_work(place: Place) -> None:
    inner = place.repo.beside("inner")
    inner.commit({"i.py": "i\n"})
    place.repo.git("submodule", "--quiet", "add", "../inner", "sub")
    place.repo.commit()
    session = place.make()
    lent(place, session)
    session.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
    assert place.trees.take_back(session.tree) == []
    assert session.dirty() == []
    assert Repo(session.path / "sub", session.engine).git("status", "--porcelain") == ""


def formats() -> list[str]:
    """Other formats of repositories that this git knows."""
    usage = subprocess.run(["git", "init", "-h"], capture_output=True, text=True, check=False)
    known = usage.stdout + usage.stderr
    return ["--object-format=sha256", *(["--ref-format=reftable"] if "ref-format" in known else [])]


@pytest.mark.parametrize("form", formats())
def test_other_formats_of_repositories_work(tmp_path: Path, form: str) -> None:
    place = Place.init(tmp_path / "place", form)
    session = place.make()
    lent(place, session)
    tip = session.commit({"a.py": "after\n"})
    assert place.trees.take_back(session.tree) == []
    assert place.repo.git("rev-parse", session.branch).strip() == tip


def test_hooks_of_the_user_run_in_the_private_repository(place: Place) -> None:
    hook = place.repo.path / ".git/hooks/commit-msg"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho hooked >> $1\n")
    hook.chmod(0o755)
    session = place.make()
    lent(place, session)
    session.commit({"a.py": "after\n"})
    assert "hooked" in session.git("log", "-1", "--format=%B")


def test_a_repository_without_a_linked_tree_can_have_a_private_one(place: Place, tmp_path: Path) -> None:
    tree = tmp_path / "fresh"
    tree.mkdir()
    folder = tmp_path / "private"
    make_private(f"{place.repo.path}/.git", str(folder), str(tree), head=place.repo.head())
    (tree / ".git").write_bytes(pointer_to(str(folder)))
    fresh = Repo(tree, place.repo.engine)
    fresh.git("reset", "--quiet", "--hard")
    assert fresh.git("status", "--porcelain") == ""
    assert (tree / "a.py").exists()
    assert fresh.git("merge-base", "HEAD", "main").strip() == place.repo.head()


def test_a_partial_clone_can_be_lent(place: Place, tmp_path: Path) -> None:
    place.repo.git("config", "uploadpack.allowFilter", "true")
    place.repo.git("clone", "--quiet", "--filter=blob:none", f"file://{place.repo.path}", str(tmp_path / "partial"))
    clone = Place(Repo(tmp_path / "partial", place.repo.engine))
    place.repo.commit({"late.py": "late\n"})
    clone.repo.git("pull", "--quiet")
    session = clone.make()
    lent(clone, session)
    tip = session.commit({"a.py": "after\n"})
    assert clone.trees.take_back(session.tree) == []
    assert clone.repo.git("rev-parse", session.branch).strip() == tip
    assert session.dirty() == []


def test_large_files_come_back_under_the_name_of_their_contents(place: Place) -> None:
    from hashlib import sha256

    session = place.make()
    folder = lent(place, session)
    good = sha256(b"large").hexdigest()
    for digest, content in ((good, b"large"), ("0" * 64, b"other")):
        path = folder / "lfs/objects" / digest[:2] / digest[2:4] / digest
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
    [told] = place.trees.take_back(session.tree)
    assert "1 large file" in told
    there = [path.name for path in (place.repo.path / ".git/lfs/objects").rglob("*") if path.is_file()]
    assert there == [good]


def how(place: Place, session: Session) -> tuple[dict[str, str], dict[str, str]]:
    """What the session did itself, and what it took over from others."""
    place.trees.take_back(session.tree)
    engine = place.repo.engine.opened()
    engine.take("end", session.tree)
    compared = engine.compare(session.tree, ["start", "end"])
    own = {one.path: one.status for one in compared.changes if one.origin != "arrived"}
    return own, {one.path: one.status for one in compared.changes if one.origin == "arrived"}


@pytest.mark.parametrize("by", ["merge", "forward", "rebase", "amend", "nothing"])
def test_work_of_the_worker_is_told_from_what_it_took_over(place: Place, by: str) -> None:
    session = place.make()
    place.repo.engine.opened().take("start", session.tree)
    lent(place, session)
    if by != "forward":
        session.commit({"mine.py": "mine\n"})
    place.repo.commit({"theirs.py": "theirs\n"})
    shutil.copytree(place.repo.path / ".git/objects", session.path / ".deedlog/objects")
    main = place.repo.head()
    session.write("dirty.py")
    if by in ("merge", "forward"):
        session.git("merge", "--quiet", "--no-edit", main)
    elif by == "rebase":
        session.git("rebase", "--quiet", main)
    elif by == "amend":
        session.git("commit", "--quiet", "--amend", "--message=better")
    shutil.rmtree(session.path / ".deedlog")
    own, arrived = how(place, session)
    assert own == {"dirty.py": "added"} | ({"mine.py": "added"} if by != "forward" else {})
    assert arrived == ({"theirs.py": "added"} if by in ("merge", "forward", "rebase") else {})
    assert place.trees.merged(session.branch, session.base, "main") == ""


class Killed(BaseException):
    """Stands for a signal that nothing can catch."""


POINTS = ("bring", "steps", "write_log", "write_whole", "bring_large_files", "read_small", "_clear", "_point_back")


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("point", [*POINTS, "update-ref", "read-tree", "unlink", "rmtree"])
def test_killed_anywhere_the_next_call_finishes_it(
    place: Place, point: str, when: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from deedlog.git import loan

    session = place.make()
    place.repo.engine.opened().take("start", session.tree)
    lent(place, session)
    tip = session.commit({"mine.py": "mine\n"})
    session.git("branch", "aside")
    session.write("dirty.py")
    kill(monkeypatch, loan, point, when)
    try:
        place.trees.take_back(session.tree)
    except Killed:
        pass
    monkeypatch.undo()
    place.trees.take_back(session.tree)
    assert place.repo.git("rev-parse", session.branch).strip() == tip
    assert place.repo.git("rev-parse", "refs/deedlog/kept/task-5.refs/heads/aside").strip() == tip
    assert session.git("symbolic-ref", "HEAD").strip() == f"refs/heads/{session.branch}"
    assert session.dirty() == ["dirty.py"]
    assert how(place, session) == ({"mine.py": "added", "dirty.py": "added"}, {})
    assert not (place.repo.path / ".git/worktrees/task-5/deedlog-lent").exists()
    assert place.repo.git("fsck", "--no-dangling") == ""


def kill(monkeypatch: pytest.MonkeyPatch, loan: object, point: str, when: str) -> None:
    """Let the process die before or after the last of the calls of a function, or of git with a command."""
    from deedlog.git.acting import ActingGit

    def dying(real: Any, fits: Any) -> Any:
        def call(*words: Any, **more: Any) -> Any:
            if not fits(words):
                return real(*words, **more)
            if when == "after":
                real(*words, **more)
            raise Killed

        return call

    if "-" in point:
        run = dying(ActingGit.run, lambda words: words[1] == point)
        monkeypatch.setattr(ActingGit, "run", run)
    elif point in ("unlink", "rmtree"):
        module = loan.os if point == "unlink" else loan.shutil  # type: ignore[attr-defined]
        monkeypatch.setattr(module, point, dying(getattr(module, point), lambda words: "worktrees" in str(words[0])))
    else:
        monkeypatch.setattr(loan, point, dying(getattr(loan, point), lambda _: True))
