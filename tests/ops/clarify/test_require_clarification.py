"""Sessions in time, and calls that come twice."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from deedlog.core.errors import Conflict
from deedlog.testing import Clock, app_in, caller
from tests.ops.clarify.conftest import Talk, skipping

MINUTE = 60
CHOSEN = {"auth_strategy": "OAuth", "auth_library": "next-auth"}


@pytest.mark.proves("clarify:session:sliding", "clarify:error:expired")
def test_a_session_ends_30_minutes_after_its_last_use(talk: Talk, clock: Clock) -> None:
    asked = talk.call("require_clarification", user_intention="Add authentication")
    for _ in range(3):
        clock.turn(29 * MINUTE)
        assert talk.reply(asked, None)["questions"] == asked["questions"]
    clock.turn(31 * MINUTE)
    assert talk.code(asked, skipping(asked)) == "SESSION_EXPIRED"
    assert talk.code({"session_id": "sess-nope"}, {}) == "SESSION_NOT_FOUND"
    clock.turn(1_000_000 * MINUTE)
    assert talk.code(asked, skipping(asked)) == "SESSION_EXPIRED"


@pytest.mark.proves("clarify:require:repeat")
def test_the_last_call_can_be_repeated_for_as_long(talk: Talk, clock: Clock) -> None:
    asked = talk.require("Add authentication")
    done = talk.reply(asked, skipping(asked))
    clock.turn(29 * MINUTE)
    head = talk.app.ledger.head()
    assert talk.reply(asked, skipping(asked)) == done
    assert talk.app.ledger.head() == head
    clock.turn(2 * MINUTE)
    assert talk.code(asked, skipping(asked)) == "SESSION_NOT_FOUND"


def test_a_call_with_the_same_idempotency_key_happens_once(talk: Talk) -> None:
    found: list[Any] = []

    def call() -> None:
        arguments = {"user_intention": "Use PostgreSQL with Prisma as our database"}
        found.append(talk.app.call("require_clarification", arguments, caller(idempotency_key="k")))

    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer == found[0] for answer in found] == [True] * 4
    assert len(list((talk.repo / "docs/adr").iterdir())) == 1


@pytest.mark.proves("clarify:race:one-result")
def test_many_calls_that_complete_one_session_have_one_result(talk: Talk) -> None:
    asked = talk.require("Add authentication")
    found: list[Any] = []
    threads = [threading.Thread(target=lambda: found.append(talk.reply(asked, CHOSEN))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert all(answer == found[0] for answer in found)
    assert len(list((talk.repo / "docs/adr").iterdir())) == 1


def test_answers_may_come_with_the_first_call(talk: Talk) -> None:
    answers = {"auth_strategy": "OAuth", "auth_library": "skip"}
    done = talk.require("Add authentication", answers=answers)
    while done["status"] != "completed":
        done = talk.reply(done, skipping(done))
    assert done["adr_uid"]
    error = talk.refused("require_clarification", user_intention="Add a database", answers={"nope": "x"})
    assert (error.data["code"], error.data["id"]) == ("INVALID_ANSWER", "nope")
    assert talk.call("clarification_list", status="open")["clarifications"] == []


def test_an_adr_that_is_not_wanted_is_waived_and_that_is_recorded(talk: Talk) -> None:
    done = talk.require("Use PostgreSQL with Prisma as our database", preferences={"waive_adr": True})
    assert "adr_uid" not in done
    assert not (talk.repo / "docs/adr").exists()
    assert "waived" in (talk.repo / "docs/CURRENT_TASK.md").read_text()


def test_what_was_written_is_not_undone_but_questions_are(talk: Talk) -> None:
    talk.require("Add authentication")
    assert talk.call("ledger_undo")["operation"] == "require_clarification"
    asked = talk.require("Add authentication")
    talk.reply(asked, skipping(asked))
    with pytest.raises(Conflict, match="stay"):
        talk.call("ledger_undo")


def test_a_session_of_another_tree_names_that_tree(talk: Talk, tmp_path: Path, clock: Clock) -> None:
    asked = talk.require("Add authentication")
    (tmp_path / "elsewhere/.git").mkdir(parents=True)
    other = Talk(app_in(str(tmp_path / "store"), tree=str(tmp_path / "elsewhere"), clock=clock), tmp_path / "elsewhere")
    error = other.refused("require_clarification", user_intention="x", session_id=asked["session_id"])
    assert error.data["repo_path"] == str(talk.repo)
    assert str(talk.repo) in error.hint


@pytest.mark.proves("clarify:joined:beside")
@pytest.mark.parametrize(
    ("first", "second", "area", "field", "both"),
    [
        ("Use Pino for logging", "Add Sentry for error tracking", "Infra", "Observability", "Pino + Sentry"),
        ("Use Zustand", "Add TanStack Query", "Frontend", "State_Management", "Zustand + TanStack Query"),
        ("Use ESLint", "Add Prettier", "Other", "Lint", "ESLint + Prettier"),
    ],
)
def test_what_is_used_beside_a_decision_supersedes_nothing(
    talk: Talk, first: str, second: str, area: str, field: str, both: str
) -> None:
    assert [talk.require(text)["status"] for text in (first, second)] == ["completed", "completed"]
    book = talk.app.records.look()
    assert book.architecture.plain() == {area: {field: both}}
    assert [row["status"] for row in talk.call("decision_list")["decisions"]] == ["active", "active"]
    assert not any("superseded_by" in row for row in talk.call("decision_list")["decisions"])
    assert not any(both.partition(" + ")[0] in line for line in book.adrs[-1].alternatives + book.adrs[-1].consequences)


@pytest.mark.proves("clarify:require:null")
def test_what_may_be_null_says_so_and_is_taken_as_absent(talk: Talk) -> None:
    inputs = talk.app.catalog["require_clarification"].input_schema["properties"]
    named = {"optional_context", "session_id", "answers", "preferences", "repo_path"}
    assert {name for name, part in inputs.items() if part.get("nullable")} == named
    assert talk.require("Fix typo in login button", **dict.fromkeys(named | {"proposal"}))["status"] == "completed"
