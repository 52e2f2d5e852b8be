from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deedlog.app import App
from deedlog.core.errors import Invalid
from deedlog.testing import Clock, app_in, caller

Json = dict[str, Any]


class Shop:
    """A repository with no decision yet."""

    def __init__(self, app: App, tree: Path) -> None:
        self.app = app
        self.tree = tree

    def call(self, name: str, /, **arguments: object) -> Json:
        answer: Json = self.app.call(name, arguments, caller())
        return answer

    def preview(self, request: str, **more: object) -> Json:
        return self.call("clarification_preview", user_intention=request, **more)


@pytest.fixture
def shop(repo: Path, tmp_path: Path, clock: Clock) -> Shop:
    return Shop(app_in(str(tmp_path / "store"), tree=str(repo), clock=clock), repo)


@pytest.mark.proves("clarify:preview:nothing-kept")
def test_an_open_request_shows_its_questions_and_keeps_nothing(shop: Shop) -> None:
    found = shop.preview("Add authentication")
    assert (found["status"], found["adr"], found["files"]) == ("needs_clarification", True, [])
    assert found["questions"]
    assert found["why"]
    assert {"rule", "about", "text", "start", "end"} == set(found["why"][0])
    assert shop.call("clarification_list")["clarifications"] == []
    assert not (shop.tree / "docs").exists()
    assert shop.app.ledger.head() == 0


@pytest.mark.proves("clarify:preview:same-rules")
def test_it_asks_what_the_conversation_asks(shop: Shop) -> None:
    shown = shop.preview("Add authentication")
    asked = shop.call("require_clarification", user_intention="Add authentication")
    assert shown["questions"] == asked["questions"]


@pytest.mark.proves("clarify:preview:same-rules")
def test_with_every_answer_it_shows_the_files_that_would_be_written(shop: Shop) -> None:
    asked = shop.preview("Add authentication")["questions"]
    answers = {question["id"]: question["options"][0] if question.get("options") else "skip" for question in asked}
    shown = shop.preview("Add authentication", answers=answers)
    assert (shown["status"], shown["questions"]) == ("clear", [])
    assert all(file["diff"].startswith("--- /dev/null\n+++ b/docs/") for file in shown["files"])
    begun = shop.call("require_clarification", user_intention="Add authentication", answers=answers)
    assert begun["status"] == "completed"
    assert begun["summary"] == shown["summary"]
    names = [name_of(file["path"]) for file in shown["files"]]
    assert sorted(names) == sorted(name_of(one["path"]) for one in begun["artifacts_created"])
    task = (shop.tree / "docs/CURRENT_TASK.md").read_text()
    (diff,) = [file["diff"] for file in shown["files"] if file["path"] == "docs/CURRENT_TASK.md"]
    said = [line[1:] for line in diff.splitlines()[3:]]
    assert [line for line in said if not is_dated(line)] == [line for line in task.splitlines() if not is_dated(line)]


def name_of(path: str) -> str:
    """A path without the UID, which is given when the file is written."""
    return path.partition("_")[2] if "/adr/" in path else path


def is_dated(line: str) -> bool:
    return "UID" in line or "ADR" in line or "Created" in line


@pytest.mark.proves("clarify:preview:same-rules")
def test_wishes_and_proposals_count(shop: Shop) -> None:
    assert not shop.preview("Fix typo in login button")["adr"]
    forced = shop.preview("Fix typo in login button", preferences={"force_adr": True})
    assert (forced["adr"], forced["status"]) == (True, "clear")
    assert any(file["path"].startswith("docs/adr/") for file in forced["files"])
    proposed = shop.preview(
        "Fix typo in login button", preferences={"force_adr": True}, proposal={"alternatives": ["leave it"]}
    )
    assert any("leave it" in file["diff"] for file in proposed["files"])


def test_what_is_there_already_is_shown_as_a_change(shop: Shop) -> None:
    shop.call("require_clarification", user_intention="Fix typo in login button")
    shown = shop.preview("Fix typo in logout button")
    (task,) = [file for file in shown["files"] if file["path"] == "docs/CURRENT_TASK.md"]
    assert "-# Fix typo in login button" in task["diff"]
    assert "+# Fix typo in logout button" in task["diff"]


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        ({"answers": {"nonsense": "x"}}, "no question has this id"),
        ({"proposal": {"kind": "explode"}}, "not a kind of change"),
    ],
)
def test_a_mistake_is_refused_as_in_the_conversation(shop: Shop, more: Json, complaint: str) -> None:
    with pytest.raises(Invalid, match=complaint):
        shop.preview("Add authentication", **more)
