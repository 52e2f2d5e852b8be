"""Children over MCP and the command line: whoever started one may die, others go on with it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.e2e.orchestra import Hall, refusal
from tests.e2e.workbench import WAIT


def printed(asked: Any, child: str, wanted: str) -> int:
    """Follow a child until it prints a line; the sequence of that."""
    after = 0
    for _ in range(WAIT):
        page = asked("child_stream", child_id=child, after_sequence=after, wait_ms=1_000)
        found = [entry for entry in page["messages"] if entry["message"] == wanted]
        if found:
            return int(found[0]["sequence"])
        after = page["next_sequence"]
    raise AssertionError(f"{child} never said {wanted!r}")


@pytest.mark.proves("child:fine")
def test_a_child_outlives_the_server_that_spawned_it_and_another_goes_on(hall: Hall) -> None:
    hall.agent()
    with hall.server() as first:
        child = first.ask("child_spawn", prompt="do: listen", agent="hand", interactive=True, role="guide")["child_id"]
        printed(first.ask, child, "listening")
    attached = hall.ask("child_attach", child_id=child)
    assert (attached["role"], attached["runtime_status"]) == ("guide", "running")
    sent = hall.ask("child_send", child_id=child, text="wer da? ☂", expect="stream", timeout_ms=60_000)
    assert sent["reply"]["messages"][0]["message"] == "heard wer da? ☂"
    assert hall.ask("child_set_role", child_id=child, role="helper")["previous_role"] == "guide"
    logs = hall.ask("resources_read", uri=attached["log_uri"])
    assert "heard wer da? ☂" in json.dumps(logs, ensure_ascii=False)
    hall.ask("child_set_limits", child_id=child, limits={"wallclock_ms": 1})
    ended = hall.ask("child_collect", child_id=child, timeout_ms=WAIT * 1_000)
    assert ended["exit"]["error"]["type"] == "timeout"
    assert refusal(hall.client, "child_send", child_id=child, text="x")["code"] == "E-CHILD-STATE"


@pytest.mark.proves("child:unknown")
def test_refusals_have_the_codes_of_children(hall: Hall) -> None:
    hall.agent()
    assert hall.refusal("child_status", child_id="session-77")["code"] == "E-CHILD-NOTFOUND"
    assert hall.refusal("child_spawn", prompt="x", limits={"no": 1})["code"] == "E-CHILD-INVALID-INPUT"
    child = hall.ask("child_spawn", prompt="do: listen", agent="hand", interactive=True, limits={"messages": 1})[
        "child_id"
    ]
    hall.ask("child_send", child_id=child, text="one")
    assert hall.refusal("child_send", child_id=child, text="two")["code"] == "E-CHILD-LIMIT"
    entries = [{"prompt": "do: hang", "agent": "hand"}, {"prompt": "x", "agent": "nobody"}]
    partial = hall.refusal("child_batch_create", entries=entries)
    assert partial["code"] == "E-BULK-PARTIAL"
    assert (partial["details"]["failures"][0]["index"], partial["details"]["rolled_back"]) == (1, True)
    assert [row["child_id"] for row in hall.ask("child_list", state="live")["children"]] == [child]
    assert hall.ask("child_kill", child_id=child)["state"] == "terminated"


def test_the_command_line_speaks_to_children_too(hall: Hall) -> None:
    hall.agent()
    child = hall.cli("child", "spawn", "do: listen", "--agent", "hand", "--interactive")["child_id"]
    assert hall.cli("child", "send", child, "hello", "--expect", "stream", "--timeout-ms", 60_000)["delivered"]
    hall.cli("child", "set-limits", child, '{"idle_ms": 500000}')
    assert hall.cli("child", "cancel", child, "--reason", "enough")["exit"]["error"]["message"] == "enough"
    assert [row["reason"] for row in hall.cli("child", "gc")["removed"]] == ["empty"]
    assert hall.trees() == []


def test_a_key_over_mcp_spawns_one_child(hall: Hall) -> None:
    hall.agent()
    said = {"prompt": "do: print x", "agent": "hand", "idempotency_key": "k1"}
    first, again = hall.ask("child_spawn", **said), hall.ask("child_spawn", **said)
    assert (first["child_id"], first["idempotent"], again["idempotent"]) == (again["child_id"], False, True)
    assert len(hall.ask("child_list")["children"]) == 1
    hall.ask("child_collect", child_id=first["child_id"], timeout_ms=WAIT * 1_000)
