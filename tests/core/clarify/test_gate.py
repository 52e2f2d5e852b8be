"""The gate, sentence by sentence."""

from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.clarify.decided import of_package, technologies_in
from deedlog.core.clarify.gate import judge, triggers
from deedlog.core.clarify.values import (
    ANSWER,
    ASSUMPTION,
    DECISION,
    MEMORY,
    MOST_QUESTIONS,
    MULTI,
    OTHER,
    SINGLE,
    Evidence,
    Facts,
    Proposal,
    Remembered,
    Verdict,
)  # fmt: skip
from deedlog.survey.lexicon import read

LEXICON = read()
EMPTY = Facts()
NEXT = Facts(ecosystems=["javascript"], technologies={"Next.js": "package.json", "React": "package.json"})
DJANGO = Facts(ecosystems=["python"], technologies={"Django": "pyproject.toml"})


def verdict(text: str, facts: Facts = NEXT, **evidence: Any) -> Verdict:
    return judge(text, facts, LEXICON, Evidence(**evidence))


def values(found: Verdict) -> dict[str, str]:
    return {one.key: one.value for one in found.decided}


def asked(found: Verdict) -> list[str]:
    return [question.id for question in found.questions]


@pytest.mark.proves("clarify:example:authentication")
@pytest.mark.parametrize("text", ["Add authentication", "Ajouter l'authentification", "認証を追加してください"])
def test_authentication_asks_for_strategy_and_library(text: str) -> None:
    found = verdict(text, EMPTY)
    assert found.adr
    assert asked(found) == ["auth_strategy", "auth_library"]
    assert found.questions[0].options == ["OAuth", "Email/Password", "Magic Links", OTHER]
    assert "next-auth" in found.questions[1].options
    assert found.questions[0].recommended == "OAuth"
    assert found.questions[0].why


def test_options_fit_the_repository() -> None:
    offered = verdict("Add authentication", DJANGO).questions[1].options
    assert "django-allauth" in offered
    assert "next-auth" not in offered


@pytest.mark.proves("clarify:example:typo")
@pytest.mark.parametrize(
    "text",
    [
        "Fix typo in login button",
        "fix the bug in the connection pool",
        "add Google as another OAuth provider",
        "Add tests for the cache layer",
        "Document how our deployment works",
        "Raise the database timeout to 30 seconds",
        "Rename the `auth` package to `account`",
        "Show the customers' feedback on the start page",
        "The author prefix is wrong in debug builds",
        "We moved to Kafka last year; now the consumer crashes",
        "Corrige le bug dans le pool de connexions",
        "Ajoute Google comme autre fournisseur OAuth",
        "コネクションプールのバグを修正してください",
        "OAuthプロバイダーとしてGoogleも追加して",
    ],
)
def test_these_need_neither_an_adr_nor_an_answer(text: str) -> None:
    found = verdict(text)
    assert not found.adr
    assert found.questions == []


@pytest.mark.proves("clarify:adr:precedence")
@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Write an ADR about the bug fix in the cache", "asked.adr"),
        ("Fix the slow search by moving to Elasticsearch", "structure.migrate"),
        ("Refactor the error handling, that touches about 60 files", "structure.files"),
        ("Fix the login bug", "none.fix"),
        ("Add caching", "first.topic"),
        ("Add a CSV export to the orders page", "none.feature"),
        ("make it better", "none.vague"),
    ],
)
def test_the_first_matching_step_decides(text: str, rule: str) -> None:
    assert verdict(text).rule == rule


@pytest.mark.proves("clarify:gate:languages")
@pytest.mark.parametrize(
    ("text", "wanted", "refused"),
    [
        ("Migrate from PostgreSQL to MySQL", "MySQL", "PostgreSQL"),
        ("PostgreSQL → MySQL", "MySQL", "PostgreSQL"),
        ("Replace PostgreSQL with MySQL", "MySQL", "PostgreSQL"),
        ("Use MySQL instead of PostgreSQL", "MySQL", "PostgreSQL"),
        ("Drop PostgreSQL in favour of MySQL", "MySQL", "PostgreSQL"),
        ("keep MySQL, not PostgreSQL", "MySQL", "PostgreSQL"),
        ("Passer de PostgreSQL à MySQL", "MySQL", "PostgreSQL"),
        ("Utilise MySQL au lieu de PostgreSQL", "MySQL", "PostgreSQL"),
        ("Remplacer PostgreSQL par MySQL", "MySQL", "PostgreSQL"),
        ("PostgreSQLからMySQLへ移行する", "MySQL", "PostgreSQL"),
        ("PostgreSQLをやめてMySQLにする", "MySQL", "PostgreSQL"),
        ("PostgreSQLではなくMySQLを使う", "MySQL", "PostgreSQL"),
        ("Switch sqlite to neon", "Neon", "SQLite"),
    ],
)
def test_direction_decides(text: str, wanted: str, refused: str) -> None:
    found = verdict(text)
    assert found.adr
    assert values(found)["Database.Type"] == wanted
    assert refused in found.rejected
    assert found.questions == []


@pytest.mark.proves("clarify:gate:languages")
@pytest.mark.parametrize(
    "text",
    [
        "Add authentication, don't use Clerk",
        "Il faut une authentification, pas Clerk",
        "認証を追加して。Clerkは使わないで",
    ],
)
def test_what_is_refused_is_neither_decided_nor_offered(text: str) -> None:
    found = verdict(text)
    assert found.rejected == ["Clerk"]
    assert "Clerk" not in values(found).values()
    assert all("Clerk" not in question.options for question in found.questions)
    assert asked(found) == ["auth_strategy", "auth_library"]


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("Introduce Kafka", "Messaging.Queue", "Kafka"),
        ("Store uploads in S3", "Storage.Files", "S3"),
        ("Add a Redis cache", "Infra.Caching", "Redis"),
        ("Upgrade to Node 22", "Runtime.Version", "Node.js 22"),
        ("Use Terraform for the infrastructure", "Infra.IaC", "Terraform"),
        ("Deploy to Cloud Run", "Infra.Hosting", "Cloud Run"),
        ("Kafka", "Messaging.Queue", "Kafka"),
    ],
)
def test_a_named_technology_decides_its_field(text: str, key: str, value: str) -> None:
    found = verdict(text)
    assert found.adr
    assert values(found) == {key: value}
    assert found.questions == []


@pytest.mark.proves("clarify:require:first-call")
def test_an_explicit_request_leaves_nothing_to_ask() -> None:
    found = verdict("Add a MySQL database with Drizzle")
    assert values(found) == {"Database.Type": "MySQL", "Database.ORM": "Drizzle"}
    assert found.questions == []


@pytest.mark.parametrize(
    "word", ["express delivery", "spring sale", "a flask of potion", "neon colours", "the vault door"]
)
def test_everyday_words_are_no_technologies(word: str) -> None:
    assert verdict(f"Show {word} on the start page").decided == []


def test_a_plain_word_is_a_technology_where_the_repository_fits() -> None:
    flask = Facts(ecosystems=["python"], technologies={})
    assert values(verdict("Rewrite the server with Flask and SQLAlchemy", flask))["Backend.Framework"] == "Flask"


def test_two_that_are_offered_are_asked_about_and_not_decided() -> None:
    found = verdict("Should the events run over NATS or Kafka?")
    assert found.adr
    assert found.decided == []
    assert [question.options for question in found.questions] == [["NATS", "Kafka", OTHER]]


def test_two_values_for_one_field_are_a_question() -> None:
    found = verdict("Use PostgreSQL and MySQL for the orders")
    assert "Database.Type" not in values(found)
    assert found.questions[0].options == ["PostgreSQL", "MySQL", OTHER]


@pytest.mark.proves("clarify:questions:not-again")
def test_what_is_decided_answered_or_skipped_is_not_asked() -> None:
    decided = Facts(architecture={"Authentication": {"Strategy": "OAuth"}}, decided_by={"Authentication.Strategy": "U"})
    assert verdict("Pages under /admin must require login", decided).questions == []
    told = Facts(memories=[Remembered(id="m", title="Login", text="We log in with OAuth.")])
    remembered = verdict("Add authentication", told)
    assert asked(remembered) == ["auth_library"]
    assert [one.source for one in remembered.decided] == [MEMORY]
    answered = verdict("Add authentication", answers={"auth_strategy": "OAuth"})
    assert asked(answered) == ["auth_library"]
    assert [one.source for one in answered.decided] == [ANSWER]
    skipped = verdict("Add authentication", answers={"auth_strategy": "OAuth"}, skipped=["auth_library"])
    assert skipped.questions == []
    assert [(one.field, one.value, one.source) for one in skipped.assumptions] == [("Library", "next-auth", ASSUMPTION)]
    packages = DJANGO.replace(technologies={"Redis": "pyproject.toml"})
    assert verdict("We need caching", packages).questions == []


@pytest.mark.proves("clarify:questions:five")
def test_at_most_five_questions_are_asked_in_a_session() -> None:
    text = "Add authentication, a database, caching, monitoring, payments and a job queue"
    assert len(verdict(text).questions) == MOST_QUESTIONS
    assert len(verdict(text, asked=["a", "b", "c", "d"]).questions) == 1
    assert verdict(text, asked=["a", "b", "c", "d", "e"]).questions == []


@pytest.mark.proves("clarify:questions:types")
def test_every_choice_can_be_answered_otherwise() -> None:
    for name, given in LEXICON.questions.items():
        found = judge("Add authentication", NEXT, LEXICON).questions[0]
        assert found.type in (SINGLE, MULTI)
        assert found.options[-1] == OTHER
        assert {"en", "fr", "ja"} == set(given["text"]), name


def test_what_the_repository_has_is_known_by_other_names_too() -> None:
    facts = Facts(ecosystems=["go"], technologies={"Google Cloud": "main.tf", "Postgres": "compose.yaml"})
    assert verdict("We need a database", facts).questions == []
    assert not verdict("Store the sessions in PostgreSQL", facts).adr


def test_a_changed_decision_is_a_trigger() -> None:
    facts = NEXT.replace(architecture={"Database": {"Type": "PostgreSQL"}})
    found = verdict("Use MySQL for the orders", facts)
    assert found.adr
    assert found.rule == "structure.change"
    assert not verdict("Add a column gift_note to the orders table", facts).adr


def test_leaving_without_a_target_asks_for_one() -> None:
    found = verdict("Get us off Vercel", NEXT.replace(architecture={"Infra": {"Hosting": "Vercel"}}))
    assert found.adr
    assert asked(found) == ["hosting"]
    assert "Vercel" not in found.questions[0].options


@pytest.mark.parametrize(
    ("text", "language"), [("make it faster", "en"), ("Améliore les perfs", "fr"), ("もっと速くして", "ja")]
)
def test_a_vague_request_is_asked_about_in_its_language(text: str, language: str) -> None:
    found = verdict(text)
    assert (found.kind, found.adr, found.language) == ("vague", False, language)
    assert asked(found) == ["scope", "acceptance_criteria"]
    assert found.questions[0].question == LEXICON.questions["scope"]["text"][language]


def test_force_and_waiver_win_over_the_rules() -> None:
    assert verdict("Fix typo in login button", force_adr=True).adr
    assert not verdict("Introduce Kafka", waive_adr=True).adr


def test_a_proposal_adds_and_never_switches_off() -> None:
    assert verdict("Add a column to orders", proposal=Proposal(new_dependencies=["zod"])).adr
    assert verdict("Tidy the importer", proposal=Proposal(estimated_files=14)).adr
    assert verdict("Introduce Kafka", proposal=Proposal(kind="fix")).adr


@pytest.mark.proves("clarify:require:proposal")
def test_what_an_agent_chooses_is_decided_only_where_somebody_said_it() -> None:
    choices = {"Infra.Caching": "Memcached"}
    found = verdict("Add a cache", proposal=Proposal(choices=choices))
    assert (values(found), asked(found)) == ({}, ["caching"])
    (question,) = found.questions
    assert (question.recommended, question.why) == ("Memcached", "Proposed by the agent.")
    own = verdict("Add a cache", proposal=Proposal(choices={"Infra.Caching": "Aerospike"})).questions[0]
    assert own.options[0] == own.recommended == "Aerospike"
    said = verdict("Add a cache", context="Memcached would do", proposal=Proposal(choices=choices))
    assert values(said) == choices
    not_wanted = verdict("Add a cache, not Memcached", proposal=Proposal(choices=choices))
    assert "Infra.Caching" not in values(not_wanted)
    told = verdict("Rename the customer field", proposal=Proposal(choices=choices, new_dependencies=["pylibmc"]))
    assert (told.adr, asked(told)) == (True, ["caching"])


def test_what_is_said_beside_a_request_does_not_change_its_kind() -> None:
    found = verdict("Add authentication", context="Please do not fix anything else")
    assert found.adr
    assert asked(found) == ["auth_strategy", "auth_library"]
    assert verdict("Add authentication", context="Use Keycloak for it, please.").questions == []


@pytest.mark.proves("clarify:gate:deterministic")
def test_a_verdict_is_the_same_each_time_and_tells_its_reasons() -> None:
    text = "Fix the slow search by moving to Ｅｌａｓｔｉｃｓｅａｒｃｈ"
    found = verdict(text)
    assert found == verdict(text)
    reason = next(one for one in found.reasons if one.rule == "structure.introduce")
    assert reason.text == "Ｅｌａｓｔｉｃｓｅａｒｃｈ"
    assert text[reason.start : reason.end] == reason.text


@pytest.mark.parametrize(
    "text", ["", " ", "?", "\n\n", "\x00", "。", "`" * 500, "a" * 8000, "no " * 3000, "(((", "→→→", "🙂"]
)
def test_no_text_is_too_odd(text: str) -> None:
    assert not verdict(text).adr


def test_a_logged_decision_triggers_when_it_brings_or_changes_something() -> None:
    found = triggers("Zod for validation", LEXICON, {})
    assert found
    assert found.rule == "structure.introduce"
    changed = triggers("We take MySQL", LEXICON, {"Database": {"Type": "PostgreSQL"}})
    assert changed
    assert changed.rule == "structure.change"
    assert triggers("PostgreSQL stays", LEXICON, {"Database": {"Type": "PostgreSQL"}}) is None
    assert triggers("Use a for loop", LEXICON, {}) is None


def test_technologies_are_known_by_name_and_package() -> None:
    assert [one.name for one in technologies_in("ポスグレ and Next.js, no feedback", LEXICON)] == [
        "PostgreSQL",
        "Next.js",
    ]
    for package, name in [
        ("psycopg2", "PostgreSQL"),
        ("github.com/gin-gonic/gin", "Gin"),
        ("@prisma/client", "Prisma"),
    ]:
        found = of_package(package, LEXICON)
        assert found
        assert found.name == name
    assert of_package("left-pad", LEXICON) is None


def test_a_decision_on_record_is_told_as_an_assumption() -> None:
    facts = NEXT.replace(architecture={"Infra": {"Caching": "Redis"}}, decided_by={"Infra.Caching": "U1"})
    found = verdict("Add caching to the quotes page", facts)
    assert [(one.key, one.value, one.source, one.detail) for one in found.assumptions] == [
        ("Infra.Caching", "Redis", DECISION, "U1")
    ]


@pytest.mark.proves("clarify:reasons:by-option")
def test_what_is_recommended_has_its_own_reason_and_what_made_it_fit() -> None:
    cache = judge("Add caching without Redis", Facts(), LEXICON).questions[0]
    assert (cache.recommended, cache.why) == ("Memcached", LEXICON.questions["caching"]["tells"]["Memcached"]["en"])
    assert set(cache.tells) == {*cache.options} - {OTHER}
    facts = Facts(ecosystems=["javascript"], technologies={"Next.js": "web/package.json"})
    library = next(q for q in judge("認証を追加する", facts, LEXICON).questions if q.id == "auth_library")
    assert library.why.startswith(LEXICON.questions["auth_library"]["tells"]["next-auth"]["ja"])
    assert "web/package.json" in library.why
    assert library.language == "ja"


def test_every_reason_is_there_in_all_languages() -> None:
    for name, question in LEXICON.questions.items():
        for option, texts in question.get("tells", {}).items():
            assert set(texts) == {"en", "fr", "ja"}, (name, option)


@pytest.mark.parametrize("request_", ["Add social login", "Ajouter une connexion sociale", "ソーシャルログインを追加"])
@pytest.mark.proves("clarify:questions:types")
def test_several_providers_can_be_chosen_for_social_login(request_: str) -> None:
    found = judge(request_, Facts(ecosystems=["javascript"]), LEXICON)
    question = next(one for one in found.questions if one.id == "oauth_providers")
    assert (question.type, question.min_selections) == (MULTI, 1)
    said = judge("Add social login with Google and GitHub using Passport", Facts(), LEXICON)
    assert said.questions == []


@pytest.mark.parametrize(
    ("text", "asked", "rejected"),
    [
        ("Use anything but Kafka as our message queue", ["queue"], ["Kafka"]),
        ("Any database except MongoDB", ["db_type"], ["MongoDB"]),
        ("Tout sauf Kafka pour la file de messages", ["queue"], ["Kafka"]),
        ("Clerkは使わないでログインを追加", ["auth_strategy", "auth_library"], ["Clerk"]),
        ("Redisを使わずにキャッシュを追加", ["caching"], ["Redis"]),
    ],
)
def test_what_is_excepted_leaves_the_rest_open(text: str, asked: list[str], rejected: list[str]) -> None:
    found = verdict(text, EMPTY)
    assert found.adr
    assert [question.id for question in found.questions] == asked
    assert found.rejected == rejected
    assert values(found) == {}
    assert not any(set(rejected) & set(question.options) for question in found.questions)


def test_an_adr_on_a_strategy_that_is_not_told_is_asked_about() -> None:
    assert [question.id for question in verdict("Write an ADR for our caching strategy", EMPTY).questions]
