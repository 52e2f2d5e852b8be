from __future__ import annotations

import sys

import pytest

from deedlog.core.errors import Conflict, Invalid
from tests.ops.children.conftest import Nursery

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps to it")


@pytest.mark.proves("child:limits")
def test_a_child_is_held_to_its_wall_clock_and_says_so(nursery: Nursery) -> None:
    child = nursery.spawn("hang", limits={"wallclock_ms": 300})["child_id"]
    ended = nursery.collect(child)
    assert ended["exit"]["error"]["type"] == "timeout"
    assert "0.3 s" in ended["exit"]["error"]["message"]


@pytest.mark.proves("child:limits:running")
def test_time_that_is_taken_away_ends_a_child_that_runs(nursery: Nursery) -> None:
    child = nursery.spawn("print here", "hang")["child_id"]
    nursery.until_printed(child, "here")
    answer = nursery.call("child_set_limits", child_id=child, limits={"wallclock_ms": 1})
    assert answer["limits"]["wallclock_ms"] == 1
    assert nursery.collect(child)["exit"]["error"]["type"] == "timeout"


def test_time_that_is_given_lets_a_child_go_on(nursery: Nursery) -> None:
    child = nursery.talk(limits={"wallclock_ms": 600_000, "idle_ms": 600_000})
    nursery.call("child_set_limits", child_id=child, limits={"wallclock_ms": 900_000})
    session = nursery.session(child)
    assert (session.timeout_seconds, session.limits["wallclock_ms"]) == (900, 900_000)
    assert nursery.send(child, "x", timeout_ms=60_000)["delivered"]


def test_a_child_that_prints_nothing_for_too_long_is_stopped(nursery: Nursery) -> None:
    child = nursery.spawn("print here", "hang")["child_id"]
    nursery.until_printed(child, "here")
    nursery.call("child_set_limits", child_id=child, limits={"idle_ms": 100})
    ended = nursery.collect(child)
    assert ended["exit"]["error"]["message"] == "it printed nothing for 0.1 s"


def test_a_child_that_prints_too_much_is_stopped(nursery: Nursery) -> None:
    child = nursery.spawn("many 1000 words", "hang", limits={"bytes_out": 1_000})["child_id"]
    assert nursery.collect(child)["exit"]["error"]["message"] == "it printed more than 1000 bytes"


def test_a_child_that_uses_too_many_tokens_is_stopped_also_by_a_limit_set_later(nursery: Nursery) -> None:
    child = nursery.spawn("usage 60 40 0.5", "hang", limits={"tokens": 1_000})["child_id"]
    nursery.until(lambda: nursery.status(child)["index_snapshot"]["usage"])
    nursery.call("child_set_limits", child_id=child, limits={"tokens": 50})
    assert "budget of 50 tokens" in nursery.collect(child)["exit"]["error"]["message"]


@pytest.mark.proves("child:limits:running")
@on_linux
@pytest.mark.parametrize("enforcement", ["none", "bubblewrap"])
def test_memory_is_limited_from_the_start_and_while_it_runs(nursery: Nursery, enforcement: str) -> None:
    nursery.enforce(enforcement)
    child = nursery.talk(limits={"memory_mb": 200})
    nursery.until_printed(child, "listening")
    nursery.send(child, "do: grab 400", expect="stream", timeout_ms=60_000)
    nursery.call("child_set_limits", child_id=child, limits={"memory_mb": 800})
    nursery.until(lambda: limited(nursery, child, 800))
    nursery.send(child, "do: grab 300", expect="stream", timeout_ms=60_000)
    nursery.call("child_set_limits", child_id=child, limits={"memory_mb": 400})
    nursery.until(lambda: limited(nursery, child, 400))
    nursery.send(child, "do: grab 300", close=True)
    nursery.collect(child)
    assert nursery.printed(child) == ["listening", "no 400 MB", "has 300 MB", "no 300 MB", "no more"]


def limited(nursery: Nursery, child: str, megabytes: int) -> bool:
    leader = nursery.session(child).leader
    with open(f"/proc/{leader}/limits", encoding="ascii") as file:
        return any(line.startswith("Max data size") and str(megabytes << 20) in line for line in file)


@on_linux
def test_the_setting_limits_the_memory_of_every_worker(nursery: Nursery) -> None:
    nursery.configure(worker_memory_mb=200)
    ended = nursery.ended("grab 400")
    assert nursery.said(ended["sessionId"]) == ["no 400 MB"]


@pytest.mark.proves("child:limits:running")
def test_what_nothing_can_keep_a_child_to_is_told(nursery: Nursery) -> None:
    child = nursery.spawn("hang")["child_id"]
    answer = nursery.call("child_set_limits", child_id=child, limits={"cpu_percent": 50, "messages": 3})
    assert list(answer["not_enforced"]) == ["cpu_percent"]
    assert list(nursery.status(child)["not_enforced"]) == ["cpu_percent"]


def test_limits_that_cannot_be_are_refused(nursery: Nursery) -> None:
    child = nursery.spawn("print x")["child_id"]
    with pytest.raises(Invalid, match="name at least one"):
        nursery.call("child_set_limits", child_id=child, limits={})
    with pytest.raises(Invalid, match="there is no limit 'wallclok_ms'") as refused:
        nursery.call("child_set_limits", child_id=child, limits={"wallclok_ms": 5})
    assert "wallclock_ms" in refused.value.hint
    nursery.collect(child)
    with pytest.raises(Conflict, match="no use for limits"):
        nursery.call("child_set_limits", child_id=child, limits={"tokens": 5})


def test_no_limit_goes_beyond_the_budget_of_the_task(nursery: Nursery) -> None:
    number = nursery.task("hang", budget={"tokens": 100})
    child = f"session-{nursery.run(number)['sessionId']}"
    with pytest.raises(Conflict, match="the budget of its task is 100") as refused:
        nursery.call("child_set_limits", child_id=child, limits={"tokens": 101})
    assert refused.value.data["code"] == "E-CHILD-LIMIT"
    assert nursery.call("child_set_limits", child_id=child, limits={"tokens": 50})["limits"]["tokens"] == 50
