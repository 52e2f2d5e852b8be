from __future__ import annotations

from tests.ops.clarify.conftest import Talk, skipping


def test_an_open_one_is_given_up_and_nothing_is_written(talk: Talk) -> None:
    asked, other = talk.require("Add authentication"), talk.require("Add authentication")
    gone = talk.call("clarification_reset", session_id=asked["session_id"])
    assert gone == {"status": "reset", "session_ids": [asked["session_id"]]}
    assert talk.code(asked, skipping(asked)) == "SESSION_NOT_FOUND"
    assert not (talk.repo / "docs/CURRENT_TASK.md").exists()
    error = talk.refused("clarification_reset", session_id=asked["session_id"])
    assert (error.kind, error.data["status"]) == ("conflict", "reset")
    talk.call("ledger_undo")
    for session in (asked, other):
        assert talk.reply(session, None)["questions"] == session["questions"]


def test_without_an_id_all_open_ones_of_this_tree_are(talk: Talk) -> None:
    asked = [talk.require("Add authentication")["session_id"] for _ in range(2)]
    done = talk.require("Fix typo in login button")["session_id"]
    assert sorted(talk.call("clarification_reset")["session_ids"]) == sorted(asked)
    assert talk.call("clarification_reset")["session_ids"] == []
    assert talk.call("clarification_get", session_id=done)["status"] == "completed"
