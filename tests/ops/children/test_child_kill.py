from __future__ import annotations

import pytest

from deedlog.core.errors import Conflict, NotFound
from tests.ops.children.conftest import Nursery
from tests.ops.workers.conftest import still_there


@pytest.mark.proves("child:cancel")
def test_a_child_is_ended_at_once_with_all_its_processes(nursery: Nursery) -> None:
    nursery.enforce("none")
    other = nursery.repo.parent / "other"
    note = nursery.repo.parent / "note"
    child = nursery.spawn("stubborn", f"polite {note}", f"child {other} own", "print ready", "hang")["child_id"]
    nursery.until_printed(child, "ready")
    session = nursery.session(child)
    answer = nursery.call("child_kill", child_id=child, reason="enough")
    assert (answer["state"], answer["exit"]["signal"]) == ("terminated", "SIGKILL")
    assert answer["exit"]["error"]["message"] == "enough"
    assert not still_there(session)
    with pytest.raises(Conflict, match="nothing to stop"):
        nursery.call("child_kill", child_id=child)
    with pytest.raises(NotFound):
        nursery.call("child_kill", child_id="77")
