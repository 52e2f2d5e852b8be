from __future__ import annotations

from tests.ops.clarify.conftest import Talk, skipping


def test_it_shows_what_is_open_what_was_answered_and_what_was_written(talk: Talk) -> None:
    asked = talk.require("Add authentication", optional_context="For customers", preferences={"force_adr": True})
    first = asked["questions"][0]
    talk.reply(asked, {first["id"]: first["options"][0]})
    shown = talk.call("clarification_get", session_id=asked["session_id"])
    assert (shown["status"], shown["user_intention"]) == ("open", "Add authentication")
    assert (shown["optional_context"], shown["force_adr"]) == ("For customers", True)
    assert shown["answers"] == {first["id"]: first["options"][0]}
    assert shown["asked"][0] == first
    assert first["id"] not in [question["id"] for question in shown["questions"]]
    assert shown["tree"] == str(talk.repo)
    done = talk.reply(asked, skipping(shown))
    while done["status"] != "completed":
        done = talk.reply(asked, skipping(done))
    shown = talk.call("clarification_get", session_id=asked["session_id"])
    assert (shown["status"], shown["questions"], shown["result"]) == ("completed", [], done)
    assert shown["adr_uid"] == done["adr_uid"]


def test_an_unknown_one_is_refused(talk: Talk) -> None:
    assert talk.refused("clarification_get", session_id="sess-nope").data["code"] == "SESSION_NOT_FOUND"
