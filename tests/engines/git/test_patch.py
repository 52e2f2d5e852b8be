"""The patch of a task and its counts of lines. On random histories they are checked in `test_random_histories`."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from deedlog.core.change import NOT_KEPT, WITHHELD
from deedlog.git.command import Git
from tests.engines.git.patches import check_patch
from tests.engines.git.repo import Outcome, Repo, lines
from tests.engines.git.walk import Seen, look

pytestmark = pytest.mark.proves("track:change:kept")


def wrong(task: Outcome, before: Seen, after: Seen, place: Path) -> list[str]:
    return check_patch(place / "patched", before, after, task.compared)


def test_the_patch_makes_the_end_of_the_start(repo: Repo, tmp_path: Path) -> None:
    repo.write("no-end.txt", "no end")
    repo.write("crlf.txt", "a\r\nb\r\n")
    repo.write("bytes.bin", bytes(range(256)))
    repo.write("tool.sh", "#!/bin/sh\n")
    repo.link("link", "auth.ts")
    repo.commit()
    repo.append("auth.ts", "dirty before\n")
    before = look(repo.tree)
    with repo.task() as task:
        repo.append("auth.ts")
        repo.append("no-end.txt", " yet\nnow\n")
        repo.write("crlf.txt", "a\r\nc\n")
        repo.write("bytes.bin", bytes(reversed(range(256))))
        (repo.path / "tool.sh").chmod(0o755)
        repo.delete("link")
        repo.link("link", "src/u.ts")
        repo.rename("src/u.ts", "src/moved.ts")
        repo.delete("database.ts")
        repo.link("database.ts", "nowhere")
        repo.write("empty.txt", "")
        repo.write("odd\n\"name'é.txt", "odd\n")
        repo.write("diff.txt", "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n")
    assert len(task.own) == 12
    assert wrong(task, before, look(repo.tree), tmp_path) == []


def test_a_change_of_the_mode_is_told_where_no_line_tells_it(repo: Repo) -> None:
    repo.write("bytes.bin", bytes(range(256)))
    repo.write("moved.sh", lines("moved"))
    repo.write("plain.txt", "x\n")
    repo.commit()
    with repo.task() as task:
        repo.write("bytes.bin", bytes(reversed(range(256))))
        repo.rename("moved.sh", "tool.sh")
        repo.write("plain.txt", "x\nnew mode 100755\n")
        for name in ("auth.ts", "bytes.bin", "tool.sh"):
            (repo.path / name).chmod(0o755)
    told = {change.path: (change.note, change.added) for change in task.compared.changes}
    assert told["auth.ts"] == ("mode changed to 100755", 0)
    assert told["bytes.bin"] == ("binary; mode changed to 100755", None)
    assert told["tool.sh"] == ("mode changed to 100755", 0)
    assert told["plain.txt"] == ("", 1)


@pytest.mark.parametrize("way", ["file to link", "link to file", "file to folder", "folder to file"])
def test_a_change_of_the_kind_of_file_is_counted_as_git_does(repo: Repo, tmp_path: Path, way: str) -> None:
    repo.link("link", "auth.ts")
    repo.commit()
    before = look(repo.tree)
    with repo.task() as task:
        if way == "file to link":
            repo.delete("auth.ts")
            repo.link("auth.ts", "database.ts")
        elif way == "link to file":
            repo.delete("link")
            repo.write("link", lines("link"))
        elif way == "file to folder":
            repo.delete("auth.ts")
            repo.write("auth.ts/index.ts", lines("auth.ts"))
        else:
            shutil.rmtree(repo.path / "src")
            repo.write("src", lines("src"))
    assert wrong(task, before, look(repo.tree), tmp_path) == []


def test_a_rename_counts_its_lines_where_the_new_name_is(repo: Repo) -> None:
    with repo.task() as task:
        repo.rename("auth.ts", "login.ts")
        repo.append("login.ts")
    assert (task["auth.ts"].added, task["auth.ts"].deleted) == (0, 0)
    assert (task["login.ts"].added, task["login.ts"].deleted) == (1, 0)
    assert b"rename from auth.ts\nrename to login.ts\n" in task.patch


def test_lines_that_look_like_a_patch_are_counted_as_lines(repo: Repo) -> None:
    with repo.task() as task:
        repo.write("a.txt", "++ plus\n-- minus\n@@ -1 +1 @@\n\\ No newline at end of file\n")
    assert (task["a.txt"].added, task["a.txt"].deleted) == (4, 0)


def test_a_binary_file_has_no_lines_and_is_whole_in_the_patch(repo: Repo) -> None:
    with repo.task() as task:
        repo.write("a.bin", b"\0" + os.urandom(1000))
    assert (task["a.bin"].added, task["a.bin"].deleted, task["a.bin"].note) == (None, None, "binary")
    assert b"GIT binary patch" in task.patch


def test_the_patch_has_only_the_tasks_own_work(repo: Repo) -> None:
    other = repo.clone("other")
    with repo.task() as task:
        other.commit({"n.ts": "theirs\n", "src/u.ts": lines("src/u.ts") + "theirs\n"})
        repo.git("pull", "--quiet", "origin", "main")
        repo.write("src/u.ts", "mine\n" + lines("src/u.ts") + "theirs\n")
    assert b"+mine" in task.patch
    assert b"theirs" not in task.patch.replace(b" theirs", b"")
    assert (task["src/u.ts"].added, task["src/u.ts"].deleted) == (1, 0)


def test_the_patch_of_many_files_is_whole(repo: Repo, tmp_path: Path) -> None:
    before = look(repo.tree)
    with repo.task() as task:
        for number in range(600):
            repo.write(f"many/{number}.ts", lines(f"{number}", 3))
    assert len(task.own) == 600
    assert {one.added for one in task.compared.changes} == {3}
    assert wrong(task, before, look(repo.tree), tmp_path) == []


def test_the_repository_may_be_gone_when_the_patch_is_read(repo: Repo) -> None:
    with repo.task() as task:
        repo.append("auth.ts")
    shutil.rmtree(repo.path)
    assert b"+more" in task.patch


def test_comparing_does_not_ask_the_users_index(repo: Repo) -> None:
    engine = repo.engine
    engine.take("start", repo.tree)
    repo.commit({"auth.ts": lines("login")})
    engine.take("end", repo.tree)
    repo.write(".git/index", "nonsense")
    compared = engine.compare(repo.tree, ["start", "end"])
    assert [(one.path, one.added) for one in compared.changes] == [("auth.ts", 10)]


def test_a_file_git_shows_nothing_of_takes_no_part_of_another_ones_patch(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Git.run

    def short(git: Git, *words: str, stdin: bytes = b"", fine: Sequence[int] = (0,)) -> bytes:
        out = run(git, *words, stdin=stdin, fine=fine)
        first, second = (out.find(b"diff --git a/" + name) for name in (b"auth.ts", b"database.ts"))
        return out[:first] + out[second:] if "-p" in words else out

    monkeypatch.setattr(Git, "run", short)
    with repo.task() as task:
        repo.append("auth.ts")
        repo.append("database.ts", "1\n2\n")
    assert (task["auth.ts"].added, task["auth.ts"].note) == (None, NOT_KEPT)
    assert (task["database.ts"].added, task["database.ts"].note) == (2, "")
    assert b"auth.ts" not in task.patch


@pytest.mark.parametrize("committed", [False, True])
def test_a_secret_stays_one_under_another_name(repo: Repo, *, committed: bool) -> None:
    repo.write(".env", "PASSWORD=hunter2\n")
    if committed:
        repo.commit()
    with repo.task() as task:
        repo.rename(".env", "settings.txt")
        repo.write("empty.txt", "")
    assert {one.path: one.note for one in task.compared.changes} == {
        ".env": WITHHELD,
        "settings.txt": WITHHELD,
        "empty.txt": "",
    }
    assert b"hunter2" not in task.patch


def test_what_a_partial_clone_does_not_have_is_not_fetched(repo: Repo) -> None:
    fetched = repo.path.parent / "fetched"
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.git("clone", "--quiet", "--filter=blob:none", f"file://{repo.tree}", "../partial")
    partial = Repo(repo.path.parent / "partial", repo.engine)
    repo.commit({"auth.ts": "theirs\n"})
    partial.git("fetch", "--quiet")
    partial.git("config", "remote.origin.uploadpack", f"touch '{fetched}'; git-upload-pack")
    with partial.task() as task:
        partial.git("reset", "--quiet", "--soft", "origin/main")  # and so undoes what others did to a file
        partial.append("database.ts")
    assert not fetched.exists()
    assert task.own == {"auth.ts": "M", "database.ts": "M"}
    assert (task["auth.ts"].note, task["database.ts"].note) == (NOT_KEPT, "")
    assert task["database.ts"].added == 1
