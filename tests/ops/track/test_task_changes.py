from __future__ import annotations

import pytest

from deedlog.core.errors import Invalid
from tests.ops.track.conftest import Json, Work


@pytest.mark.proves("track:change:kept")
def test_each_file_has_its_lines_and_its_verdict(in_git: Work) -> None:
    in_git.write("README.md", text="1\n2\n3\n")
    in_git.git("commit", "-qam", "before")
    task_id = in_git.start(areas=["auth"])
    in_git.write("auth.ts", text="a\nb\n")
    in_git.write("README.md", text="1\nchanged\n3\n")
    in_git.write("utils.ts")
    in_git.complete(task_id)
    in_git.git("add", ".")
    in_git.git("commit", "-qm", "after")
    in_git.git("gc", "--quiet", "--prune=now")
    answer = in_git.call("task_changes", task_id=task_id)
    assert answer["changes"] == [
        {
            "path": "README.md",
            "status": "modified",
            "by": "task",
            "added": 1,
            "deleted": 1,
            "scope": "out",
            "reason": "no declared area (auth) covers it",
        },
        {
            "path": "auth.ts",
            "status": "added",
            "by": "task",
            "added": 2,
            "deleted": 0,
            "scope": "in",
            "reason": "area 'auth' is a word of 'auth.ts'",
        },
        {
            "path": "utils.ts",
            "status": "added",
            "by": "task",
            "added": 1,
            "deleted": 0,
            "scope": "out",
            "reason": "no declared area (auth) covers it",
        },
    ]
    counts = {"added": 2, "modified": 1, "deleted": 0, "lines_added": 4, "lines_deleted": 1, "unexpected": 2}
    assert answer["counts"] == counts


def test_pages_follow_each_other_without_gaps_or_doubles(work: Work) -> None:
    task_id = work.start()
    names = [f"{number:03d}.ts" for number in range(45)]
    work.write(*names)
    work.complete(task_id)
    seen: list[Json] = []
    cursor = None
    while True:
        page = work.call("task_changes", task_id=task_id, limit=20, cursor=cursor)
        seen += page["changes"]
        cursor = page.get("next_cursor")
        if cursor is None:
            break
    assert [row["path"] for row in seen] == names
    with pytest.raises(Invalid, match="cursor"):
        work.call("task_changes", task_id=task_id, cursor="x")


def test_of_a_task_in_progress_it_shows_what_changed_so_far(in_git: Work) -> None:
    task_id = in_git.start(areas=["auth"])
    assert in_git.call("task_changes", task_id=task_id)["changes"] == []
    in_git.write("auth.ts")
    found = in_git.call("task_changes", task_id=task_id)
    assert [(row["path"], row["scope"]) for row in found["changes"]] == [("auth.ts", "in")]
    assert found["so_far"] is True
    assert len(in_git.snapshots()) == 1
    in_git.write("utils.ts")
    assert in_git.complete(task_id)["files_changed"]["added"] == ["auth.ts", "utils.ts"]


def test_a_task_that_changed_nothing_has_none(work: Work) -> None:
    task_id = work.start()
    work.complete(task_id)
    assert work.call("task_changes", task_id=task_id)["changes"] == []


@pytest.mark.proves("track:change:paths")
def test_a_path_that_is_no_text_is_quoted_as_git_does(in_git: Work) -> None:
    task_id = in_git.start(areas=["caf"])
    odd = b"caf\xe9\t.ts"
    with open(bytes(in_git.tree) + b"/" + odd, "w") as file:
        file.write("x\n")
    in_git.write("né\nw.ts")
    answer = in_git.complete(task_id)
    assert answer["files_changed"]["added"] == [r'"caf\351\t.ts"', "né\nw.ts"]
    assert [row["path"] for row in in_git.call("task_changes", task_id=task_id)["changes"]] == [
        r'"caf\351\t.ts"',
        "né\nw.ts",
    ]


def test_only_some_changes_are_listed_with_how_many_there_are_of_each_kind(in_git: Work) -> None:
    task_id = in_git.start(areas=["src/"])
    in_git.write("src/a.py", "src/b.py", "elsewhere.txt")
    subtask = in_git.start("below", parent=task_id)
    in_git.write("src/c.py")
    in_git.complete(subtask)
    in_git.complete(task_id)
    told = in_git.call("task_changes", task_id=task_id, by=["subtask"])
    assert [row["path"] for row in told["changes"]] == ["src/c.py"]
    assert told["whose"] == {"task": 3, "subtask": 1}
    out = in_git.call("task_changes", task_id=task_id, scope="out")
    assert [row["path"] for row in out["changes"]] == ["elsewhere.txt"]
    first = in_git.call("task_changes", task_id=task_id, by=["task"], limit=2)
    rest = in_git.call("task_changes", task_id=task_id, by=["task"], limit=2, cursor=first["next_cursor"])
    assert [row["path"] for row in first["changes"] + rest["changes"]] == ["elsewhere.txt", "src/a.py", "src/b.py"]
    assert "next_cursor" not in rest
