from __future__ import annotations

from pathlib import Path

from deedlog.core.capability import CAPABILITIES
from deedlog.testing import app_in, caller


def test_every_capability_tells_whether_it_is_on_and_what_holds_it(tmp_path: Path) -> None:
    app = app_in(str(tmp_path / "store"), enable=["tx"], disable=["clarify"])
    rows = {row["name"]: row for row in app.call("capability_list", {}, caller())["capabilities"]}
    assert set(rows) == set(CAPABILITIES) - {"supervision"}
    assert (rows["tx"]["on"], rows["clarify"]["on"], rows["bulk"]["on"]) == (True, False, False)
    assert "switched on by a flag" in rows["tx"]["held"]
    assert "switched off by a flag" in rows["clarify"]["held"]
    assert rows["bulk"]["held"] == ""
    assert rows["bulk"]["summary"] == CAPABILITIES["bulk"].summary
