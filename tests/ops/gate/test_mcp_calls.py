from __future__ import annotations

import pytest

from deedlog.core.errors import Unavailable
from deedlog.ports import EventQuery
from tests.ops.gate.mounts import Mounts


@pytest.mark.proves("gate:call:ledger")
def test_every_call_is_told_with_who_what_how_long_and_its_end(mounts: Mounts) -> None:
    mounts.configure("one", "--just", "echo,fail,die", env={"KEY": "${KEY}"})
    mounts.environment["KEY"] = "hidden-value-1"
    mounts.call("mcp_activate", name="one")
    mounts.use("one__echo", text="hidden-value-1 and more")
    mounts.use("one__fail", text="no")
    with pytest.raises(Unavailable):
        mounts.call("mcp_call", server="one", name="die")
    mounts.passages(3)
    calls = mounts.call("mcp_calls")["calls"]
    assert [(row["tool"], row["outcome"], row["actor"]) for row in calls] == [
        ("die", "failed", "tester"),
        ("fail", "error", "tester"),
        ("echo", "ok", "tester"),
    ]
    assert calls[2]["arguments"] == '{"text": "[redacted] and more"}'
    assert all(row["milliseconds"] >= 0 for row in calls)
    assert [row["tool"] for row in mounts.call("mcp_calls", server="one", outcome="ok")["calls"]] == ["echo"]
    assert mounts.call("mcp_calls", server="two")["calls"] == []
    events = mounts.app.ledger.events(EventQuery(subject="server://one", limit=100))
    assert "hidden-value" not in str([event.fields() for event in events])


def test_long_lists_come_in_pages(mounts: Mounts) -> None:
    rows = [
        {"id": f"pass-{n:03}", "server": "one", "tool": f"t{n}", "actor": "a", "outcome": "ok", "created_at": n}
        for n in range(30)
    ]
    mounts.app.aside("mcp_record", {"passages": rows})
    seen, cursor = [], None
    while True:
        page = mounts.call("mcp_calls", limit=12, cursor=cursor)
        seen += [row["tool"] for row in page["calls"]]
        cursor = page.get("nextCursor")
        if cursor is None:
            break
    assert seen == [f"t{n}" for n in reversed(range(30))]
