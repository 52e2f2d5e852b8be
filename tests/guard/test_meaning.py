"""A person who approves a call is shown what its arguments name, unless they say all by themselves."""

from __future__ import annotations

import re

import pytest

from deedlog.core.caller import PEOPLE
from deedlog.work.meaning import MEANINGS
from tests.guard.test_operations import OPERATIONS, ROOT

SAY_ALL = {"agent_create", "agent_import", "capability_set", "mcp_add", "memory_add", "task_create"}
PART = re.compile(r"`([a-z]+(?:_[a-z]+)+)\.\w+`")  # in the table of permissions.md


@pytest.mark.proves("rights:shown")
def test_what_needs_a_person_is_shown_with_its_meaning() -> None:
    page = (ROOT / "docs/concepts/permissions.md").read_text()
    known = {op.name for op in OPERATIONS}
    partly = {op.name for op in OPERATIONS if op.by_person} | (set(PART.findall(page)) & known)
    needing = {op.name for op in OPERATIONS if op.callers == PEOPLE} | partly
    assert needing - set(MEANINGS) - SAY_ALL == set()
    assert set(MEANINGS) <= known
