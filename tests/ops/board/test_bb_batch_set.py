from __future__ import annotations

import pytest

from deedlog.core.errors import Invalid
from tests.ops.board.conftest import Call


@pytest.mark.proves("bulk:blackboard")
def test_a_hundred_entries_are_set_by_one_operation(call: Call) -> None:
    kept = call("bb_batch_set", entries=[{"key": f"k:{number}", "value": number} for number in range(100)])
    assert kept["count"] == 100
    assert kept["entries"][7]["value"] == 7
    assert len(call("bb_query", limit=100)["entries"]) == 100
    call("ledger_undo")
    assert call("bb_query")["entries"] == []


@pytest.mark.proves("bulk:blackboard", "bulk:all-or-nothing")
def test_one_wrong_entry_keeps_all_of_them_out_and_each_is_named(call: Call) -> None:
    call("bb_set", key="held", value=1)
    entries = [
        {"key": "a", "value": 1},
        {"key": "b", "value": 1, "ttl_ms": 0},
        {"key": "held", "value": 1, "expected_version": 0},
        {"key": "a", "value": 1},
        {"key": "c", "value": 1, "tags": ["t"] * 17},
    ]
    with pytest.raises(Invalid) as refused:
        call("bb_batch_set", entries=entries)
    data = refused.value.data
    assert (data["code"], data["rolled_back"]) == ("E-BULK-PARTIAL", True)
    failures = data["failures"]
    assert isinstance(failures, list)
    assert [(failure["index"], failure["code"]) for failure in failures] == [
        (1, "E-BB-INVALID-INPUT"),
        (2, "E-BB-CONFLICT"),
        (3, "E-BB-INVALID-INPUT"),
        (4, "E-BB-INVALID-INPUT"),
    ]
    assert failures[0]["entry"] == {"key": "b"}
    assert [entry["key"] for entry in call("bb_query")["entries"]] == ["held"]


def test_an_empty_batch_and_one_too_long_are_refused(call: Call) -> None:
    with pytest.raises(Invalid, match="entries"):
        call("bb_batch_set", entries=[])
    with pytest.raises(Invalid, match="entries"):
        call("bb_batch_set", entries=[{"key": f"k:{number}", "value": 1} for number in range(101)])
