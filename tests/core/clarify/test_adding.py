"""What later calls add to a clarification, as the gate sees it."""

from __future__ import annotations

from deedlog.core.clarification import Clarification
from deedlog.core.clarify.adding import added, said_beside
from deedlog.core.clarify.gate import judge
from deedlog.core.clarify.values import Evidence, Facts
from deedlog.survey.lexicon import read

LEXICON = read()
SESSION = Clarification(id="sess-x", intention="Add a cache", created_at=1, used_at=1)


def test_who_forces_an_adr_gets_one_whatever_else_is_wished() -> None:
    for text in ("Introduce Kafka", "Fix typo in login button"):
        assert judge(text, Facts(), LEXICON, Evidence(force_adr=True, waive_adr=True)).adr


def test_a_call_that_says_nothing_beside_changes_nothing() -> None:
    assert said_beside(None, None, None) == said_beside("  ", {}, {}) == {}
    assert added(SESSION, {}) == SESSION


def test_the_later_proposal_comes_first_and_keeps_the_rest() -> None:
    first = added(SESSION, said_beside(None, None, {"rationale": "a", "context": "c", "new_dependencies": ["x"]}))
    second = added(first, said_beside(None, None, {"rationale": "b", "new_dependencies": ["y"]}))
    assert second.proposal == {"rationale": "b", "context": "c", "new_dependencies": ["y", "x"]}


def test_what_shall_take_a_place_is_decided_where_it_is_known() -> None:
    evidence = Evidence(answers={"replacement": "PostgreSQL, I think"}, asked=["replacement"])
    found = judge("Drop Foobarix, find an alternative", Facts(), LEXICON, evidence)
    assert [(one.key, one.value, one.detail) for one in found.decided] == [
        ("Database.Type", "PostgreSQL", "replacement")
    ]
    unknown = Evidence(answers={"replacement": "Bazquux"}, asked=["replacement"])
    assert judge("Drop Foobarix, find an alternative", Facts(), LEXICON, unknown).decided == []
