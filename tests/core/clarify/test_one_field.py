"""A technology has one place in the architecture, however it arrives, and leaves it when it goes."""

from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.clarify.gate import judge
from deedlog.core.clarify.settling import offered
from deedlog.core.clarify.values import Evidence, Facts, Verdict
from deedlog.survey.lexicon import read

LEXICON = read()
# What one technology can be at once: a tool that does two jobs, a store used in two ways.
ALSO = {
    "db_migrations": {"Prisma", "Drizzle", "Knex.js", "sqlx", "Entity Framework Core"},
    "offline_storage": {"IndexedDB", "SQLite", "Isar", "Hive", "Core Data", "Room", "Realm"},
    "backend_language": {"Python", "Go", "Rust"},  # with a version they are what it runs on
    "scripting": {"Lua", "WebAssembly", "JavaScript"},
    "realtime": {"Phoenix LiveView"},
    "distribution": {"Homebrew", "Docker"},
    "caching": {"SQLite"},
    "rate_limiting": {"Redis"},
    "second_factor": {"Passkeys"},
    "scheduling": {
        *("cron", "Temporal", "APScheduler", "Celery", "Airflow", "Solid Queue", "Sidekiq", "Oban", "Quartz"),
        "Hangfire",
    },
    "test_framework": {"Patrol"},
    "distributed_training": {"DeepSpeed", "Ray"},
    "sms": {"Amazon SNS"},
}


def verdict(text: str, architecture: dict[str, dict[str, str]] | None = None, **evidence: Any) -> Verdict:
    facts = Facts(ecosystems=["javascript"], architecture=architecture or {})
    return judge(text, facts, LEXICON, Evidence(**evidence))


def decided(found: Verdict) -> dict[str, str]:
    return {one.key: one.value for one in found.decided}


def removed(found: Verdict) -> dict[str, str]:
    return {one.key: one.value for one in found.removed}


@pytest.mark.proves("clarify:one-field")
@pytest.mark.parametrize("name", LEXICON.questions)
def test_an_answer_lands_in_the_field_that_the_request_would_have_set(name: str) -> None:
    given = LEXICON.questions[name]
    fields = {alias.lower(): one.key for one in LEXICON.technologies for alias in (one.name, *one.aliases)}
    named = {option: fields[option.lower()] for option in offered(given) if option.lower() in fields}
    assert {option for option, key in named.items() if key != given.get("sets")} == ALSO.get(name, set())


@pytest.mark.parametrize(
    ("request_", "before", "after", "gone"),
    [
        (
            "Use Clerk for authentication instead of next-auth",
            {"Authentication": {"Library": "next-auth"}},
            {"Authentication.Library": "Clerk"},
            {},
        ),
        (
            "Replace Clerk with Better Auth",
            {"Authentication": {"Provider": "Clerk"}},
            {"Authentication.Library": "Better Auth"},
            {"Authentication.Provider": ""},
        ),
        ("Drop Prisma", {"Database": {"ORM": "Prisma", "Type": "PostgreSQL"}}, {}, {"Database.ORM": ""}),
        ("Drop Sentry", {"Infra": {"Observability": "Sentry + Prometheus"}}, {}, {"Infra.Observability": "Prometheus"}),
        (
            "Move the sessions from Redis to PostgreSQL",
            {"Infra": {"Caching": "Redis"}},
            {"Database.Type": "PostgreSQL"},
            {},
        ),
        ("Add a job queue without Redis", {"Infra": {"Caching": "Redis"}}, {}, {}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_leaves_takes_its_field_along(
    request_: str, before: dict[str, dict[str, str]], after: dict[str, str], gone: dict[str, str]
) -> None:
    found = verdict(request_, before)
    assert (decided(found), removed(found)) == (after, gone)


def test_a_technology_that_is_decided_anew_leaves_the_field_it_had_once() -> None:
    found = verdict("Use Clerk for authentication", {"Authentication": {"Provider": "Clerk"}}, force_adr=True)
    assert (decided(found), removed(found)) == ({"Authentication.Library": "Clerk"}, {"Authentication.Provider": ""})
    both = {"Database": {"Migrations": "Prisma", "ORM": "TypeORM"}}
    assert removed(verdict("Replace TypeORM with Prisma", both)) == {}


def test_a_service_that_signs_people_in_leaves_no_strategy_to_ask_for() -> None:
    answered = verdict("Add authentication", answers={"auth_library": "Clerk"}, asked=["auth_library"])
    assert answered.questions == []
    library = verdict("Add authentication", answers={"auth_library": "Passport"}, asked=["auth_library"])
    assert [question.id for question in library.questions] == ["auth_strategy"]


def test_two_that_share_a_field_are_both_decided() -> None:
    assert decided(verdict("Add authentication with next-auth and Auth0"))["Authentication.Library"] == (
        "next-auth + Auth0"
    )


def test_a_language_without_a_version_is_what_is_written_in() -> None:
    assert decided(verdict("Rewrite the backend in Go")) == {"Backend.Language": "Go"}
    assert [*decided(verdict("Upgrade Python to 3.13"))] == ["Runtime.Version"]
