from __future__ import annotations

import pytest

from deedlog.core.errors import Invalid
from tests.ops.values.conftest import PRIVACY, Call


def test_a_plan_without_impacts_or_with_too_many_is_refused(call: Call) -> None:
    call("values_set", values=[PRIVACY])
    for impacts in ([], [{"value": "privacy"}] * 65):
        with pytest.raises(Invalid, match="impacts"):
            call("values_filter", id="p", impacts=impacts)
        with pytest.raises(Invalid, match="impacts"):
            call("values_explain", plan={"id": "p", "impacts": impacts})
