"""Technologies that are used beside each other share a field; only alternatives take each other's place."""

from __future__ import annotations

import pytest

from deedlog.core.clarify.gate import judge, triggers
from deedlog.core.clarify.lexicon import Technology
from deedlog.core.clarify.rivals import are_rivals, given_up, whole
from deedlog.core.clarify.values import Facts
from deedlog.core.drift import packages_against
from deedlog.core.records.values import Architecture, Held
from deedlog.survey.lexicon import read

LEXICON = read()
BY_NAME = {one.name: one for one in LEXICON.technologies}
BESIDE = {  # what was decided, and packages that are ordinary beside it
    "Tailwind CSS": "postcss sass styled-jsx autoprefixer",
    "shadcn/ui": "@radix-ui/react-dialog react-hook-form recharts framer-motion @tanstack/react-table d3 three swiper",
    "Material UI": "storybook @storybook/react chart.js leaflet @tiptap/core @radix-ui/react-dialog",
    "Zustand": "@tanstack/react-query swr @apollo/client xstate riverpod provider get",
    "Vitest": "@testing-library/react msw testcontainers pytest hypothesis factory-boy @pact-foundation/pact rspec",
    "pytest": "hypothesis tox testcontainers factory-boy jest",
    "Playwright": "pytest vitest artillery",
    "Sentry": "pino winston @opentelemetry/api prom-client structlog loguru dd-trace prometheus-client",
    "Pino": "@sentry/node prom-client structlog",
    "Zod": "pydantic marshmallow ajv",
    "PostgreSQL": "better-sqlite3 @supabase/supabase-js sqlite3 lmdb dexie influxdb pgvector redis duckdb",
    "SQLAlchemy": "alembic sqlmodel asyncpg beanie",
    "Next.js": "react react-dom htmx.org electron",
    "React": "next gatsby jquery",
    "Spring Data JPA": "org.hibernate:hibernate-core",
    "ESLint": "prettier ruff husky black mypy",
    "Ruff": "mypy black eslint",
    "Vite": "esbuild rollup",
    "FastAPI": "starlette uvicorn express",
    "NestJS": "django",
    "Stripe": "laravel/cashier react-native-purchases",
    "SendGrid": "nodemailer mjml",
    "Kafka": "bullmq celery",
    "Redis": "lru-cache",
    "PyTorch": "transformers scikit-learn xgboost lightning openai optuna",
    "pandas": "numpy pyarrow",
    "Typer": "click",
    "Lodash": "immer dotenv",
    "Tokio": "rayon",
    "GitHub Actions": "semantic-release",
}
AGAINST = {  # what was decided, and packages that go against it
    "PostgreSQL": "mysql2 mongodb pymongo @aws-sdk/client-dynamodb",
    "Prisma": "drizzle-orm typeorm mongoose sequelize",
    "SQLAlchemy": "peewee tortoise-orm",
    "Zustand": "redux @reduxjs/toolkit mobx jotai",
    "TanStack Query": "swr",
    "Tailwind CSS": "styled-components bootstrap @emotion/react",
    "Material UI": "antd @mantine/core",
    "Vitest": "jest mocha",
    "RSpec": "minitest",
    "Playwright": "cypress selenium",
    "Sentry": "rollbar bugsnag",
    "Pino": "winston",
    "ESLint": "@biomejs/biome",
    "Prettier": "@biomejs/biome",
    "Zod": "yup joi",
    "Next.js": "vue nuxt @angular/core",
    "React": "vue svelte",
    "FastAPI": "flask django",
    "Express": "fastify",
    "BullMQ": "pg-boss agenda",
    "Celery": "dramatiq",
    "Stripe": "@adyen/api-library",
    "SendGrid": "postmark",
    "Moment.js": "date-fns dayjs",
    "Redis": "pymemcache",
}


def told(decided: str, package: str) -> list[str]:
    one = BY_NAME[decided]
    held = Architecture(uid="u", areas={one.area: {one.field: Held(value=decided, uid="u")}})
    return [found.chosen for _, found in packages_against([package], held, LEXICON)]


@pytest.mark.proves("clarify:joined:beside")
@pytest.mark.parametrize("decided", BESIDE)
def test_what_is_used_beside_a_decided_technology_is_no_contradiction(decided: str) -> None:
    assert [(package, told(decided, package)) for package in BESIDE[decided].split() if told(decided, package)] == []


@pytest.mark.parametrize("decided", AGAINST)
def test_an_alternative_to_a_decided_technology_is_a_contradiction(decided: str) -> None:
    assert [package for package in AGAINST[decided].split() if not told(decided, package)] == []


def test_what_was_decided_in_several_parts_is_held_against_each() -> None:
    held = Architecture(uid="u", areas={"Infra": {"Observability": Held(value="Pino + Sentry", uid="u")}})
    names = ["@sentry/node", "pino", "prom-client", "rollbar", "winston"]
    assert [name for name, _ in packages_against(names, held, LEXICON)] == ["rollbar", "winston"]


@pytest.mark.proves("clarify:joined:beside")
@pytest.mark.parametrize(
    ("request_", "field", "held", "after"),
    [
        ("Add Sentry for error tracking", "Infra.Observability", "Pino", "Pino + Sentry"),
        ("Use TanStack Query for server state", "Frontend.State_Management", "Zustand", "Zustand + TanStack Query"),
        ("Add Prettier", "Other.Lint", "ESLint", "ESLint + Prettier"),
        ("Add Biome for linting and formatting", "Other.Lint", "ESLint + Prettier", "Biome"),
        ("Use Winston for logging", "Infra.Observability", "Pino + Sentry", "Sentry + Winston"),
        ("Replace Pino with Winston", "Infra.Observability", "Pino + Sentry", "Sentry + Winston"),
        ("Add SQLite for the offline cache", "Database.Type", "PostgreSQL", "PostgreSQL + SQLite"),
        ("Switch to SQLite", "Database.Type", "PostgreSQL", "SQLite"),
        ("Use MySQL as our database", "Database.Type", "PostgreSQL", "MySQL"),
        ("Add pytest for the Python scripts", "Testing.Framework", "Vitest", "Vitest + pytest"),
        ("Use Clerk for authentication", "Authentication.Library", "Our own thing", "Clerk"),
    ],
)
def test_a_field_keeps_what_a_request_brings_no_alternative_to(
    request_: str, field: str, held: str, after: str
) -> None:
    area, _, name = field.partition(".")
    found = judge(request_, Facts(ecosystems=["javascript"], architecture={area: {name: held}}), LEXICON)
    assert found.adr
    assert [one.whole or one.value for one in found.decided if one.key == field] == [after]


def test_what_a_field_holds_among_others_needs_no_new_decision() -> None:
    architecture = {"Infra": {"Observability": "Pino + Sentry"}}
    assert not judge("Use Sentry", Facts(ecosystems=["javascript"], architecture=architecture), LEXICON).adr
    assert triggers("Sentry", LEXICON, architecture) is None
    assert triggers("Rollbar", LEXICON, architecture) is not None


def test_two_that_are_no_alternatives_can_be_asked_for_at_once() -> None:
    both = judge("Use Zustand and TanStack Query", Facts(), LEXICON)
    assert [one.value for one in both.decided] == ["Zustand + TanStack Query"]
    assert [question.id for question in judge("Use Zustand and Redux", Facts(), LEXICON).questions] == [
        "state_management"
    ]


def test_where_no_alternatives_are_listed_those_of_one_ecosystem_are() -> None:
    made = {
        name: Technology(name=name, area="A", field="F", ecosystems=ecosystems)
        for name, ecosystems in {"one": ["python"], "other": ["python", "go"], "third": ["ruby"], "any": []}.items()
    }
    for first, second, rivals in [("one", "other", True), ("one", "third", False), ("any", "third", True)]:
        assert are_rivals(made[first], made[second], "A.F", LEXICON) is rivals
    assert not are_rivals(made["one"], made["one"], "A.F", LEXICON)
    assert are_rivals(made["one"], made["third"], "B.G", LEXICON), "neither is at home there"


def test_the_listed_alternatives_are_technologies_of_their_fields() -> None:
    strange = [
        (key, name)
        for key, lists in LEXICON.rivals.items()
        for names in lists
        for name in names
        if name not in BY_NAME or BY_NAME[name].key != key
    ]
    assert strange == []


def test_a_new_version_takes_the_place_of_the_old_one() -> None:
    assert whole("Runtime.Version", "Node.js 22", "Node.js 20 + Python 3.12", (), LEXICON) == "Python 3.12 + Node.js 22"
    assert given_up("Node.js 20 + Python 3.12", "Python 3.12 + Node.js 22") == "Node.js 20"
