"""Modes, links, filters, flags, and edits that git could overlook."""

from __future__ import annotations

import os
import socket
import stat
import sys
from pathlib import Path

import pytest

from tests.engines.git.child import called
from tests.engines.git.repo import Repo, lines

pytestmark = pytest.mark.proves("track:change:special")

STORING_FILTER = """
import hashlib, os, subprocess, sys
content = sys.stdin.buffer.read()
if sys.argv[1] == "clean":
    digest = hashlib.sha256(content).hexdigest()
    asked = subprocess.run(["git", "config", "lfs.storage"], capture_output=True, text=True).stdout.strip()
    store = os.path.join(asked or os.path.join(".git", "lfs"), "objects")
    os.makedirs(store, exist_ok=True)
    with open(os.path.join(store, digest), "wb") as file:
        file.write(content)
    sys.stdout.write(f"version 1\\noid sha256:{digest}\\nsize {len(content)}\\n")
else:
    sys.stdout.buffer.write(open(f".git/lfs/objects/{content.split()[3][7:].decode()}", "rb").read())
"""


def test_a_change_of_the_mode_alone(repo: Repo) -> None:
    with repo.task() as task:
        (repo.path / "auth.ts").chmod(0o755)
    assert task.net == {"auth.ts": "M"}
    assert b"old mode 100644\nnew mode 100755\n" in task.patch


def test_a_mode_changed_before_the_start(repo: Repo) -> None:
    (repo.path / "auth.ts").chmod(0o755)
    with repo.task() as task:
        (repo.path / "auth.ts").chmod(0o700)
    assert task.net == {}


def test_modes_where_the_user_has_git_not_look_at_them(repo: Repo) -> None:
    repo.git("config", "core.fileMode", "false")
    with repo.task() as task:
        (repo.path / "auth.ts").chmod(0o755)
        repo.append("database.ts")
    assert task.net == {"database.ts": "M"}


def test_a_link_that_points_elsewhere_and_a_file_that_becomes_a_link(repo: Repo) -> None:
    repo.link("link", "auth.ts")
    repo.commit()
    with repo.task() as task:
        repo.delete("link")
        repo.link("link", "src")
        repo.delete("database.ts")
        repo.link("database.ts", "auth.ts")
    assert task.net == {"link": "M", "database.ts": "M"}


def test_new_links_to_a_folder_outside_and_to_nothing(repo: Repo) -> None:
    repo.link("before", "/etc")
    with repo.task() as task:
        repo.link("etc", "/etc")
        repo.link("dangling", "nowhere")
        repo.link("loop", "loop")
    assert task.net == {"etc": "A", "dangling": "A", "loop": "A"}


def test_a_folder_that_becomes_a_link_to_another(repo: Repo) -> None:
    repo.commit({"other/u.ts": lines("other")})
    with repo.task() as task:
        repo.delete("src/u.ts")
        (repo.path / "src").rmdir()
        repo.link("src", "other")
    assert task.net == {"src": "A", "src/u.ts": "D"}


def test_a_file_that_becomes_a_folder_and_a_folder_that_becomes_a_file(repo: Repo) -> None:
    with repo.task() as task:
        repo.delete("auth.ts")
        repo.write("auth.ts/index.ts")
        repo.delete("src/u.ts")
        (repo.path / "src").rmdir()
        repo.write("src", "file\n")
    assert task.net == {"auth.ts": "D", "auth.ts/index.ts": "A", "src": "A", "src/u.ts": "D"}


def test_pipes_and_sockets_in_the_tree(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repo.path)
    with repo.task() as task, socket.socket(socket.AF_UNIX) as door:
        os.mkfifo("pipe")
        door.bind("door")
        repo.write("n.ts")
    assert task.net == {"n.ts": "A"}


def test_a_file_that_becomes_a_pipe_is_gone(repo: Repo) -> None:
    with repo.task() as task:
        repo.delete("auth.ts")
        os.mkfifo(repo.path / "auth.ts")
    assert task.net == {"auth.ts": "D"}


def test_a_file_nobody_may_read(repo: Repo) -> None:
    """In a process that may not read everything, as most may not."""
    repo.write("secret.ts")
    repo.write("other.ts")
    (repo.path / "secret.ts").chmod(0)
    called(repo, "take", "start")
    repo.write("n.ts")
    repo.append("auth.ts")
    repo.delete("other.ts")
    called(repo, "take", "end")
    compared = repo.engine.compare(repo.tree, ["start", "end"])
    assert {one.path: one.status for one in compared.changes} == {
        "n.ts": "added",
        "auth.ts": "modified",
        "other.ts": "deleted",
    }


def test_a_new_file_nobody_may_read_is_reported_with_a_warning(repo: Repo) -> None:
    called(repo, "take", "start")
    repo.write("secret.ts")
    (repo.path / "secret.ts").chmod(0)
    (repo.path / "auth.ts").chmod(0)
    end = called(repo, "take", "end")
    compared = repo.engine.compare(repo.tree, ["start", "end"])
    assert {"secret.ts": "added"}.items() <= {one.path: one.status for one in compared.changes}.items()
    assert [*end["warnings"], *compared.warnings] or all(one.note for one in compared.changes)


def test_line_ends_that_git_evens_out_are_no_change(repo: Repo) -> None:
    repo.commit({".gitattributes": "* text=auto\n"})
    with repo.task() as task:
        repo.write("auth.ts", lines("auth.ts").replace("\n", "\r\n"))
        repo.write("n.ts", "a\r\nb\r\n")
    assert task.net == {"n.ts": "A"}


def test_line_ends_evened_out_by_the_users_setting(repo: Repo) -> None:
    repo.git("config", "core.autocrlf", "true")
    repo.write("dirty.ts", "a\r\nb\r\n")
    with repo.task() as task:
        repo.write("auth.ts", lines("auth.ts").replace("\n", "\r\n"))
        repo.write("dirty.ts", "a\nb\n")
    assert task.net == {}


def shouting(repo: Repo) -> None:
    """Files *.up are small on disk and capital in git."""
    repo.git("config", "filter.up.clean", "tr a-z A-Z")
    repo.git("config", "filter.up.smudge", "tr A-Z a-z")
    repo.write(".gitattributes", "*.up filter=up\n")


def test_a_filter_between_disk_and_git(repo: Repo) -> None:
    shouting(repo)
    repo.commit({"old.up": "one\ntwo\n", "edited.up": "one\n"})
    repo.write("dirty.up", "dirty\n")
    with repo.task() as task:
        repo.write("old.up", "One\nTwo\n")
        repo.write("dirty.up", "Dirty\n")
        repo.write("edited.up", "three\n")
        repo.write("new.up", "four\n")
    assert task.net == {"edited.up": "M", "new.up": "A"}
    assert b"-ONE\n+THREE\n" in task.patch


def test_a_filter_set_up_during_the_task(repo: Repo) -> None:
    repo.commit({"old.up": "ONE\n"})
    with repo.task() as task:
        shouting(repo)
        repo.write("old.up", "one\n")
    assert task.net == {".gitattributes": "A"}


def test_words_git_writes_into_files(repo: Repo) -> None:
    repo.write(".gitattributes", "*.id ident\n")
    repo.commit({"old.id": "$Id$\n", "edited.id": "$Id$\n"})
    with repo.task() as task:
        repo.delete("old.id")
        repo.git("checkout", "--", "old.id")
        repo.append("edited.id")
    assert repo.read("old.id") != b"$Id$\n"
    assert task.net == {"edited.id": "M"}


def test_another_encoding_on_disk(repo: Repo) -> None:
    repo.write(".gitattributes", "*.txt working-tree-encoding=UTF-16\n")
    repo.commit({"old.txt": "é one\n".encode("utf-16"), "edited.txt": "é\n".encode("utf-16")})
    with repo.task() as task:
        repo.write("old.txt", "é one\n".encode("utf-16-be"))
        repo.write("old.txt", "é one\n".encode("utf-16"))
        repo.write("edited.txt", "ü\n".encode("utf-16"))
    assert task.net == {"edited.txt": "M"}


def test_a_filter_that_keeps_contents_elsewhere(repo: Repo) -> None:
    """Large files as Git LFS has them: nothing may be added to its store, which is inside `.git`."""
    (repo.path.parent / "storing.py").write_text(STORING_FILTER)
    for way in ("clean", "smudge"):
        repo.git("config", f"filter.lfs.{way}", f"'{sys.executable}' ../storing.py {way} %f")
    repo.git("config", "filter.lfs.required", "true")
    repo.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n")
    repo.commit({"replaced.bin": b"\0one", "touched.bin": b"\0two"})
    repo.write("before.bin", b"\0three")
    with repo.task() as task:
        repo.write("replaced.bin", b"\0other")
        os.utime(repo.path / "touched.bin")
        repo.write("new.bin", b"\0four")
    assert task.net == {"replaced.bin": "M", "new.bin": "A"}


def test_a_filter_whose_program_is_missing(repo: Repo) -> None:
    repo.write(".gitattributes", "*.bin filter=lfs\n")
    repo.commit({"edited.bin": b"\0one", "touched.bin": b"\0two"})
    for way in ("clean", "smudge"):
        repo.git("config", f"filter.lfs.{way}", f"no-such-program {way} %f")
    repo.git("config", "filter.lfs.process", "no-such-program filter-process")
    repo.git("config", "filter.lfs.required", "true")
    repo.write("before.bin", b"\0three")
    with repo.task() as task:
        repo.write("edited.bin", b"\0other")
        os.utime(repo.path / "touched.bin")
        repo.write("new.bin", b"\0four")
    assert task.net == {"edited.bin": "M", "new.bin": "A"}
    assert task.warnings


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_a_file_git_was_told_not_to_look_at(repo: Repo, flag: str) -> None:
    repo.git("update-index", flag, "auth.ts", "database.ts")
    repo.append("database.ts", "of a person\n")
    with repo.task() as task:
        repo.append("auth.ts")
    assert task.net == {"auth.ts": "M"}
    assert repo.git("ls-files", "-v", "auth.ts")[0] in "hS"


def test_a_file_git_was_told_not_to_look_at_during_the_task(repo: Repo) -> None:
    with repo.task() as task:
        repo.git("update-index", "--assume-unchanged", "auth.ts", "database.ts")
        repo.append("auth.ts")
        repo.delete("database.ts")
    assert task.net == {"auth.ts": "M", "database.ts": "D"}


@pytest.mark.parametrize("content", ["new\n", ""])
def test_an_intent_to_add(repo: Repo, content: str) -> None:
    repo.write("n.ts", content)
    repo.write("gone.ts", content)
    repo.git("add", "--intent-to-add", "n.ts", "gone.ts")
    with repo.task() as task:
        repo.delete("gone.ts")
        repo.write("later.ts", content)
        repo.git("add", "--intent-to-add", "later.ts")
    assert task.net == {"gone.ts": "D", "later.ts": "A"}


def test_an_intent_to_add_a_file_that_is_gone(repo: Repo) -> None:
    repo.write("gone.ts")
    repo.git("add", "--intent-to-add", "gone.ts")
    repo.delete("gone.ts")
    with repo.task() as task:
        repo.append("auth.ts")
    assert task.net == {"auth.ts": "M"}


def test_an_intent_to_add_a_file_that_is_gone_is_given_up(repo: Repo) -> None:
    repo.write("gone.ts", "")
    repo.git("add", "--intent-to-add", "gone.ts")
    repo.delete("gone.ts")
    with repo.task() as task:
        repo.git("reset", "--quiet", "--", "gone.ts")
        repo.commit({"auth.ts": lines("login")})
        repo.git("reset", "--quiet", "--soft", "HEAD~1")  # so that private state is made anew
    assert task.net == {"auth.ts": "M"}


def next_second(repo: Repo) -> None:
    """Wait until a change of a file bears another second: git compares no finer."""
    probe = repo.path.parent / "probe"
    probe.touch()
    first = probe.stat().st_ctime
    while int(probe.stat().st_ctime) == int(first):
        probe.touch()


def test_edits_of_the_same_size_right_after_the_index_was_written(repo: Repo) -> None:
    names = [f"{number}.ts" for number in range(6)]
    repo.commit(dict.fromkeys(names, "one\n"))
    with repo.task() as task:
        for name in names:
            repo.write(name, "two\n")
    assert task.net == dict.fromkeys(names, "M")


def test_edits_of_the_same_size_in_the_second_of_the_index_and_a_start_that_comes_later(repo: Repo) -> None:
    """A copy of the index that seems younger than the edits would hide them."""
    names = [f"{number}.ts" for number in range(6)]
    next_second(repo)
    repo.commit(dict.fromkeys(names, "one\n"))
    for name in names:
        repo.write(name, "two\n")
    next_second(repo)
    with repo.task() as task:
        repo.git("checkout", "--", *names)
    assert task.net == dict.fromkeys(names, "M")


def test_an_edit_of_the_same_size_with_the_time_put_back(repo: Repo) -> None:
    old = 1_000_000_000_000_000_000
    for name in ("auth.ts", "database.ts"):
        os.utime(repo.path / name, ns=(old, old))
    repo.git("update-index", "--refresh")
    with repo.task() as task:
        next_second(repo)
        repo.same_size_edit("auth.ts")
    assert (repo.path / "auth.ts").stat().st_mtime_ns == old
    assert task.net == {"auth.ts": "M"}


def test_an_edit_of_the_same_size_of_what_was_dirty_before(repo: Repo) -> None:
    repo.write("n.txt", "one\n")
    repo.append("auth.ts")
    with repo.task() as task:
        repo.same_size_edit("n.txt")
        repo.same_size_edit("auth.ts")
    assert task.net == {"n.txt": "M", "auth.ts": "M"}


def test_a_file_replaced_by_another_of_the_same_size_and_time(repo: Repo, tmp_path: Path) -> None:
    repo.write("n.txt", "one\n")
    with repo.task() as task:
        next_second(repo)
        for name in ("n.txt", "auth.ts"):
            before = (repo.path / name).stat()
            (tmp_path / name).write_bytes(b"x" * before.st_size)
            (tmp_path / name).chmod(stat.S_IMODE(before.st_mode))
            os.utime(tmp_path / name, ns=(before.st_atime_ns, before.st_mtime_ns))
            (tmp_path / name).rename(repo.path / name)
    assert task.net == {"n.txt": "M", "auth.ts": "M"}
