"""What a person or an agent writes as an answer, and what it is taken as."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deedlog.core.clarify.answers import follow_up, is_settled, take
from deedlog.core.clarify.values import MULTI, OTHER, SINGLE, TEXT, Question
from deedlog.core.errors import Invalid

STRATEGY = Question(
    id="auth_strategy",
    type=SINGLE,
    question="Which authentication strategy?",
    options=["OAuth", "Email/Password", "Magic Links", OTHER],
)
LIBRARY = Question(id="auth_library", type=SINGLE, question="Which library?", options=["next-auth", "None", OTHER])
PROVIDERS = Question(
    id="providers", type=MULTI, question="Which providers?", options=["Google", "GitHub", OTHER], min_selections=1
)
REGION = Question(id="region", type=SINGLE, question="Which region?", options=["eu-west-1", "us-east-1"])
LIMITS = Question(id="limits", type=TEXT, question="Any limits?", optional=True)
GOAL = Question(id="goal", type=TEXT, question="What for?")
ALL = [STRATEGY, LIBRARY, PROVIDERS, REGION, LIMITS, GOAL]
NAMES = {"nestjs": "NestJS", "next.js": "Next.js", "postgres": "PostgreSQL", "postgresql": "PostgreSQL"}


def taken(name: str, value: Any, **more: Any) -> Any:
    return take(ALL, {name: value, **more}, names=NAMES).answers.get(name.removesuffix("__other"))


def refused(**given: Any) -> dict[str, Any]:
    with pytest.raises(Invalid) as refusal:
        take(ALL, given)
    assert refusal.value.data["code"] == "INVALID_ANSWER"
    assert "skip" in refusal.value.hint
    return refusal.value.data


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("OAuth", "OAuth"),
        ("  oauth ", "OAuth"),
        ("EMAIL/PASSWORD", "Email/Password"),
        ("email password", "Email/Password"),
        ("magic_links", "Magic Links"),
        ("Magic-Link", "Magic Links"),
        ("ＯＡｕｔｈ", "OAuth"),
        (["OAuth"], "OAuth"),
    ],
)
def test_an_option_is_known_by_its_letters(given: object, meant: str) -> None:
    assert taken("auth_strategy", given) == meant


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("Kerberos", "Kerberos"),
        ("No passwords, only passkeys", "No passwords, only passkeys"),
        ("Key-value store without options", "Key-value store without options"),
        ("Other (specify): Kerberos", "Kerberos"),
        ("Other: SAML via Okta", "SAML via Okta"),
        ("other - passkeys", "passkeys"),
        ("Autre : Kerberos", "Kerberos"),
        ("その他：パスキー", "パスキー"),
        ("Other: OAuth", "OAuth"),
        ("認証なしのゲスト", "認証なしのゲスト"),
        ("SAML\n### Database\n- **Type**: Evil", "SAML ### Database - **Type**: Evil"),
        ("🔑 passkeys", "🔑 passkeys"),
    ],
)
@pytest.mark.proves("clarify:questions:other")
def test_any_other_text_is_a_value_of_one_s_own_in_one_step(given: str, meant: str) -> None:
    found = take(ALL, {"auth_strategy": given})
    assert found.answers == {"auth_strategy": meant}
    assert bool(found.notes) == (meant not in STRATEGY.options)


@pytest.mark.proves("clarify:questions:other")
def test_the_text_may_come_under_an_id_of_its_own() -> None:
    assert taken("auth_strategy__other", "Kerberos") == "Kerberos"
    assert taken("auth_strategy", OTHER, auth_strategy__other="Kerberos") == "Kerberos"
    assert taken("auth_strategy", "OAuth", auth_strategy__other="") == "OAuth"
    assert taken("auth_strategy", "OAuth", auth_strategy__other=None) == "OAuth"
    assert taken("providers", ["Google", OTHER], providers__other="Okta") == ["Google", "Okta"]
    assert refused(auth_strategy="OAuth", auth_strategy__other="Kerberos")["id"] == "auth_strategy"


@pytest.mark.proves("clarify:questions:other")
@pytest.mark.parametrize("bare", [OTHER, "other", "Other (please specify)", "Autre", "その他", "Other:"])
def test_other_without_a_text_is_asked_for(bare: str) -> None:
    answer = taken("auth_strategy", bare)
    assert answer == OTHER
    assert not is_settled(answer)
    asked = follow_up(STRATEGY)
    assert (asked.id, asked.type, asked.follows) == ("auth_strategy__other", TEXT, "auth_strategy")
    assert STRATEGY.question in asked.question
    assert taken("auth_strategy__other", "Kerberos") == "Kerberos"
    assert refused(auth_strategy__other=bare)["id"] == "auth_strategy"


def test_what_was_chosen_beside_other_is_not_lost() -> None:
    first = take(ALL, {"providers": ["Google", OTHER]}).answers
    assert not is_settled(first["providers"])
    assert take(ALL, {"providers__other": "Okta"}, first).answers == {"providers": ["Google", "Okta"]}
    assert take(ALL, {"providers__other": "skip"}, first).answers == {"providers": ["Google"]}


def test_one_wrong_letter_is_forgiven_unless_it_names_another_technology() -> None:
    framework = Question(id="f", type=SINGLE, question="?", options=["Next.js", "React", OTHER])
    assert take([framework], {"f": "Reackt"}, names=NAMES).answers == {"f": "React"}
    assert take([framework], {"f": "NestJS"}, names=NAMES).answers == {"f": "NestJS"}
    assert take([framework], {"f": "Preact"}, names=NAMES).answers == {"f": "Preact"}
    database = Question(id="d", type=SINGLE, question="?", options=["PostgreSQL", "MySQL", OTHER])
    assert take([database], {"d": "postgres"}, names=NAMES).answers == {"d": "PostgreSQL"}


@pytest.mark.parametrize(
    "nothing",
    [
        *("", "   ", "TBD", "todo", "n/a", "?", "???", "-", "unknown", "none", "null", "undefined", "idk"),
        *("NOT-AN-OPTION", "none of the above", "no option", "invalid choice", "InvalidOption", "not_a_real_option"),
        *("definitely not an option", "invalid", "asdf"),
        *("42", "3.5", "true", '{"a": 1}', "[1, 2]", "<b>x</b>", "x" * 2_001, "\u200b"),
        *(1, 1.5, True, {"a": 1}, {"answer": "OAuth"}, ["OAuth", "SAML"], []),
    ],
    ids=lambda value: ascii(value)[:20],
)
@pytest.mark.proves("clarify:require:answers")
def test_what_nobody_means_as_a_value_is_refused_with_the_options(nothing: object) -> None:
    data = refused(auth_strategy=nothing)
    assert (data["id"], data["options"]) == ("auth_strategy", STRATEGY.options)
    assert data["reason"]


def test_an_option_called_none_is_an_option() -> None:
    assert taken("auth_library", "none") == "None"


def test_a_choice_without_other_takes_its_options_only() -> None:
    assert taken("region", "EU-WEST-1") == "eu-west-1"
    for wrong in ("Mars", OTHER, "Other: Mars"):
        assert refused(region=wrong)["options"] == REGION.options


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (["google", "GitHub"], ["Google", "GitHub"]),
        ("google, github", ["Google", "GitHub"]),
        ("Google、GitHub", ["Google", "GitHub"]),
        ("GitHub", ["GitHub"]),
        (["Google", "google"], ["Google"]),
        (["Google", "Okta"], ["Google", "Okta"]),
        ("Other: Okta, Azure AD", ["Okta, Azure AD"]),
    ],
)
@pytest.mark.proves("clarify:questions:types")
def test_several_come_as_a_list_or_with_commas(given: object, meant: list[str]) -> None:
    assert taken("providers", given) == meant


@pytest.mark.parametrize("wrong", [[], [1], ["Google", {"a": 1}], {"Google": True}, 3, ["x" * 2_001], ["a"] * 0])
@pytest.mark.proves("clarify:require:answers")
def test_several_are_refused_too(wrong: object) -> None:
    assert refused(providers=wrong)["id"] == "providers"


def test_too_many_are_refused() -> None:
    assert "20" in refused(providers=[f"provider {n}" for n in range(21)])["reason"]


@pytest.mark.parametrize("skip", [None, "skip", "Skip", "スキップ"])
@pytest.mark.parametrize("name", ["auth_strategy", "providers", "limits", "goal", "auth_strategy__other"])
@pytest.mark.proves("clarify:questions:skip")
def test_every_question_can_be_skipped(name: str, skip: object) -> None:
    found = take(ALL, {name: skip})
    assert (found.answers, found.skipped) == ({}, [name.removesuffix("__other")])


def test_free_text_is_kept_as_it_is() -> None:
    assert taken("goal", " First line\nsecond, with a comma; ☕\n") == "First line\nsecond, with a comma; ☕"
    assert taken("goal", "no") == "no"
    for wrong in (5, ["a"], {"a": 1}, "TBD", "", "..."):
        assert refused(goal=wrong)["id"] == "goal"
    assert take(ALL, {"limits": ""}).skipped == ["limits"]


@pytest.mark.proves("clarify:require:answers")
def test_an_unknown_id_is_refused_with_the_nearest_one() -> None:
    data = refused(auth_strategi="OAuth")
    assert (data["id"], data["known"]) == ("auth_strategi", [question.id for question in ALL])
    assert "did you mean auth_strategy?" in data["reason"]
    assert refused(goal__other="x")["id"] == "goal__other"


def test_every_mistake_is_told_at_once() -> None:
    data = refused(auth_strategy=5, goal="TBD", nope="x")
    assert {flaw["id"] for flaw in data["invalid"]} == {"auth_strategy", "goal", "nope"}


@given(
    st.dictionaries(
        st.sampled_from([q.id for q in ALL]),
        st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=5),
    )
)
@pytest.mark.proves("clarify:require:answers")
def test_whatever_is_given_is_taken_as_text_or_refused(given_answers: dict[str, Any]) -> None:
    try:
        found = take(ALL, given_answers)
    except Invalid:
        return  # and nothing else
    assert set(found.answers) | set(found.skipped) == set(given_answers)
    for question in ALL:
        answer = found.answers.get(question.id, [] if question.type == MULTI else "x")
        texts = answer if isinstance(answer, list) else [answer]
        assert all(isinstance(text, str) and text.strip() == text and text for text in texts)
        assert question.type == TEXT or not any("\n" in text for text in texts)


CACHE = Question(
    id="caching", type=SINGLE, question="?", options=["Redis", "Memcached", OTHER], recommended="Redis", field="Caching"
)
KNOWN = {"redis": "Redis", "memcached": "Memcached", "hazelcast": "Hazelcast", "valkey": "Valkey"}


@pytest.mark.parametrize(
    "left",
    [
        *("you decide", "Whatever.", "up to you", "I don’t care", "peu importe", "Comme tu veux", "à toi de voir"),
        *("お任せ", "おまかせします。", "どれでもいい", "Other: you decide", ["whatever"]),
    ],
)
@pytest.mark.proves("clarify:answers:non-answers")
def test_who_leaves_the_choice_to_others_gets_what_is_recommended(left: object) -> None:
    found = take([CACHE], {"caching": left})
    assert (found.answers, found.skipped) == ({}, ["caching"])
    assert "Redis is assumed" in found.notes[0]


@pytest.mark.parametrize(
    "unsure",
    ["no idea", "Dunno", "I don’t know", "je ne sais pas", "Aucune idée", "分からない", "わかりません。", "later"],
)
@pytest.mark.parametrize("name", ["auth_strategy", "goal"])
@pytest.mark.proves("clarify:answers:non-answers")
def test_who_does_not_know_is_told_that_one_can_skip(unsure: str, name: str) -> None:
    assert "say skip" in refused(**{name: unsure})["reason"]


@pytest.mark.parametrize("said", ["x", "y", "back", "ok", "Other: x", "戻る", "はい"])
@pytest.mark.proves("clarify:answers:non-answers")
def test_letters_and_words_of_a_dialogue_are_no_values(said: str) -> None:
    assert "names nothing else" in refused(auth_strategy=said)["reason"]


@pytest.mark.proves("clarify:answers:non-answers")
def test_a_language_may_have_a_name_of_one_letter() -> None:
    language = Question(id="l", type=SINGLE, question="?", options=["Go", OTHER], field="Language")
    assert take([language], {"l": "C"}).answers == {"l": "C"}


@pytest.mark.parametrize(
    "said", ["not Redis", "no Redis", "anything but Valkey", "pas Redis", "sans Redis", "Redis以外"]
)
@pytest.mark.proves("clarify:answers:non-answers")
def test_what_it_should_not_be_is_no_answer(said: str) -> None:
    with pytest.raises(Invalid, match="should not be"):
        take([CACHE], {"caching": said}, names=KNOWN)


@pytest.mark.parametrize(
    "said", ["Memcached or Redis", "Memcached ou Redis", "Redis, Hazelcast", "RedisかMemcached", "Redis and Memcached"]
)
@pytest.mark.proves("clarify:answers:non-answers")
def test_two_at_once_are_no_choice(said: str) -> None:
    with pytest.raises(Invalid, match="one is to be chosen"):
        take([CACHE], {"caching": said}, names=KNOWN)


@pytest.mark.parametrize(
    "said", ["Redis with Sentinel", "No cache at all", "our own, in front of Redis", "Redis and disk"]
)
def test_a_value_of_one_s_own_may_name_an_option(said: str) -> None:
    assert take([CACHE], {"caching": said}, names=KNOWN).answers == {"caching": said}


@pytest.mark.parametrize(
    "said",
    [
        *("OAuth (recommended)", "1. OAuth", "a) OAuth", "option 1", "Option 1: OAuth", "Use OAuth", "OAuth please"),
        *("let's go with OAuth, please", "- OAuth", "OAuth（推奨）", "OAuthでお願いします", "utilisons OAuth"),
    ],
)
@pytest.mark.proves("clarify:require:answers")
def test_an_option_is_known_again_in_a_sentence(said: str) -> None:
    assert taken("auth_strategy", said) == "OAuth"


def test_manners_are_no_part_of_a_value_of_one_s_own() -> None:
    assert taken("auth_strategy", "Use Kerberos please") == "Kerberos"
    assert taken("auth_strategy", "Other: Use-case accounts") == "Use-case accounts"


@pytest.mark.parametrize("said", ["I'm not sure yet", "let's discuss", "same as before", "on verra", "前と同じ"])
@pytest.mark.proves("clarify:answers:non-answers")
def test_what_puts_it_off_is_no_answer(said: str) -> None:
    assert "say skip" in refused(auth_strategy=said)["reason"]


@pytest.mark.parametrize("skip", [["skip"], "Skip this one", "skip.", "[skip]", "je passe", "スキップします"])
@pytest.mark.parametrize("name", ["auth_strategy", "providers"])
@pytest.mark.proves("clarify:questions:skip")
def test_a_skip_may_be_said_in_other_words(name: str, skip: object) -> None:
    assert take(ALL, {name: skip}).skipped == [name]


def test_an_option_is_known_by_what_stands_before_or_in_its_brackets() -> None:
    orm = Question(id="orm", type=SINGLE, question="?", options=["Prisma", "None (plain SQL)", OTHER])
    for said in ("None", "plain SQL", "none (Plain SQL)"):
        assert take([orm], {"orm": said}).answers == {"orm": "None (plain SQL)"}
