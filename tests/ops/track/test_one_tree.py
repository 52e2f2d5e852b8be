"""Several tasks in one work tree: each gets what changed while it was alone, the rest is said to be shared."""

from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.errors import NotFound
from deedlog.core.task import Session
from tests.ops.track.conftest import Json, Work

pytestmark = pytest.mark.proves("track:change:shared")


def added(answer: Json) -> list[str]:
    found: list[str] = answer["files_changed"]["added"]
    return found


def test_what_a_task_did_alone_is_its_own_and_the_rest_is_shared(in_git: Work) -> None:
    a = in_git.start("A")
    in_git.write("a.ts")
    b = in_git.start("B")
    in_git.write("b.ts")
    of_b = in_git.complete(b)
    in_git.write("c.ts")
    of_a = in_git.complete(a)
    assert (added(of_a), of_a["shared"]) == (["a.ts", "c.ts"], [{"path": "b.ts", "with": [b]}])
    assert (added(of_b), of_b["shared"]) == ([], [{"path": "b.ts", "with": [a]}])
    assert of_a["verification"]["warnings"] == [
        "1 file(s) changed while other tasks worked in the same tree (task-2): they are `shared`"
    ]


def test_boundaries_stay_as_long_as_somebody_needs_them(in_git: Work) -> None:
    a = in_git.start("A")
    in_git.write("a1.ts")
    b = in_git.start("B")
    in_git.write("ab.ts")
    in_git.complete(b)
    in_git.write("a2.ts")
    c = in_git.start("C")
    in_git.write("ac.ts")
    in_git.complete(c)
    in_git.write("a3.ts")
    assert len(in_git.snapshots()) == 5  # all starts, and the ends of B and C
    answer = in_git.complete(a)
    assert added(answer) == ["a1.ts", "a2.ts", "a3.ts"]
    assert answer["shared"] == [{"path": "ab.ts", "with": [b]}, {"path": "ac.ts", "with": [c]}]
    assert in_git.snapshots() == []
    assert "deedlog" not in in_git.git("for-each-ref")


def test_what_nobody_needs_goes_although_others_go_on(in_git: Work) -> None:
    a = in_git.start("A")
    b = in_git.start("B")
    in_git.complete(a)
    ledger = in_git.app.ledger
    kept = {ledger.get(Session, "2").snapshot_id, ledger.get(Session, "1").end_snapshot_id}
    assert set(in_git.snapshots()) == kept
    in_git.complete(b)
    assert in_git.snapshots() == []


def test_tasks_that_started_long_before_are_remembered(in_git: Work) -> None:
    """By the sessions that found them at work: what started long ago is not looked through."""
    long = in_git.start("long")
    in_git.app._last += 3_600_000_000
    short = in_git.start("short")
    in_git.write("both.ts")
    in_git.complete(long)
    in_git.write("alone.ts")
    answer = in_git.complete(short)
    assert (added(answer), answer["shared"]) == (["alone.ts"], [{"path": "both.ts", "with": [long]}])


def test_declared_areas_tell_whose_a_file_is(in_git: Work) -> None:
    a = in_git.start("A", areas=["auth"])
    b = in_git.start("B", areas=["billing"])
    c = in_git.start("C")
    in_git.write("src/auth/x.ts", "src/billing/y.ts", "README.txt")
    of_c, of_b, of_a = in_git.complete(c), in_git.complete(b), in_git.complete(a)
    assert (added(of_a), added(of_b), added(of_c)) == (["src/auth/x.ts"], ["src/billing/y.ts"], [])
    assert of_a["shared"] == [{"path": "README.txt", "with": [b, c]}]
    assert [row["by"] for row in in_git.call("task_changes", task_id=a)["changes"]] == ["shared", "task", "other"]
    assert of_c["verification"]["scope_match"] is True


def test_what_no_area_of_a_task_covers_is_unexpected_although_another_may_have_done_it(in_git: Work) -> None:
    a = in_git.start("A", areas=["auth"])
    b = in_git.start("B", areas=["pay"])
    in_git.write("src/auth/x.ts", "src/pay/y.ts", "rogue.txt", "package-lock.json")
    of_a, of_b = in_git.complete(a), in_git.complete(b)
    assert added(of_a) == ["src/auth/x.ts"]
    assert of_a["shared"] == [{"path": "package-lock.json", "with": [b]}, {"path": "rogue.txt", "with": [b]}]
    assert of_a["verification"] == {
        "scope_match": False,
        "unexpected_files": ["rogue.txt"],
        "warnings": [
            "⚠️ 1 file(s) modified outside declared scope (auth)",
            "2 file(s) changed while other tasks worked in the same tree (task-2): they are `shared`",
        ],
        "reasons": ["rogue.txt: changed while task-2 was at work too; no declared area (auth) covers it"],
    }
    assert of_b["verification"]["reasons"] == [
        "rogue.txt: changed while task-1 was at work too; no declared area (pay) covers it"
    ]
    assert [(r["task_id"], r["reason"]) for r in in_git.call("review_list")["reviews"]] == [(a, "scope"), (b, "scope")]
    assert in_git.call("task_changes", task_id=a)["counts"]["unexpected"] == 1


def test_a_file_two_tasks_changed_one_after_the_other_is_shared(in_git: Work) -> None:
    a = in_git.start("A", areas=["auth"])
    in_git.write("auth.ts")
    b = in_git.start("B", areas=["auth.ts"])
    in_git.write("auth.ts", text="newer\n")
    assert in_git.complete(b)["shared"] == [{"path": "auth.ts", "with": [a]}]
    assert in_git.complete(a)["shared"] == [{"path": "auth.ts", "with": [b]}]


class TestSubtasks:
    def test_their_work_is_the_task_s_too_and_not_judged_twice(self, in_git: Work) -> None:
        main = in_git.start("main", areas=["docs"])
        in_git.write("docs/plan.md")
        part = in_git.start("part", parent=main, areas=["auth"])
        in_git.write("auth.ts")
        of_part = in_git.complete(part)
        assert (added(of_part), "shared" in of_part) == (["auth.ts"], False)
        assert of_part["verification"]["scope_match"] is True
        in_git.write("docs/end.md")
        of_main = in_git.complete(main)
        assert added(of_main) == ["auth.ts", "docs/end.md", "docs/plan.md"]
        assert of_main["in_subtasks"] == [{"path": "auth.ts", "task_id": part}]
        assert of_main["verification"] == {"scope_match": True, "unexpected_files": [], "warnings": []}

    def test_the_innermost_did_it(self, in_git: Work) -> None:
        top = in_git.start("top")
        middle = in_git.start("middle", parent=top)
        bottom = in_git.start("bottom", parent=middle)
        in_git.write("deep.ts")
        assert added(in_git.complete(bottom)) == ["deep.ts"]
        in_git.write("mid.ts")
        of_middle = in_git.complete(middle)
        assert (added(of_middle), of_middle["in_subtasks"]) == (
            ["deep.ts", "mid.ts"],
            [{"path": "deep.ts", "task_id": bottom}],
        )
        of_top = in_git.complete(top)
        assert added(of_top) == ["deep.ts", "mid.ts"]
        assert of_top["in_subtasks"] == [
            {"path": "deep.ts", "task_id": bottom},
            {"path": "mid.ts", "task_id": middle},
        ]

    def test_a_file_the_task_also_changed_itself_is_its_own(self, in_git: Work) -> None:
        main = in_git.start("main", areas=["docs"])
        part = in_git.start("part", parent=main)
        in_git.write("auth.ts")
        in_git.complete(part)
        in_git.write("auth.ts", text="again\n")
        answer = in_git.complete(main)
        assert answer["verification"]["unexpected_files"] == ["auth.ts"]
        assert "in_subtasks" not in answer

    def test_a_stranger_at_work_beside_a_subtask_shares_with_the_task_above(self, in_git: Work) -> None:
        main = in_git.start("main", areas=["docs"])
        part = in_git.start("part", parent=main)
        stranger = in_git.start("stranger")
        in_git.write("x.ts")
        assert in_git.complete(stranger)["shared"] == [{"path": "x.ts", "with": [part]}]
        assert in_git.complete(part)["shared"] == [{"path": "x.ts", "with": [stranger]}]
        of_main = in_git.complete(main)
        assert of_main["shared"] == [{"path": "x.ts", "with": [stranger]}]
        assert of_main["verification"]["scope_match"] is True


def test_a_task_whose_snapshots_are_elsewhere_is_no_neighbour(in_git: Work) -> None:
    """As with a shared store: another machine can have a tree of the same name."""
    before = in_git.start("there, before")
    here = in_git.start("here")
    after = in_git.start("there, after")
    for number in ("1", "3"):
        snapshot = in_git.app.ledger.get(Session, number).snapshot_id
        (kept,) = (in_git.tree.parent / "snapshots").rglob(f"snapshots/{snapshot}")
        kept.unlink()
    in_git.write("a.ts")
    answer = in_git.complete(here)
    assert (added(answer), "shared" in answer) == (["a.ts"], False)
    for task_id in (before, after):
        in_git.complete(task_id, changes_unknown=True)


def test_without_git_it_is_the_same(work: Work) -> None:
    a = work.start("A")
    work.write("a.ts")
    b = work.start("B")
    work.write("b.ts")
    work.complete(b)
    answer = work.complete(a)
    assert (added(answer), answer["shared"]) == (["a.ts"], [{"path": "b.ts", "with": [b]}])
    assert work.snapshots() == []


def test_a_task_somebody_forgot_is_pointed_out_at_the_next_start(in_git: Work) -> None:
    arguments = {"workflow_id": in_git.workflow_id, "name": "n", "goal": "g"}
    forgotten = in_git.start("forgotten")
    (warning,) = in_git.call("start_task", **arguments)["warnings"]
    assert warning.startswith(f"also in progress in this work tree: {forgotten} (since 2025-01-15T10:00:00Z); what")
    in_git.complete(forgotten, "failed")
    assert "warnings" not in in_git.call("start_task", **arguments, parent_task_id="task-2")


def test_the_patch_has_the_task_s_own_work_and_its_subtasks(in_git: Work) -> None:
    main = in_git.start("main")
    in_git.write("own.ts")
    part = in_git.start("part", parent=main)
    in_git.write("part.ts")
    in_git.complete(part)
    other = in_git.start("other")
    in_git.write("shared.ts", ".deedlog/config.toml")
    in_git.complete(other)
    in_git.complete(main)
    patch = in_git.call("task_patch", task_id=main)["patch"]
    assert [line for line in patch.splitlines() if line.startswith("+++")] == ["+++ b/own.ts", "+++ b/part.ts"]
    with pytest.raises(NotFound, match="no patch of task-3"):
        in_git.call("task_patch", task_id=other)


def test_a_task_that_ends_while_another_looks_at_the_tree_shares_with_it_all_the_same(
    in_git: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = in_git.start("first"), in_git.start("second")
    in_git.write("a.ts")
    take = in_git.app.snapshots.take

    def take_late(*arguments: Any) -> Any:
        monkeypatch.undo()
        in_git.complete(first)
        return take(*arguments)

    monkeypatch.setattr(in_git.app.snapshots, "take", take_late)
    done = in_git.complete(second)
    assert [row["path"] for row in done["shared"]] == ["a.ts"]
    assert done["files_changed"]["added"] == []
