from __future__ import annotations

from tests.ops.workers.conftest import Shop


def test_it_lists_who_runs_who_is_queued_and_whose_work_waits(shop: Shop) -> None:
    shop.configure(max_workers=1)
    done = shop.ended("write a.txt one", "commit work")
    ready, pipe = shop.pipe("ready"), shop.pipe()
    running = shop.run(shop.task("print at it", f"write {ready} up", f"wait {pipe}"))
    queued = shop.run(shop.task())
    ready.read_text()
    rows = shop.call("worker_list")["workers"]
    assert [(row["sessionId"], row["status"]) for row in rows] == [
        (running["sessionId"], "running"),
        (queued["sessionId"], "queued"),
        (done["sessionId"], "completed"),
    ]
    assert rows[0]["pid"] == running["pid"]
    assert "merged" not in rows[2]
    pipe.write_text("go")
    shop.wait(running["sessionId"], queued["sessionId"])


def test_work_that_somebody_merged_by_hand_is_shown_as_such(shop: Shop) -> None:
    session = shop.session(shop.ended("write a.txt one", "commit one", "write b.txt two", "commit two")["sessionId"])
    shop.git("merge", "--quiet", "--squash", session.branch)
    shop.git("commit", "--quiet", "--message", "by hand")
    [row] = shop.call("worker_list")["workers"]
    assert row["merged"] == "squash"


def test_what_is_finished_is_not_listed(shop: Shop) -> None:
    row = shop.ended("write a.txt one", "commit work")
    shop.call("worker_done", sessionId=row["sessionId"])
    assert shop.call("worker_list")["workers"] == []
