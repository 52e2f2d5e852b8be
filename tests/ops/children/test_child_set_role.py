from __future__ import annotations

import pytest

from deedlog.core.errors import Invalid, NotFound
from tests.ops.children.conftest import Nursery


@pytest.mark.proves("child:fine")
def test_a_child_gets_another_role(nursery: Nursery) -> None:
    child = nursery.talk(role="coder")
    answer = nursery.call("child_set_role", child_id=child, role="reviewer")
    assert (answer["role"], answer["previous_role"]) == ("reviewer", "coder")
    assert nursery.status(child)["role"] == "reviewer"
    for wrong in ("", "x" * 121):
        with pytest.raises(Invalid):
            nursery.call("child_set_role", child_id=child, role=wrong)
    with pytest.raises(NotFound):
        nursery.call("child_set_role", child_id="999", role="x")
