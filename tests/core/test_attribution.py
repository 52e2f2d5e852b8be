from __future__ import annotations

from deedlog.core.attribution import OTHER, OWN, SHARED, SUBTASK, Owner, Worker, between, needed, owner
from deedlog.core.task import Session

ME = Worker(task_id="me", since=0)
PART = Worker(task_id="part", above=["me"], since=0)
LEAF = Worker(task_id="leaf", above=["part", "me"], since=0)
BOSS = Worker(task_id="boss", since=0)
BESIDE = Worker(task_id="beside", since=0)
UNDER_BOSS = Worker(task_id="me", above=["boss"], since=0)


def whose(*active: list[Worker], areas: dict[str, str] | None = None) -> Owner:
    declared = areas or {}
    return owner("auth.ts", "me", active, lambda task_id, path: declared.get(task_id) == path)


def session(name: str, start: int, end: int | None = None, tree: str = "/t") -> Session:
    return Session(
        id=name,
        number=1,
        task_id=f"task-{name}",
        workflow_id="wf",
        actor="t",
        tree=tree,
        snapshot_id=f"{name}0",
        snapshot_type="git",
        base="x",
        snapshot_at=start,
        started_at=start,
        end_snapshot_id=f"{name}1" if end else "",
        end_snapshot_at=end,
    )


def test_what_one_did_alone_is_its_own() -> None:
    assert whose([ME], [ME]) == Owner(by=OWN)


def test_an_ancestor_at_work_does_not_make_it_shared() -> None:
    assert whose([UNDER_BOSS, BOSS]) == Owner(by=OWN)


def test_the_innermost_stands_before_those_above() -> None:
    assert whose([ME, PART]) == Owner(by=SUBTASK, others=["part"])
    assert whose([ME, PART, LEAF]) == Owner(by=SUBTASK, others=["leaf"])
    assert whose([ME, PART], [ME]) == Owner(by=OWN)


def test_several_at_work_share_unless_just_one_declared_the_path() -> None:
    assert whose([ME, BESIDE]) == Owner(by=SHARED, others=["beside"])
    assert whose([ME, BESIDE], areas={"me": "auth.ts"}) == Owner(by=OWN)
    assert whose([ME, BESIDE], areas={"beside": "auth.ts"}) == Owner(by=OTHER, others=["beside"])
    both = {"me": "auth.ts", "beside": "auth.ts"}
    assert whose([ME, BESIDE], areas=both) == Owner(by=SHARED, others=["beside"])


def test_what_was_done_alone_once_and_by_another_once_is_shared() -> None:
    assert whose([ME], [ME, BESIDE], areas={"beside": "auth.ts"}) == Owner(by=SHARED, others=["beside"])


def test_two_sessions_of_one_task_are_one() -> None:
    assert whose([ME, ME]) == Owner(by=OWN)


def test_a_subtask_and_a_stranger_share_for_the_task_above() -> None:
    assert whose([ME, PART, BESIDE]) == Owner(by=SHARED, itself=False, others=["beside"])
    assert whose([ME, PART, BESIDE], [ME, BESIDE]) == Owner(by=SHARED, others=["beside"])


def test_boundaries_are_in_the_order_of_time_and_between_the_ends() -> None:
    others = [session("b", 20, 40), session("c", 30), session("a", 5, 60)]
    assert [found.snapshot_id for found in between(others, 10, 50)] == ["b0", "c0", "b1"]


def test_every_boundary_since_the_oldest_running_session_is_needed() -> None:
    a, b, c = session("a", 10), session("b", 20, 30), session("c", 40)
    earlier = session("e", 1, 15)
    assert needed([a, c], [a, b, c, earlier]) == ["a0", "e1", "b0", "b1", "c0"]
    assert needed([c], [b, c]) == ["c0"]
    assert needed([], [b]) == []
