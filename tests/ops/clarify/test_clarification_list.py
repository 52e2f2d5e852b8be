from __future__ import annotations

from deedlog.testing import Clock
from tests.ops.clarify.conftest import Talk, skipping


def test_each_is_listed_with_what_became_of_it(talk: Talk, clock: Clock) -> None:
    old = talk.require("Add authentication")
    clock.turn(3_600)
    asked = talk.require("Add authentication")
    done = talk.require("Fix typo in login button")
    rows = talk.call("clarification_list")["clarifications"]
    assert [(row["session_id"], row["status"]) for row in rows] == [
        (done["session_id"], "completed"),
        (asked["session_id"], "open"),
        (old["session_id"], "expired"),
    ]
    assert rows[1]["questions_open"] == len(asked["questions"])
    assert rows[1]["expires_at"] == asked["expires_at"]
    for status, session in (("open", asked), ("expired", old), ("completed", done)):
        (row,) = talk.call("clarification_list", status=status)["clarifications"]
        assert row["session_id"] == session["session_id"]
    talk.reply(asked, skipping(asked))
    assert talk.call("clarification_list", status="open")["clarifications"] == []


def test_it_comes_in_pages(talk: Talk) -> None:
    for number in range(5):
        talk.require(f"Fix typo number {number} in login button")
    page = talk.call("clarification_list", limit=2)
    seen = page["clarifications"]
    while "next_cursor" in page:
        page = talk.call("clarification_list", limit=2, cursor=page["next_cursor"])
        seen += page["clarifications"]
    assert [row["user_intention"][16:17] for row in seen] == ["4", "3", "2", "1", "0"]
