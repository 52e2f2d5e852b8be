from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deedlog.core.errors import DeedlogError

Call = Callable[..., Any]
Refused = Callable[..., DeedlogError]


@pytest.mark.proves("agent:authoring")
def test_a_deleted_agent_is_gone_and_can_be_brought_back(call: Call, refused: Refused) -> None:
    call("agent_create", name="helper", model="haiku")
    assert call("agent_delete", name="helper")["message"] == 'Deleted agent "helper"'
    assert refused("agent_get", name="helper").kind == "not_found"
    call("ledger_undo")
    assert call("agent_get", name="helper")["model"] == "haiku"


@pytest.mark.proves("agent:built-in:edit")
def test_a_deleted_edit_of_a_built_in_agent_falls_back_to_it(call: Call) -> None:
    before = call("agent_get", name="coder")
    call("agent_edit", name="coder", model="opus")
    assert "built-in" in call("agent_delete", name="coder")["message"]
    assert call("agent_get", name="coder") == before


def test_what_is_built_in_or_unknown_is_refused(refused: Refused) -> None:
    assert refused("agent_delete", name="coder").kind == "conflict"
    assert refused("agent_delete", name="nope").kind == "not_found"
