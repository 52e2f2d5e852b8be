from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from deedlog.core.gate.mount import Passage
from tests.ops.gate.mounts import Mounts

Json = dict[str, Any]


def told(number: int, **more: object) -> Json:
    row = {"id": f"pass-{number}", "server": "one", "tool": "echo", "actor": "a", "outcome": "ok", "created_at": number}
    return {**row, "unknown": "left out", **more}


def test_calls_are_recorded_once_however_often_they_are_told(mounts: Mounts) -> None:
    assert mounts.app.aside("mcp_record", {"passages": [told(1), told(2)]})
    assert mounts.app.aside("mcp_record", {"passages": [told(2, outcome="lost"), told(3)]})
    found = mounts.app.ledger.find(Passage, {}, limit=10, oldest=True)
    assert [(row.id, row.outcome) for row in found] == [("pass-1", "ok"), ("pass-2", "ok"), ("pass-3", "ok")]


def test_two_who_find_the_same_leftovers_record_them_once(mounts: Mounts) -> None:
    rows = {"passages": [told(number) for number in range(50)]}
    apps = [mounts.another() for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(lambda app: app.aside("mcp_record", rows), apps))
    assert mounts.app.ledger.count(Passage) == 50


def test_what_a_dead_process_had_mounted_is_over(mounts: Mounts) -> None:
    mounts.configure("one", "--just", "echo")
    other = mounts.another()
    mounts.call("mcp_activate", name="one")
    mounts.call("mcp_activate", app=other, name="one")
    assert mounts.app.aside("mcp_record", {"passages": [], "over": [other.gateway.principal, "nobody"]})
    status = {row.principal: row.status for row in mounts.mounts()}
    assert status == {mounts.app.gateway.principal: "active", other.gateway.principal: "ended"}


def test_what_was_mounted_is_over_when_its_process_ends(mounts: Mounts) -> None:
    mounts.configure("one", "--just", "echo")
    mounts.call("mcp_activate", name="one")
    mounts.close()
    assert [row.status for row in mounts.mounts()] == ["ended"]
