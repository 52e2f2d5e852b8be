from __future__ import annotations

import subprocess
import sys
from base64 import b64decode

import pytest

from deedlog.core.errors import NotFound
from deedlog.testing import app_in
from tests.ops.track.conftest import Work


def whole(work: Work, task_id: str) -> bytes:
    """The patch, page after page."""
    data, cursor = b"", None
    while True:
        page = work.call("task_patch", task_id=task_id, cursor=cursor)
        assert len(page["patch"]) <= 30_000
        data += b64decode(page["patch"]) if page.get("encoding") == "base64" else page["patch"].encode()
        cursor = page.get("next_cursor")
        if cursor is None:
            return data


@pytest.mark.proves("track:change:kept")
def test_the_patch_can_be_applied_elsewhere_and_taken_back(in_git: Work) -> None:
    in_git.git("clone", "-q", ".", "../clone")
    task_id = in_git.start()
    in_git.write("README.md", text="hello\nworld\n")
    in_git.write("many.txt", text="".join(f"line {number} é\n" for number in range(5_000)))
    (in_git.tree / "image.bin").write_bytes(bytes(range(256)) * 20)
    in_git.write("latin.txt")
    (in_git.tree / "latin.txt").write_bytes(b"caf\xe9\n")
    in_git.complete(task_id)
    patch = whole(in_git, task_id)
    clone = in_git.tree.parent / "clone"
    subprocess.run(["git", "apply"], cwd=clone, input=patch, check=True)
    for name in ("README.md", "many.txt", "image.bin", "latin.txt"):
        assert (clone / name).read_bytes() == (in_git.tree / name).read_bytes()
    subprocess.run(["git", "apply", "--reverse"], cwd=in_git.tree, input=patch, check=True)
    assert in_git.git("status", "--porcelain") == ""


@pytest.mark.proves("track:change:kept", "face:cli:raw")
def test_the_command_prints_it_byte_by_byte(in_git: Work) -> None:
    store = in_git.tree / ".git" / "deedlog"
    work = Work(app_in(str(store), tree=str(in_git.tree)), in_git.tree)
    task_id = work.start()
    work.write("many.txt", text="".join(f"line {number} é\n" for number in range(5_000)))
    (work.tree / "latin.txt").write_bytes(b"caf\xe9\x1b[31m\n")
    work.complete(task_id)
    command = [sys.executable, "-m", "deedlog", "task", "patch", task_id]
    done = subprocess.run(command, cwd=work.tree, capture_output=True, check=True)
    assert done.stdout == whole(work, task_id)
    assert b"caf\xe9\x1b[31m\n" in done.stdout


@pytest.mark.proves("face:cli:raw")
def test_what_the_patch_leaves_out_is_named_beside_it(in_git: Work) -> None:
    store = in_git.tree / ".git" / "deedlog"
    work = Work(app_in(str(store), tree=str(in_git.tree)), in_git.tree)
    task_id = work.start()
    work.write(".env", "a.ts")
    (work.tree / "image.bin").write_bytes(bytes(range(256)))
    left_out = ["left out: .env (content withheld: it may hold secrets)"]
    assert work.call("task_patch", task_id=task_id)["warnings"] == left_out
    work.complete(task_id)
    assert work.call("task_patch", task_id=task_id)["warnings"] == left_out
    command = [sys.executable, "-m", "deedlog", "task", "patch", task_id]
    done = subprocess.run(command, cwd=work.tree, capture_output=True, check=True)
    assert done.stdout == whole(work, task_id)
    assert done.stderr.decode() == f"warning: {left_out[0]}\n"


def test_only_the_first_page_names_what_is_left_out_and_not_without_end(in_git: Work) -> None:
    task_id = in_git.start()
    in_git.write("many.txt", text="line\n" * 10_000)
    in_git.write(*(f"{number:03d}/.env" for number in range(200)))
    in_git.complete(task_id)
    first = in_git.call("task_patch", task_id=task_id)
    assert len(first["warnings"]) == 21
    assert first["warnings"][-1] == "left out: 180 more; the list of changes has all"
    assert "warnings" not in in_git.call("task_patch", task_id=task_id, cursor=first["next_cursor"])


def test_where_all_is_left_out_the_refusal_says_why(in_git: Work) -> None:
    task_id = in_git.start()
    in_git.write(".env")
    in_git.complete(task_id)
    with pytest.raises(NotFound, match="there is no patch of task-1") as refusal:
        in_git.call("task_patch", task_id=task_id)
    assert refusal.value.hint == "left out: .env (content withheld: it may hold secrets)"


def test_of_a_task_in_progress_it_is_the_patch_so_far(in_git: Work) -> None:
    task_id = in_git.start()
    in_git.write("a.ts", text="so far\n")
    assert "+so far" in in_git.call("task_patch", task_id=task_id)["patch"]


def test_without_git_there_is_none(work: Work) -> None:
    task_id = work.start()
    work.write("a.ts")
    work.complete(task_id)
    with pytest.raises(NotFound, match="there is no patch of task-1"):
        work.call("task_patch", task_id=task_id)


def test_whoever_can_do_with_a_long_page_gets_one(in_git: Work) -> None:
    task_id = in_git.start()
    in_git.write("long.txt", text="".join(f"line {number}\n" for number in range(20_000)))
    in_git.complete(task_id)
    assert "next_cursor" in in_git.call("task_patch", task_id=task_id)
    whole = in_git.call("task_patch", task_id=task_id, limit=10_000_000)
    assert "next_cursor" not in whole
    assert whole["patch"].count("\n+line") == 20_000


def test_the_patch_of_one_file_is_its_part_of_the_whole(in_git: Work) -> None:
    in_git.write("old name.py", text="".join(f"{number}\n" for number in range(30)))
    in_git.git("add", ".")
    in_git.git("commit", "-qm", "more")
    task_id = in_git.start()
    in_git.git("mv", "old name.py", "neu für.py")
    in_git.write("README.md", text="hello\nworld\n")
    in_git.complete(task_id)
    everything = whole(in_git, task_id)
    parts = [in_git.call("task_patch", task_id=task_id, path=path)["patch"] for path in ("README.md", "neu für.py")]
    assert sorted(everything.decode().split("diff --git ")[1:]) == sorted(
        part.split("diff --git ")[1] for part in parts
    )
    assert in_git.call("task_patch", task_id=task_id, path="old name.py")["patch"] == parts[1]


def test_a_file_that_the_patch_does_not_have_is_refused(in_git: Work) -> None:
    task_id = in_git.start()
    in_git.write("one.txt")
    in_git.complete(task_id)
    with pytest.raises(NotFound) as refused:
        in_git.call("task_patch", task_id=task_id, path="two.txt")
    assert "does not have this file" in refused.value.hint
