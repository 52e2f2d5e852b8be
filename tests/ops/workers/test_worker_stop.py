from __future__ import annotations

import pytest

from deedlog.core.errors import Conflict
from tests.ops.workers.conftest import WAIT, Shop, still_there


@pytest.mark.proves("worker:stop:group")
def test_the_whole_group_is_ended_even_what_does_not_listen(shop: Shop) -> None:
    ready = shop.pipe("ready")
    pipe = shop.pipe()
    number = shop.run(shop.task(f"child {shop.repo.parent}/child", "stubborn", f"write {ready} up", f"wait {pipe}"))[
        "sessionId"
    ]
    ready.read_text()
    assert len(still_there(shop.session(number))) >= 2
    stopped = shop.call("worker_stop", sessionId=number, reason="wrong approach")
    assert stopped["status"] == "cancelled"
    assert stopped["error"]["message"] == "wrong approach"
    assert shop.session(number).error["message"] == "wrong approach"
    assert still_there(shop.session(number)) == []
    assert shop.status(stopped["taskId"]) == "failed"


def test_a_queued_one_leaves_the_queue(shop: Shop) -> None:
    shop.configure(max_workers=1)
    pipe = shop.pipe()
    first, second = shop.run(shop.task(f"wait {pipe}")), shop.run(shop.task("print never"))
    assert shop.call("worker_stop", sessionId=second["sessionId"])["status"] == "cancelled"
    pipe.write_text("go")
    shop.wait(first["sessionId"])
    assert shop.session(second["sessionId"]).lines == 0


def test_one_that_somebody_runs_by_hand_is_recorded_as_stopped(shop: Shop) -> None:
    number = shop.call("worker_command", taskId=shop.task())["sessionId"]
    assert shop.call("worker_stop", sessionId=number)["status"] == "cancelled"


def test_what_is_over_cannot_be_stopped(shop: Shop) -> None:
    row = shop.ended("print done")
    with pytest.raises(Conflict, match="is completed: there is nothing to stop"):
        shop.call("worker_stop", sessionId=row["sessionId"])


def test_who_waits_in_the_queue_starts_when_another_is_stopped(shop: Shop) -> None:
    shop.configure(max_workers=1)
    first, second = shop.run(shop.task(f"wait {shop.pipe()}")), shop.run(shop.task("print now"))
    shop.call("worker_stop", sessionId=first["sessionId"])
    answer = shop.call("worker_wait", sessionIds=[second["sessionId"]], timeoutSeconds=WAIT)
    assert answer["sessions"][0]["status"] == "completed"


def test_one_whose_machine_is_gone_can_be_given_up(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    running = shop.run(shop.task(f"wait {shop.pipe()}"))
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr(type(shop.app.workers), "host", "another")
        with pytest.raises(Conflict, match="runs on") as refusal:
            shop.call("worker_stop", sessionId=running["sessionId"])
        assert "force" in refusal.value.hint
        given_up = shop.call("worker_stop", sessionId=running["sessionId"], force=True, reason="the machine burnt")
    assert given_up["status"] == "cancelled"
    session = shop.session(running["sessionId"])
    assert session.error["message"] == "the machine burnt"
    assert shop.status(given_up["taskId"]) == "failed"
    shop.app.workers.stop(session.process)  # it is alive after all: what it says now changes nothing
    assert shop.session(running["sessionId"]).status == "cancelled"
