from __future__ import annotations

import pytest

from deedlog.core.errors import NotFound
from tests.ops.board.conftest import Call


def test_an_entry_is_deleted_and_can_come_back(call: Call) -> None:
    call("bb_set", key="a", value=1)
    assert call("bb_delete", key="a")["key"] == "a"
    with pytest.raises(NotFound):
        call("bb_get", key="a")
    call("ledger_undo")
    assert call("bb_get", key="a")["entry"]["value"] == 1
