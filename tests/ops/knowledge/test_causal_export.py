from __future__ import annotations

from typing import Any

from tests.ops.knowledge.conftest import Team

Json = dict[str, Any]


def test_the_log_is_exported_as_chains_page_by_page(story: Team) -> None:
    seen: list[Json] = []
    start = 0
    more = True
    while more:
        page = story.call("causal_export", from_seq=start, limit=3)
        seen += page["events"]
        start, more = page["next_seq"], page["more"]
    assert [event["seq"] for event in seen] == sorted({event["seq"] for event in seen})
    by_id = {event["id"]: event for event in seen}
    failed = next(event for event in seen if event["data"].get("exit_code") == 3)
    began = by_id[failed["causes"][0]]
    assert began["type"].startswith("session.")
    assert all(by_id[cause]["seq"] < event["seq"] for event in seen for cause in event["causes"])
    about = story.call("causal_export", subject="task-2")["events"]
    assert {event["id"] for event in about} < set(by_id)
