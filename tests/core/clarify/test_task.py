"""What a clear request comes to as a task."""

from __future__ import annotations

from typing import Any

from deedlog.core.clarification import Clarification
from deedlog.core.clarify.lexicon import Area, Lexicon
from deedlog.core.clarify.task import allowed, alternatives, assumed, criteria, decisions, left_open
from deedlog.core.clarify.values import (
    ANSWER,
    ASSUMPTION,
    DECISION,
    OTHER,
    REPOSITORY,
    REQUEST,
    SINGLE,
    Decided,
    Facts,
    Proposal,
    Question,
    Verdict,
)

TYPE = Question(
    id="db_type",
    type=SINGLE,
    question="Which?",
    options=["PostgreSQL", "MySQL", OTHER],
    recommended="PostgreSQL",
    area="Database",
    field="Type",
)
CHOSEN = Decided(area="Database", field="Type", value="MySQL", source=ANSWER)
SKIPPED = Decided(area="Database", field="Type", value="", source=ASSUMPTION, detail="db_type")
AREAS = {"Database": Area(name="Database", slots=["Type"], paths=["db", "migrations"])}
LEXICON = Lexicon(technologies=[], areas=AREAS, topics=[], questions={}, words={})


def session(**more: Any) -> Clarification:
    asked = {"questions": [TYPE.fields()], "created_at": 0, "used_at": 0}
    return Clarification(id="sess-1", **{"intention": "Add a database", **asked, **more})


def verdict(**more: Any) -> Verdict:
    return Verdict(**{"language": "en", "kind": "introduce", "adr": True, "rule": "x", **more})


def test_only_what_this_request_decides_is_decided() -> None:
    known = [CHOSEN.replace(source=DECISION), CHOSEN.replace(field="ORM", source=REPOSITORY)]
    assert decisions(session(), verdict(decided=[*known, CHOSEN])) == [CHOSEN]


def test_an_adr_without_a_choice_decides_on_the_request_itself() -> None:
    (one,) = decisions(session(), verdict(areas=["Database"]))
    assert (one.area, one.field, one.value, one.source) == ("Database", "Add a database", "Add a database", REQUEST)
    (other,) = decisions(session(intention="Stop " * 200), verdict())
    assert other.area == "Other"
    assert len(other.field) <= 40 < len(other.value) <= 300
    assert decisions(session(), verdict(adr=False)) == []


def test_who_skips_goes_on_with_what_was_recommended() -> None:
    (one,) = assumed(session(skipped=["db_type"]), verdict(assumptions=[SKIPPED]))
    assert (one.value, one.source) == ("PostgreSQL", ASSUMPTION)
    assert assumed(session(questions=[]), verdict(assumptions=[SKIPPED])) == [SKIPPED]
    open_ones = verdict(assumptions=[one])
    assert left_open([], open_ones) == ["Database.Type is open; PostgreSQL is assumed"]
    assert left_open([CHOSEN], open_ones.replace(decided=[CHOSEN])) == []


def test_what_was_offered_and_not_chosen_is_an_alternative() -> None:
    assert alternatives(session(answers={"db_type": "MySQL"})) == ["Database Type: PostgreSQL (offered, not chosen)"]
    assert alternatives(session(answers={"db_type": OTHER})) == []
    assert alternatives(session()) == []


def test_folders_of_the_areas_are_allowed_where_they_are() -> None:
    facts = Facts(folders=["src", "src/db", "src/db/migrations", "src/adb", "web", "app/Migrations"])
    found = allowed(session(), verdict(areas=["Database", "Unheard of"]), facts, LEXICON)
    assert found == ["app/Migrations/**", "src/db/**"]
    assert allowed(session(), verdict(), facts, LEXICON) == []
    said = session(answers={"allowlist_paths": "src/x, src/y"})
    assert allowed(said, verdict(), facts, LEXICON) == ["src/x", "src/y"]


def test_criteria_are_said_proposed_or_follow_from_what_is_decided() -> None:
    said = session(answers={"acceptance_criteria": "- It is fast, always\n- It is safe; it is cheap"})
    assert criteria(said, verdict(), Proposal()) == ["It is fast, always", "It is safe", "it is cheap"]
    assert criteria(session(), verdict(), Proposal(acceptance_criteria=["Done"])) == ["Done"]
    derived = criteria(session(), verdict(decided=[CHOSEN]), Proposal())
    assert derived[0] == "Database Type is MySQL"
    assert criteria(session(), verdict(kind="fix"), Proposal())[-1] == "A test shows it"
