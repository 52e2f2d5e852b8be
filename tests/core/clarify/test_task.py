"""What a clear request comes to as a task."""

from __future__ import annotations

from typing import Any

from deedlog.core.clarification import Clarification
from deedlog.core.clarify.lexicon import Area, Lexicon
from deedlog.core.clarify.task import (
    allowed,
    assumed,
    before,
    criteria,
    decisions,
    is_recorded,
    reasons,
    still_open,
    supposed,
)
from deedlog.core.clarify.values import (
    ANSWER,
    ASSUMPTION,
    DECISION,
    OTHER,
    REPOSITORY,
    REQUEST,
    SINGLE,
    UNASKED,
    Decided,
    Facts,
    Proposal,
    Question,
    Reason,
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
    assert (one.area, one.field, one.value, one.source) == ("Other", "Add a database", "Add a database", REQUEST)
    (other,) = decisions(session(intention="Stop " * 200), verdict())
    assert len(other.field) <= 40 < len(other.value) <= 300
    assert decisions(session(), verdict(adr=False)) == []


def test_where_everything_was_left_open_there_is_no_adr() -> None:
    skipped = session(skipped=["db_type"])
    assert not is_recorded(skipped, verdict(assumptions=[SKIPPED]))
    assert decisions(skipped, verdict()) == []
    assert is_recorded(skipped.replace(force_adr=True), verdict())
    assert is_recorded(skipped, verdict(rule="asked.adr"))
    assert is_recorded(skipped, verdict(decided=[CHOSEN]))
    assert is_recorded(skipped, verdict(removed=[CHOSEN.replace(value="", detail="MySQL")]))
    assert not is_recorded(session(), verdict(beyond=[TYPE]))


def test_what_was_forced_says_so_and_nothing_else() -> None:
    docs = Reason(rule="none.docs", about="documentation")
    due = Reason(rule="structure.introduce", about="brings in a technology")
    assert [reason.about for reason in reasons(session(force_adr=True), verdict(reasons=[docs]))] == [
        "asked for with force_adr"
    ]
    assert reasons(session(force_adr=True), verdict(reasons=[due, docs])) == [due]


def test_who_skips_goes_on_with_what_was_recommended() -> None:
    (one,) = assumed(session(skipped=["db_type"]), verdict(assumptions=[SKIPPED]))
    assert (one.value, one.source) == ("PostgreSQL", ASSUMPTION)
    assert assumed(session(questions=[]), verdict(assumptions=[SKIPPED])) == [SKIPPED]


def test_decided_before_supposed_and_open_are_told_apart() -> None:
    earlier = CHOSEN.replace(source=DECISION, detail="20250108T143512.237Z-A001")
    supposing = SKIPPED.replace(field="ORM", value="Prisma")
    found = verdict(assumptions=[earlier, supposing, SKIPPED], beyond=[TYPE.replace(id="caching", field="Cache")])
    assert (before(found), supposed(found)) == ([earlier], [supposing])
    assert [(one.key, one.source) for one in still_open(found)] == [
        ("Database.Type", ASSUMPTION),
        ("Database.Cache", UNASKED),
    ]


def test_folders_of_the_areas_are_allowed_where_they_are() -> None:
    facts = Facts(folders=["src", "src/db", "src/db/migrations", "src/adb", "web", "app/Migrations"])
    found = allowed(session(), verdict(areas=["Database"]), facts, LEXICON, {"package.json", "yarn.lock", "README.md"})
    assert found == ["app/Migrations/**", "src/db/**", "package.json", "yarn.lock"]
    both = verdict(areas=["Database", "Authentication"])
    assert allowed(session(), both, facts, LEXICON) == [], "one of them has no place yet"
    assert allowed(session(), verdict(), facts, LEXICON) == []
    said = session(answers={"allowlist_paths": "src/x, src/y"})
    assert allowed(said, verdict(), facts, LEXICON) == ["src/x", "src/y"]


def test_criteria_are_said_proposed_or_follow_from_what_is_decided() -> None:
    said = session(answers={"acceptance_criteria": "- It is fast, always\n- It is safe; it is cheap"})
    assert criteria(said, verdict(), Proposal()) == ["It is fast, always", "It is safe", "it is cheap"]
    assert criteria(session(), verdict(), Proposal(acceptance_criteria=["Done"])) == ["Done"]
    derived = criteria(session(), verdict(decided=[CHOSEN]), Proposal())
    assert derived == [
        "MySQL is in use (Database type)",
        "“Add a database” works as it was asked for",
        "All tests pass",
    ]
    assert "A test shows it" in criteria(session(), verdict(kind="fix"), Proposal())
    assert "すべてのテストが通る" in criteria(session(), verdict(language="ja"), Proposal())
