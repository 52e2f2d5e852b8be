from __future__ import annotations

import pytest

from deedlog.core.errors import Conflict
from deedlog.core.workflow import Workflow, end, end_with_its_tasks, reopen

OPEN = Workflow(id="wf", name="n", created_at=1)


@pytest.mark.proves("track:workflow:ends-derived")
def test_a_derived_end_is_replaced_by_what_somebody_says() -> None:
    derived = end_with_its_tasks(OPEN, failed=True, now=5)
    assert (derived.status, derived.ended_at, derived.derived) == ("failed", 5, True)
    said = end(derived, "partial", "half", now=9)
    assert (said.status, said.summary, said.ended_at, said.derived) == ("partial", "half", 9, False)
    assert end_with_its_tasks(said, failed=True, now=12) == said
    with pytest.raises(Conflict):
        end(said, "completed", "", now=12)


def test_a_workflow_is_reopened_as_if_it_had_never_ended() -> None:
    assert reopen(OPEN) is OPEN
    assert reopen(end(OPEN, "failed", "s", now=5)) == OPEN
    assert reopen(end_with_its_tasks(OPEN, failed=False, now=5)) == OPEN
