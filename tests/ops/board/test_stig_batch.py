from __future__ import annotations

import pytest

from deedlog.core.errors import Invalid
from tests.ops.board.conftest import Call, strengths


@pytest.mark.proves("bulk:marks", "bulk:all-or-nothing")
def test_a_batch_of_marks_is_made_wholly_or_not_at_all(call: Call) -> None:
    entries = [{"node_id": f"n{number % 50}", "type": "t", "intensity": 1} for number in range(200)]
    assert call("stig_batch", entries=entries)["count"] == 50
    assert strengths(call)["n7"] == 4
    with pytest.raises(Invalid) as refused:
        call("stig_batch", entries=[*entries[:3], {"node_id": "n1", "type": "a:b", "intensity": 1}])
    failures = refused.value.data["failures"]
    assert isinstance(failures, list)
    assert [(failure["index"], failure["code"]) for failure in failures] == [(3, "E-STIG-INVALID-INPUT")]
    assert strengths(call)["n1"] == 4
    with pytest.raises(Invalid, match="entries"):
        call("stig_batch", entries=[*entries, *entries])
