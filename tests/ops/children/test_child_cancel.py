from __future__ import annotations

import pytest

from deedlog.core.errors import Conflict
from tests.ops.children.conftest import Nursery
from tests.ops.workers.conftest import still_there


@pytest.mark.proves("child:cancel")
def test_a_child_is_asked_to_end_and_the_reason_is_recorded(nursery: Nursery) -> None:
    note = nursery.repo.parent / "note"
    nursery.enforce("none")
    child = nursery.spawn(f"polite {note}", "print ready", "hang")["child_id"]
    nursery.until_printed(child, "ready")
    answer = nursery.call("child_cancel", child_id=child, reason="wrong approach", timeout_ms=60_000)
    assert note.read_text() == "asked to go"
    assert (answer["state"], answer["runtime_status"]) == ("terminated", "exited")
    assert answer["exit"]["exit_code"] == 42
    assert answer["exit"]["error"]["message"] == "wrong approach"
    assert answer["exit"]["status"] == "cancelled"
    assert not still_there(nursery.session(child))


def test_a_stubborn_child_is_killed_after_its_time(nursery: Nursery) -> None:
    child = nursery.spawn("stubborn", "print ready", "hang")["child_id"]
    nursery.until_printed(child, "ready")
    answer = nursery.call("child_cancel", child_id=child, timeout_ms=100)
    assert answer["state"] == "terminated"
    assert nursery.status(child)["index_snapshot"]["forced_termination"]


def test_a_child_that_waits_its_turn_never_runs(nursery: Nursery) -> None:
    nursery.configure(max_workers=1)
    nursery.talk()
    waiting = nursery.spawn("write a.txt x")["child_id"]
    assert nursery.call("child_cancel", child_id=waiting)["state"] == "terminated"
    with pytest.raises(Conflict, match="nothing to stop"):
        nursery.call("child_cancel", child_id=waiting)


def test_a_wish_that_nobody_was_woken_for_is_found_all_the_same(
    nursery: Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    child = nursery.spawn("print ready", "hang")["child_id"]
    nursery.until_printed(child, "ready")
    monkeypatch.setattr(type(nursery.app.workers), "wake", lambda *_: None)
    monkeypatch.setattr(type(nursery.app.workers), "stop", lambda *_: None)
    assert nursery.call("child_cancel", child_id=child)["state"] == "terminated"
