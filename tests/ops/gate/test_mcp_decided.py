from __future__ import annotations

from tests.ops.gate.reach import Reach


def test_what_a_person_decided_in_a_form_is_an_event_of_the_server(reach: Reach) -> None:
    decision = {"approved": {"transport": "stdio", "command": "run"}}
    assert reach.app.aside("mcp_decided", {"server": "oven", "decision": decision, "asked_for": "claude"})
    [event] = reach.call("event_list", subject="server://oven")["events"]
    assert event["operation"] == "mcp_decided"
    assert event["after"] == {**decision, "asked_for": "claude"}
