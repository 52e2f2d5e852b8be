"""Conversations as they never should be: wrong answers, half answers, changed minds, silence."""

from __future__ import annotations

import random
from typing import Any

import pytest

from deedlog.core.errors import DeedlogError
from tests.ops.clarify.conftest import Talk, skipping

REQUESTS = (
    *("Add authentication", "Add a database", "Make it better", "We need caching", "Introduce a message queue"),
    *("Rewrite the frontend", "Choose between PostgreSQL and MySQL", "Ajouter une base de données", "認証を追加する"),
    *("Deploy it somewhere", "Use Redis or Memcached?", "Add payments and e-mail", "Fix the login bug", "Add search"),
)
ODD: tuple[Any, ...] = (
    "",
    "TBD",
    5,
    None,
    True,
    [],
    ["x"],
    {"a": 1},
    "skip",
    "x" * 3_000,
    "Other (specify)",
    "Other: mine",
    "a\nb",
    "?",
)
TURNS = 25


def answers(chance: random.Random, asked: dict[str, Any]) -> dict[str, Any]:
    """Some of the questions, answered in any way."""
    found: dict[str, Any] = {}
    for question in asked["questions"]:
        kind = chance.random()
        if kind < 0.3:
            continue
        options = question.get("options", ["As you like"])
        found[question["id"]] = chance.choice(options) if kind < 0.6 else chance.choice(ODD)
    if chance.random() < 0.1:
        found["nobody_asked"] = "x"
    return found


@pytest.mark.proves("clarify:questions:flat", "clarify:questions:five", "clarify:require:answers")
@pytest.mark.parametrize("seed", range(12))
def test_whatever_is_answered_the_session_holds_together(talk: Talk, seed: int) -> None:
    chance = random.Random(seed)
    codes: set[object] = set()
    for intention in chance.sample(REQUESTS, 4):
        reply = talk.require(intention)
        shown: set[str] = set()
        for _ in range(TURNS):
            if reply["status"] == "completed":
                break
            assert reply["questions"]
            shown |= {question["id"] for question in reply["questions"] if not question["id"].endswith("__other")}
            assert len(shown) == reply["progress"]["asked_so_far"] <= 5
            progress, given = reply["progress"], answers(chance, reply)
            try:
                reply = talk.reply(reply, given)
            except DeedlogError as refusal:
                codes.add(refusal.data["code"])
                assert talk.reply(reply, None)["questions"] == reply["questions"]
                continue
            if reply["status"] != "completed":
                assert reply["progress"]["asked_so_far"] >= progress["asked_so_far"]
        while reply["status"] != "completed":
            reply = talk.reply(reply, skipping(reply))
        assert (talk.repo / "docs/CURRENT_TASK.md").is_file()
        assert talk.call("read_architecture")["status"] == "success"
    assert codes <= {"INVALID_ANSWER"}
