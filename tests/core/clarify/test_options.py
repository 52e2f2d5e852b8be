"""What is offered fits the repository."""

from __future__ import annotations

import pytest

from deedlog.core.clarify.choosing import Asking, question_of
from deedlog.core.clarify.values import OTHER, Facts, Question
from deedlog.survey.lexicon import read

LEXICON = read()


def asked(name: str, ecosystem: str, *technologies: str) -> Question:
    facts = Facts(ecosystems=[ecosystem] if ecosystem else [], technologies=dict.fromkeys(technologies, "manifest"))
    return question_of(name, LEXICON, Asking(language="en", facts=facts, rejected=[], ecosystems=facts.ecosystems))


@pytest.mark.proves("clarify:options:framework")
@pytest.mark.parametrize(
    ("ecosystem", "framework", "name", "recommended", "foreign"),
    [
        ("php", "Symfony", "auth_library", "Symfony Security", "Laravel"),
        ("php", "Symfony", "db_orm", "Doctrine", "Eloquent"),
        ("php", "Laravel", "auth_library", "Laravel Breeze", "Symfony"),
        ("php", "CakePHP", "db_orm", "Doctrine", "Eloquent"),
        ("javascript", "Vue", "auth_library", "Passport", "next-auth"),
        ("javascript", "SvelteKit", "auth_library", "Better Auth", "next-auth"),
        ("javascript", "Next.js", "auth_library", "next-auth", "Laravel"),
        ("python", "Starlette", "auth_library", "Authlib", "django"),
        ("python", "FastAPI", "db_migrations", "Alembic", "Django"),
        ("ruby", "Sinatra", "queue", "Sidekiq", "Solid Queue"),
        ("rust", "Actix Web", "auth_library", "Keycloak", "axum"),
        ("java", "Quarkus", "auth_library", "Keycloak", "Spring"),
    ],
)
def test_nothing_is_offered_that_is_made_for_another_framework(
    ecosystem: str, framework: str, name: str, recommended: str, foreign: str
) -> None:
    question = asked(name, ecosystem, framework)
    assert question.recommended == recommended
    assert [option for option in question.options if foreign in option] == []
    assert question.options[-1] == OTHER


@pytest.mark.proves("clarify:options:framework")
def test_where_no_framework_is_known_what_needs_one_comes_last() -> None:
    assert asked("auth_library", "php").options == [
        *("Symfony Security", "Auth0", "Laravel Breeze", "Laravel Fortify"),
        OTHER,
    ]
    assert asked("auth_library", "").options[0] == "next-auth"
    assert asked("auth_library", "swift").options[0] == "Passport"


def test_every_option_that_needs_a_technology_names_known_ones() -> None:
    known = {one.name for one in LEXICON.technologies}
    for name, given in LEXICON.questions.items():
        lists = [given.get("options", []), *given.get("having", {}).values(), *given.get("by", {}).values()]
        for option, needed in given.get("only", {}).items():
            assert set(needed) <= known, (name, option)
            assert any(option in options for options in lists), (name, option)
