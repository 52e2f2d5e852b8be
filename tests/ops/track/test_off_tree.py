"""Work that only commits have: hidden from the files on disk, or left on another branch."""

from __future__ import annotations

import subprocess

import pytest

from tests.ops.track.conftest import Work

HIDDEN = pytest.mark.proves("track:change:hidden-commit")
LEFT = pytest.mark.proves("track:change:other-branch")


def hide(work: Work, path: str, text: str = "evil\n") -> None:
    """Commit a content that the files never show, and let git look away."""
    made = subprocess.run(
        ["git", "-C", str(work.tree), "hash-object", "-w", "--stdin"],
        input=text.encode(),
        capture_output=True,
        check=True,
    )
    work.git("update-index", "--add", "--cacheinfo", f"100644,{made.stdout.decode().strip()},{path}")
    work.git("commit", "-qm", "hidden")
    work.git("update-index", "--assume-unchanged", path)


def commit(work: Work, *paths: str, text: str = "new\n") -> None:
    work.write(*paths, text=text)
    work.git("add", "--", *paths)
    work.git("commit", "-qm", "work")


def leave_on(work: Work, branch: str, *paths: str) -> None:
    work.git("switch", "-qc", branch)
    commit(work, *paths)
    work.git("switch", "-q", "-")


@HIDDEN
def test_a_commit_hidden_by_an_index_flag_is_listed_judged_and_shown(in_git: Work) -> None:
    task_id = in_git.start(areas=["src"])
    commit(in_git, "src/work.txt")
    hide(in_git, "Makefile")
    so_far = in_git.call("task_changes", task_id=task_id)["changes"]
    answer = in_git.complete(task_id)
    assert answer["files_changed"]["added"] == ["Makefile", "src/work.txt"]
    verified = answer["verification"]
    assert (verified["scope_match"], verified["unexpected_files"]) == (False, ["Makefile"])
    assert "1 file is committed, not in the working tree: Makefile" in verified["warnings"]
    assert verified["reasons"] == [
        "Makefile: no declared area (src) covers it; committed, not in the working tree",
    ]
    assert "+evil" in in_git.call("task_patch", task_id=task_id)["patch"]
    row = in_git.call("task_changes", task_id=task_id)["changes"][0]
    assert (row["path"], row["place"], row["scope"]) == ("Makefile", "HEAD", "out")
    assert so_far[0] == row
    report = in_git.call("task_report", task_id=task_id)
    assert report["counts"]["added"] == 2
    assert in_git.call("review_list")["reviews"][0]["reason"] == "scope"


@LEFT
def test_work_left_on_another_branch_is_listed_and_the_branch_is_named(in_git: Work) -> None:
    current = in_git.git("branch", "--show-current").strip()
    task_id = in_git.start(areas=["src"])
    leave_on(in_git, "fix", "src/a.ts", "rogue.txt")
    answer = in_git.complete(task_id)
    assert answer["files_changed"]["added"] == ["rogue.txt", "src/a.ts"]
    assert answer["verification"] == {
        "scope_match": False,
        "unexpected_files": ["rogue.txt"],
        "warnings": [
            "⚠️ 1 file(s) modified outside declared scope (src)",
            f"2 files are on branch fix, not on {current}: rogue.txt, src/a.ts",
        ],
        "reasons": [
            f"rogue.txt: no declared area (src) covers it; on branch fix, not on {current}",
            f"src/a.ts: on branch fix, not on {current}",
        ],
    }
    patch = in_git.call("task_patch", task_id=task_id)["patch"]
    assert "+++ b/src/a.ts" in patch
    assert [row["place"] for row in in_git.call("task_changes", task_id=task_id)["changes"]] == ["fix", "fix"]


@LEFT
def test_a_later_task_does_not_get_what_an_earlier_one_left_on_its_branch(in_git: Work) -> None:
    first = in_git.start()
    leave_on(in_git, "fix", "a.ts")
    in_git.complete(first)
    second = in_git.start()
    in_git.write("b.ts")
    answer = in_git.complete(second)
    assert (answer["files_changed"]["added"], answer["verification"]["warnings"]) == (["b.ts"], [])


@LEFT
@HIDDEN
@pytest.mark.proves("track:change:shared")
def test_of_several_tasks_each_gets_the_commits_that_were_made_while_it_was_alone(in_git: Work) -> None:
    a = in_git.start("A")
    leave_on(in_git, "fix", "of-a.ts")
    b = in_git.start("B")
    leave_on(in_git, "both", "of-both.ts")
    hide(in_git, "hidden.ts")
    of_b = in_git.complete(b)
    of_a = in_git.complete(a)
    assert (of_a["files_changed"]["added"], of_b["files_changed"]["added"]) == (["of-a.ts"], [])
    assert of_a["shared"] == [{"path": "hidden.ts", "with": [b]}, {"path": "of-both.ts", "with": [b]}]
    assert of_b["shared"] == [{"path": "hidden.ts", "with": [a]}, {"path": "of-both.ts", "with": [a]}]


@LEFT
def test_what_deedlog_wrote_and_was_committed_to_another_branch_is_still_its_own(in_git: Work) -> None:
    task_id = in_git.start(areas=["src"])
    decided = in_git.call(
        "log_decision", task_id=task_id, category="library_choice", question="Which?", chosen="Zod", reasoning="r"
    )
    in_git.git("switch", "-qc", "fix")
    in_git.call("adr_promote", decision_id=decided["decision_id"])
    in_git.git("add", "docs")
    commit(in_git, "src/a.ts")
    in_git.git("switch", "-q", "-")
    answer = in_git.complete(task_id)
    assert answer["files_changed"]["added"] == ["src/a.ts"]
    assert answer["deedlog_files"]
    assert answer["verification"]["scope_match"] is True
