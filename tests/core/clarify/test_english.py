"""How English is read: wishes without a verb, reports of how it is, names and nouns in both."""

from __future__ import annotations

import pytest

from deedlog.core.clarify.gate import judge
from deedlog.core.clarify.values import Facts, Verdict
from deedlog.survey.lexicon import read

LEXICON = read()
EMPTY = Facts()


def verdict(text: str) -> Verdict:
    return judge(text, EMPTY, LEXICON)


def decided(text: str) -> dict[str, str]:
    return {one.key: one.value for one in verdict(text).decided}


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("Tracing with OpenTelemetry", "Infra.Observability", "OpenTelemetry"),
        ("Vue it is. Please set up the project accordingly.", "Frontend.Framework", "Vue"),
        ("yarn out, pnpm in", "Runtime.Package_Manager", "pnpm"),
        ("Tests: pytest, please", "Testing.Framework", "pytest"),
        ("Refactor auth to use Clerk", "Authentication.Library", "Clerk"),
        ("Use Supabase for auth", "Authentication.Library", "Supabase"),
        ("Use Redis for the job queue", "Messaging.Queue", "Redis"),
        ("Rewrite backend in Go", "Backend.Language", "Go"),
        ("Fix the memory problems by replacing the in-process cache with Redis", "Infra.Caching", "Redis"),
        ("Enable passkeys via WebAuthn", "Authentication.Strategy", "Passkeys"),
    ],
)
def test_a_technology_is_wanted_without_being_added(text: str, key: str, value: str) -> None:
    assert verdict(text).adr
    assert decided(text).get(key) == value


@pytest.mark.parametrize(
    "text",
    [
        "Show a banner when Stripe is unavailable",
        "Show Stripe fees in the monthly report",
        "Add PayPal logo to the footer",
        "Add another Kafka topic for refunds",
        "Add a column phone to the customers table in Postgres",
        "Add a comment explaining why we use Redis here",
        "Log a warning when the Kafka consumer lags behind",
        "Our Stripe webhook receives each event twice",
        "Back in 2022 we picked Auth0. After the callback people land on a blank page.",
        "Swagger UI must not be reachable in production, switch it off",
        "Convert prices to cents before sending them to Stripe",
        "Open links with Ctrl+Click in a new tab",
    ],
)
def test_a_technology_that_is_only_named_is_not_decided(text: str) -> None:
    found = verdict(text)
    assert not found.adr
    assert found.decided == []


@pytest.mark.parametrize(
    "text",
    [
        '"Add payments"',
        "🚀 add payments 💳",
        "Add search",
        "Add real-time notifications",
        "Users should be able to upload a profile picture",
        "Let editors change the texts on the homepage themselves",
        "We're blind in production: no logs, no metrics. Change that.",
        "my lead asked me to add login to our app, can you set that up for me?",
        "SQLite doesn't cut it anymore with this many users",
        "Find a replacement for Heroku",
        "As a customer I want to pay by credit card",
        "Build a chat app",
    ],
)
def test_a_need_that_names_no_technology_is_asked_about(text: str) -> None:
    found = verdict(text)
    assert found.adr
    assert found.questions


@pytest.mark.parametrize(
    "text",
    [
        "The dashboard should show a spinner while the data loads",
        "Uploads should be limited to PDF and PNG",
        "Make push notifications for mentions optional in the settings",
        "Add a search field above the customer table that filters by name",
        "Add logging to the import function",
        "Users should see their invoices under /account/invoices",
        "Add a test for the login with a wrong password",
        "Steps: 1) Log in 2) put the app in the background. Expected: still logged in. Actual: white screen.",
    ],
)
def test_small_things_in_an_empty_repository_are_no_decision(text: str) -> None:
    found = verdict(text)
    assert not found.adr
    assert found.questions == []


@pytest.mark.parametrize("text", ["make it better", "This needs love", "The onboarding sucks", "Add more features"])
def test_a_hollow_request_is_asked_what_it_means(text: str) -> None:
    found = verdict(text)
    assert found.rule == "none.vague"
    assert found.questions


@pytest.mark.parametrize("text", ["Upgrade Next.js to 16", "Upgrade to Next.js 16", "Upgrade Django from 3.2 to 5.0"])
def test_a_major_version_is_one_however_it_is_said(text: str) -> None:
    assert verdict(text).rule == "structure.upgrade"


def test_what_an_adr_shall_say_is_asked_only_where_it_is_open() -> None:
    assert verdict("Record the decision to use trunk-based development as an ADR").questions == []
    assert verdict("Write an ADR about how we split the billing").questions
