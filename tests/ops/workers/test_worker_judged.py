from __future__ import annotations

import pytest

from deedlog.core.caller import Kind
from deedlog.core.errors import Denied
from deedlog.testing import caller
from tests.ops.workers.conftest import Shop

VERDICT = {"commit": "c", "onto": "t", "tip": "b", "how": "merge", "target": "main"}


@pytest.mark.proves("worker:done:judged")
def test_a_verdict_is_recorded_before_the_target_moves(shop: Shop) -> None:
    number = shop.ended("write a.txt one")["sessionId"]
    shop.call("worker_judged", sessionId=number, verdict=VERDICT, record={"files": ["a.txt"]})
    session = shop.session(number)
    assert (session.judged, session.files, session.dod_result) == (VERDICT, ["a.txt"], "pending")


def test_what_is_merged_keeps_its_verdict(shop: Shop) -> None:
    number = shop.ended("write a.txt one")["sessionId"]
    shop.call("worker_done", sessionId=number)
    judged = shop.session(number).judged
    shop.call("worker_judged", sessionId=number, verdict=VERDICT, record={})
    assert shop.session(number).judged == judged


def test_no_agent_records_a_verdict(shop: Shop) -> None:
    number = shop.ended("write a.txt one")["sessionId"]
    said = {"sessionId": number, "verdict": VERDICT, "record": {}}
    with pytest.raises(Denied):
        shop.app.call("worker_judged", said, caller("bot/1", kind=Kind.AGENT))
