"""What a clarification leaves in the files: what is decided, what is not, and why."""

from __future__ import annotations

import json

import pytest

from deedlog.core.records.task import read_task
from deedlog.core.records.values import CurrentTask
from tests.e2e.clarifier import git
from tests.ops.clarify.conftest import Json, Talk, skipping

MANY = "Add authentication and payments and a database and caching and a queue and emails and search"


def read(talk: Talk, path: str) -> str:
    return (talk.repo / path).read_text(encoding="utf-8")


def task(talk: Talk) -> CurrentTask:
    return read_task(read(talk, "docs/CURRENT_TASK.md"))


def adr(talk: Talk, answer: Json) -> str:
    return read(talk, next(a["path"] for a in answer["artifacts_created"] if a["type"] == "adr"))


def kinds(answer: Json) -> list[str]:
    return [artifact["type"] for artifact in answer["artifacts_created"]]


def section(text: str, name: str) -> str:
    return text.partition(f"\n## {name}\n")[2].partition("\n## ")[0].partition("\n# ")[0].strip()


def architecture(talk: Talk) -> Json:
    found: Json = talk.call("read_architecture")["architecture"]["categories"]
    return found


def has(talk: Talk, **packages: str) -> None:
    (talk.repo / "package.json").write_text(json.dumps({"dependencies": packages}))


@pytest.mark.proves("clarify:adr:removed")
def test_what_is_replaced_or_dropped_no_longer_holds(talk: Talk) -> None:
    has(talk, next="15.0.0")
    talk.require("Add authentication", answers={"auth_strategy": "OAuth", "auth_library": "next-auth"})
    talk.require("Use Clerk for authentication instead of next-auth")
    assert architecture(talk)["Authentication"] == {"Library": "Clerk", "Strategy": "OAuth"}
    talk.require("Replace Clerk with Better Auth")
    assert architecture(talk)["Authentication"] == {"Library": "Better Auth", "Strategy": "OAuth"}
    talk.require("Use PostgreSQL with Prisma as our database")
    dropped = talk.require("Drop Prisma")
    assert architecture(talk)["Database"] == {"Type": "PostgreSQL"}
    assert "No longer decided: Database.ORM (Prisma)." in dropped["summary"]
    text = adr(talk, dropped)
    assert "- Removed: Database.ORM (was: Prisma (ADR " in text
    assert "Prisma has to be taken out of Database" in text
    assert talk.call("adr_verify")["problems"] == []
    again = talk.require("Use Drizzle as our ORM")
    assert "- Added: Database.ORM = Drizzle" in adr(talk, again)
    assert talk.call("adr_verify")["problems"] == []


@pytest.mark.proves("clarify:adr:nothing-decided")
def test_who_skips_everything_decides_nothing_and_is_not_asked_again(talk: Talk) -> None:
    asked = talk.require("Add a cache")
    answer = talk.reply(asked, skipping(asked))
    assert kinds(answer) == ["task"]
    assert architecture(talk) == {}
    assert task(talk).assumptions == ["Infra: Caching = Redis (recommended, not confirmed)"]
    again = talk.require("Add a cache")
    assert again["status"] == "completed"
    assert any("caching" in note for note in again["notes"])
    decided = talk.require("Add a cache", answers={"caching": "Memcached"})
    assert architecture(talk) == {"Infra": {"Caching": "Memcached"}}
    assert "adr" in kinds(decided)


def test_another_task_in_between_lets_it_be_asked_again(talk: Talk) -> None:
    asked = talk.require("Add a cache")
    talk.reply(asked, skipping(asked))
    talk.require("Fix typo in login button")
    assert talk.require("Add a cache")["status"] == "needs_clarification"


def test_a_forced_adr_says_that_it_was_forced(talk: Talk) -> None:
    answer = talk.require("Fix typo in login button", preferences={"force_adr": True})
    text = adr(talk, answer)
    assert "Recorded because: asked for with force_adr" in text
    assert "documentation" not in text
    assert section(text, "Decision") == "Fix typo in login button"
    assert [*architecture(talk)] == ["Other"]


@pytest.mark.proves("clarify:questions:beyond")
def test_what_could_not_be_asked_is_still_open(talk: Talk) -> None:
    asked = talk.require(MANY)
    assert len(asked["questions"]) == 5
    answer = talk.reply(asked, {question["id"]: question["options"][0] for question in asked["questions"]})
    left = {row["field"] for row in answer["assumptions"] if row["source"] == "open"}
    assert {"Infra.Caching", "Messaging.Queue", "Storage.Search"} <= left
    assert "Infra: Caching (caching)" in task(talk).still_open
    assert "start another clarification" in answer["summary"]


@pytest.mark.proves("clarify:files:allowlist")
def test_the_allowlist_foresees_all_it_takes_or_is_none(talk: Talk) -> None:
    has(talk, next="15.0.0")
    (talk.repo / "src/auth").mkdir(parents=True)
    (talk.repo / "src/auth/x.ts").write_text("export {}\n")
    git(talk.repo, "add", ".")
    talk.require("Use OAuth with next-auth for authentication")
    assert task(talk).allowlist == ["src/auth/**", "package.json"]
    talk.call("clarification_prompt")
    assert "Change only what its Allowlist names" in read(talk, "docs/AGENT_PROMPT.md")
    talk.require("Use PostgreSQL with Prisma as our database, and Stripe for payments")
    assert "_Anything: no folder is typical of this yet_" in section(read(talk, "docs/CURRENT_TASK.md"), "Allowlist")
    assert task(talk).allowlist == []
    talk.call("clarification_prompt")
    assert "Allowlist" not in read(talk, "docs/AGENT_PROMPT.md")


def test_decided_before_is_a_constraint_and_skipped_is_an_assumption(talk: Talk) -> None:
    first = talk.require("Add authentication", answers={"auth_strategy": "OAuth", "auth_library": "skip"})
    assert [row["field"] for row in first["decided"]] == ["Authentication.Strategy"]
    assert [row["field"] for row in first["assumptions"]] == ["Authentication.Library"]
    uid = first["adr_uid"]
    again = talk.require("Add authentication for the admin area")
    while again["status"] != "completed":
        again = talk.reply(again, skipping(again))
    assert f"Authentication: keep OAuth (strategy), as ADR {uid} decided" in task(talk).constraints
    assert not any("OAuth" in line for line in task(talk).assumptions)
    assert {row["source"] for row in again["decided"]} == {"decision"}


def test_a_choice_without_an_adr_holds_for_the_task_alone(talk: Talk) -> None:
    answer = talk.require("Use Stripe for payments", preferences={"waive_adr": True})
    assert "holds for this task alone" in answer["summary"]
    assert "Services: use Stripe (payments)" in task(talk).constraints
    assert architecture(talk) == {}


@pytest.mark.proves("clarify:files:prompt-stale")
def test_a_prompt_for_the_task_before_goes_with_it(talk: Talk) -> None:
    talk.require("Fix typo in login button")
    talk.call("clarification_prompt")
    prompt = talk.repo / "docs/AGENT_PROMPT.md"
    assert prompt.exists()
    talk.require("Fix typo in the footer")
    assert not prompt.exists()
    talk.call("clarification_prompt")
    prompt.write_text(prompt.read_text() + "\nAnd be quick.\n")
    talk.require("Fix typo in the header")
    assert prompt.exists(), "somebody changed it"
    (problem,) = talk.call("adr_verify")["problems"]
    assert "docs/AGENT_PROMPT.md is about another task" in problem
    talk.call("clarification_prompt")
    assert talk.call("adr_verify")["problems"] == []


def test_a_prompt_with_conflict_markers_is_written_anew(talk: Talk) -> None:
    talk.require("Fix typo in login button")
    talk.call("clarification_prompt")
    prompt = talk.repo / "docs/AGENT_PROMPT.md"
    text = prompt.read_text()
    other = text.replace("login button", "footer").replace("<!-- Task: 2", "<!-- Task: 1")
    prompt.write_text(f"<<<<<<< HEAD\n{text}=======\n{other}>>>>>>> other\n")
    talk.call("clarification_prompt")
    assert prompt.read_text() == text


@pytest.mark.proves("clarify:adr:why")
def test_an_adr_tells_why_instead_of_what_and_what_follows(talk: Talk) -> None:
    has(talk, next="15.0.0")
    asked = talk.require("Add authentication to the shop. Customers should find their orders again.")
    text = adr(talk, talk.reply(asked, {"auth_strategy": "OAuth", "auth_library": "Clerk"}))
    why = section(text, "Rationale")
    assert "OAuth: chosen when asked “Which authentication strategy?”; it was recommended: No passwords" in why
    assert "although next-auth was recommended" in why
    others = section(text, "Alternatives Considered")
    assert "Magic Links (Authentication strategy)" in others
    assert "next-auth (Authentication library): recommended, not chosen" in others
    follows = section(text, "Consequences")
    assert "Magic Links would now contradict this decision" in follows
    assert section(text, "Decision") == "Authentication: use OAuth (strategy) with Clerk (library)"
    assert "\n# ADR: Authentication: OAuth with Clerk\n" in text
    assert task(talk).criteria[-2:] == [
        "“Add authentication to the shop. Customers should find their orders again.” works as it was asked for",
        "All tests pass",
    ]


@pytest.mark.parametrize(
    ("intention", "said", "done"),
    [
        ("Utiliser PostgreSQL avec Prisma comme base de données", "la demande dit", "Tous les tests passent"),
        ("データベースにはPostgreSQLとPrismaを使う", "依頼に「データベースには", "すべてのテストが通る"),
    ],
)
def test_fixed_sentences_are_in_the_language_of_the_request(talk: Talk, intention: str, said: str, done: str) -> None:
    answer = talk.require(intention)
    while answer["status"] != "completed":
        answer = talk.reply(answer, skipping(answer))
    text = adr(talk, answer)
    assert said in section(text, "Rationale")
    assert done in task(talk).criteria
    assert "\\u3" not in text, "people read the machine blocks too"
    assert intention in text.partition("deedlog-details")[2]


def test_the_parts_of_a_proposal_are_named_in_the_schema(talk: Talk) -> None:
    from deedlog.core.clarify.proposing import FORMS

    for name in ("require_clarification", "clarification_preview"):
        schema = talk.app.catalog[name].input_schema["properties"]["proposal"]
        named = schema.get("properties") or next(one["properties"] for one in schema["anyOf"] if "properties" in one)
        assert {*named} == {*FORMS}


@pytest.mark.proves("clarify:adr:why")
@pytest.mark.parametrize(
    ("intention", "reason"),
    [
        ("Replace Celery with Temporal because Celery keeps losing chords", "because Celery keeps losing chords"),
        ("Use Redis as our cache so we can run two instances", "so we can run two instances"),
        ("Passer de MySQL à PostgreSQL pour profiter des index JSONB", "pour profiter des index JSONB"),
    ],
)
def test_the_reason_that_a_request_gives_is_the_first_of_its_rationale(talk: Talk, intention: str, reason: str) -> None:
    answer = talk.require(intention)
    while answer["status"] != "completed":
        answer = talk.reply(answer, skipping(answer))
    assert reason in section(adr(talk, answer), "Rationale").splitlines()[0]


def test_what_is_proposed_as_a_dependency_is_named(talk: Talk) -> None:
    answer = talk.require("Fix the crash in the parser", proposal={"new_dependencies": ["left-pad"]})
    while answer["status"] != "completed":
        answer = talk.reply(answer, skipping(answer))
    assert "left-pad becomes a dependency" in section(adr(talk, answer), "Consequences")


def test_what_forced_an_adr_is_among_the_reasons(talk: Talk) -> None:
    answer = talk.require("Fix typo in login button", preferences={"force_adr": True})
    assert answer["why"][0] == {"rule": "asked.force", "about": "asked for with force_adr"}
