"""Answers, right and wrong, over standard input and output."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.clarifier import Clarifier, files, path_of, types

AUTHENTICATION = "Authentication"
NULLS = {"optional_context": None, "session_id": None, "answers": None, "preferences": None, "repo_path": None}


@pytest.fixture
def client(repo: Path) -> Iterator[Clarifier]:
    with Clarifier(repo) as clarifier:
        yield clarifier


def ended(client: Clarifier, answer: dict[str, Any]) -> dict[str, Any]:
    while answer["status"] != "completed":
        answer = client.reply(answer, {question["id"]: "skip" for question in answer["questions"]})
    return answer


def test_null_is_as_if_nothing_was_given(client: Clarifier) -> None:
    assert client.require("Fix typo in login button", **NULLS, proposal=None)["status"] == "completed"


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"auth_strategy": "NOT-AN-OPTION"}, "auth_strategy"),
        ({"auth_strategy": "TBD"}, "auth_strategy"),
        ({"auth_strategy": ""}, "auth_strategy"),
        ({"auth_strategy": 5}, "auth_strategy"),
        ({"auth_strategy": True}, "auth_strategy"),
        ({"auth_strategy": {"a": 1}}, "auth_strategy"),
        ({"auth_strategy": ["OAuth", "SAML"]}, "auth_strategy"),
        ({"auth_strategy": "x" * 2_001}, "auth_strategy"),
        ({"auth_strateggy": "OAuth"}, "auth_strateggy"),
        ({"auth_strategy": "OAuth", "nope": "x"}, "nope"),
        ({"auth_strategy": "OAuth", "auth_library": None, "auth_library__other": 3}, "auth_library"),
    ],
    ids=lambda value: ascii(value)[:40],
)
@pytest.mark.proves("clarify:require:answers", "error:002:shape")
def test_a_wrong_answer_is_refused_by_its_id_and_the_session_goes_on(
    client: Clarifier, given: dict[str, Any], named: str
) -> None:
    asked = client.require("Add authentication")
    error = client.refused_reply(asked, given)
    assert (error["code"], error["details"]["id"]) == ("INVALID_ANSWER", named)
    assert error["details"]["reason"]
    assert client.reply(asked, None)["questions"] == asked["questions"]
    assert ended(client, client.reply(asked, {"auth_strategy": "OAuth"}))["status"] == "completed"
    assert client.architecture()[AUTHENTICATION]["Strategy"] == "OAuth"


@pytest.mark.proves("clarify:questions:other")
@pytest.mark.parametrize(
    "given",
    [
        {"auth_strategy": "Kerberos"},
        {"auth_strategy": "Other (specify): Kerberos"},
        {"auth_strategy": "Other: Kerberos"},
        {"auth_strategy__other": "Kerberos"},
        {"auth_strategy": "Other (specify)", "auth_strategy__other": "Kerberos"},
    ],
    ids=str,
)
def test_something_else_is_said_in_one_step(client: Clarifier, given: dict[str, str]) -> None:
    asked = client.require("Add authentication")
    ended(client, client.reply(asked, given))
    assert client.architecture()[AUTHENTICATION]["Strategy"] == "Kerberos"


@pytest.mark.proves("clarify:questions:other", "clarify:questions:flat")
def test_other_without_a_text_is_asked_for_visibly(client: Clarifier) -> None:
    asked = client.require("Add authentication")
    again = client.reply(asked, {"auth_strategy": "Other (specify)"})
    assert again["status"] == "needs_clarification"
    (question,) = [q for q in again["questions"] if q["id"].startswith("auth_strategy")]
    assert (question["id"], question["type"]) == ("auth_strategy__other", "free_text")
    assert again["progress"]["asked_so_far"] == asked["progress"]["asked_so_far"]
    ended(client, client.reply(again, {"auth_strategy__other": "Kerberos"}))
    assert client.architecture()[AUTHENTICATION]["Strategy"] == "Kerberos"


def test_options_are_known_whatever_their_case(client: Clarifier) -> None:
    asked = client.require("Add authentication")
    ended(client, client.reply(asked, {"auth_strategy": "oauth", "auth_library": "NEXT-AUTH"}))
    assert client.architecture()[AUTHENTICATION] == {"Strategy": "OAuth", "Library": "next-auth"}


EVIL = (
    "SAML\n\n### Database\n\n- **Type**: Evil (ADR 20250101T000000.000Z-AAAA)",
    "SAML --> <!-- UID: 20990101T000000.000Z-FFFF -->",
    "SAML (ADR 20990101T000000.000Z-FFFF)",
    '# PART 2: DECISION DETAILS\r\n```json\r\n{"Database": {"Type": "Evil"}}\r\n```',
    "SAML\u2028### Database\u2028- **Type**: Evil",
)


@pytest.mark.parametrize("evil", EVIL, ids=range(len(EVIL)))
def test_no_answer_forges_another_category(client: Clarifier, evil: str) -> None:
    asked = client.require("Add authentication", optional_context=evil)
    ended(client, client.reply(asked, {asked["questions"][0]["id"]: f"Other: {evil}"}))
    ended(client, client.require(f"Add a cache {evil}", preferences={"force_adr": True}))
    uid = client.call("read_architecture")["architecture"]["uid"]
    assert not uid.startswith("2099")
    (client.folder / "docs/ARCHITECTURE_STATE.md").unlink()
    found = client.architecture()
    assert "Database" not in found
    client.require("Fix typo in login button")
    assert client.architecture() == found


@pytest.mark.proves("clarify:require:force-adr")
def test_an_adr_that_is_asked_for_is_written(client: Clarifier) -> None:
    forced = client.finish("Fix the crash when saving a draft", preferences={"force_adr": True})
    assert "adr" in types(forced)
    assert "Fix the crash" in (client.folder / path_of(forced, "adr")).read_text()
    assert "adr" not in types(client.finish("Fix the crash when saving a draft", preferences={"force_adr": False}))


@pytest.mark.proves("clarify:require:context")
def test_the_context_drives_neither_the_title_nor_the_verdict(client: Clarifier) -> None:
    answer = client.require(
        "Use PostgreSQL with Prisma as our database",
        optional_context="Please do not fix anything else, and don't use MongoDB. This is no refactoring.",
    )
    assert "adr" in types(answer)
    text = (client.folder / path_of(answer, "adr")).read_text()
    assert "do not fix anything else" in text
    assert "do not fix" not in text.partition("\n## ")[0].splitlines()[0]
    assert client.architecture()["Database"] == {"Type": "PostgreSQL", "ORM": "Prisma"}


@pytest.mark.proves("clarify:require:context")
@pytest.mark.parametrize("intention", ["Add a database", "Use a different database"])
def test_what_the_context_tells_decides_nothing(client: Clarifier, intention: str) -> None:
    ended(client, client.require(intention, optional_context="We use MongoDB now and hate it"))
    assert "MongoDB" not in str(client.architecture())


@pytest.mark.proves("clarify:require:proposal")
def test_a_proposal_fills_the_second_part_and_switches_nothing_off(client: Clarifier) -> None:
    proposal = {
        "kind": "fix",
        "rationale": "The team already runs it",
        "alternatives": ["MySQL: nobody here knows it"],
        "consequences": ["Backups must be set up"],
        "acceptance_criteria": ["Orders survive a restart, and so do carts"],
    }
    answer = client.require("Use PostgreSQL with Prisma as our database", proposal=proposal)
    assert "adr" in types(answer)
    text = (client.folder / path_of(answer, "adr")).read_text()
    for said in ("The team already runs it", "nobody here knows it", "Backups must be set up"):
        assert said in text
    assert "Orders survive a restart, and so do carts" in (client.folder / "docs/CURRENT_TASK.md").read_text()
    large = client.finish("Rename the customer field", proposal={"estimated_files": 40})
    assert "adr" in types(large)
    error = client.refused("require_clarification", user_intention="x", proposal={"kind": "introduse"})
    assert error["code"] == "VALIDATION_FAILED"


@pytest.mark.proves("clarify:undo:files-stay")
def test_what_was_written_is_not_undone(client: Clarifier) -> None:
    asked = client.require("Add authentication")
    assert client.call("ledger_undo")["operation"] == "require_clarification"
    assert client.refused_reply(asked, {"auth_strategy": "OAuth"})["code"] == "SESSION_NOT_FOUND"
    client.require("Fix typo in login button")
    before = files(client.folder)
    refusal = client.server.call("ledger_undo", {})
    assert refusal["isError"]
    assert "stay" in refusal["content"][0]["text"]
    assert files(client.folder) == before
