from __future__ import annotations

from pathlib import Path

import pytest

from deedlog.core.capability import CAPABILITIES
from deedlog.core.errors import Invalid
from deedlog.testing import app_in, caller
from tests.conftest import Call


@pytest.mark.proves("watch:mcp-capabilities:shape")
def test_there_is_a_namespace_for_each_capability_that_is_on(tmp_path: Path) -> None:
    app = app_in(str(tmp_path / "store"), enable=["tx"], disable=["clarify"], plugins=("tests.faces.mcp.plugin",))
    offered = app.call("mcp_capabilities", {}, caller())
    assert list(offered) == ["namespaces", "schemas", "limits"]
    names = [row["name"] for row in offered["namespaces"]]
    assert {"tx", "tracking", "tests.faces.mcp.plugin"} <= set(names)
    assert not {"clarify", "bulk", "supervision"} & set(names)
    assert {"name": "tx", "description": CAPABILITIES["tx"].summary} in offered["namespaces"]
    assert offered["schemas"]["tx"] == {"namespace": "tx", "summary": CAPABILITIES["tx"].summary}
    assert list(offered["schemas"]) == names
    assert offered["limits"] == {"maxEventHistory": 0}


@pytest.mark.proves("watch:mcp-info:strict")
def test_any_argument_is_refused(call: Call) -> None:
    with pytest.raises(Invalid, match="not known"):
        call("mcp_capabilities", namespace="tx")
