from __future__ import annotations

import pytest

from tests.ops.children.conftest import Nursery


@pytest.mark.proves("child:fine")
def test_a_child_that_another_process_started_is_taken_up(nursery: Nursery) -> None:
    child = nursery.talk(role="coder", metadata={"a": 1})
    nursery.until_printed(child, "listening")
    nursery.open()  # as another process would
    attached = nursery.call("child_attach", child_id=child, metadata={"b": 2})
    assert attached["index_snapshot"]["metadata"] == {"a": 1, "b": 2}
    assert (attached["role"], attached["last_sequence"]) == ("coder", 1)
    assert nursery.call("child_attach", child_id=child, role="guide")["role"] == "guide"
    assert nursery.send(child, "still there?", expect="stream", timeout_ms=60_000)["delivered"]


def test_a_worker_is_attached_to_as_well_also_when_it_has_ended(nursery: Nursery) -> None:
    number = nursery.ended("print x")["sessionId"]
    attached = nursery.call("child_attach", child_id=number)
    assert (attached["child_id"], attached["state"]) == (f"session-{number}", "terminated")
