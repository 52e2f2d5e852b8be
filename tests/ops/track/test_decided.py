"""What a task decides is compared with what was decided: candidates for an ADR, and contradictions."""

from __future__ import annotations

import json

import pytest

from deedlog.core.remark import Decision
from tests.ops.track.conftest import Json, Work
from tests.recording import record


def log(work: Work, chosen: str, category: str = "library_choice", question: str = "Which library?") -> Json:
    answer: Json = work.call(
        "log_decision", task_id="task-1", category=category, question=question, chosen=chosen, reasoning="r"
    )
    return answer


def warnings(work: Work, metadata: Json | None = None) -> list[str]:
    found: list[str] = work.complete("task-1", metadata=metadata)["verification"]["warnings"]
    return found


@pytest.fixture
def work(in_git: Work) -> Work:
    in_git.start()
    return in_git


@pytest.mark.proves("clarify:joined:candidate")
def test_a_choice_that_deserves_an_adr_is_told_when_logged_and_when_the_task_ends(work: Work) -> None:
    answer = log(work, "Zod", question="Which validation library?")
    decision = answer["decision_id"]
    assert f"adr_promote {decision}" in answer["warnings"][0]
    assert not (work.tree / "docs").exists()  # no ADR is written by itself
    assert warnings(work) == [f"undocumented decision: Zod; adr_promote {decision} writes its ADR"]


@pytest.mark.proves("clarify:joined:candidate")
def test_once_promoted_it_is_told_no_more(work: Work) -> None:
    work.call("adr_promote", decision_id=log(work, "Zod")["decision_id"])
    assert warnings(work) == []


@pytest.mark.proves("clarify:joined:candidate")
@pytest.mark.parametrize("category", ["trade_off", "workaround", "other"])
def test_another_kind_of_decision_is_no_candidate(work: Work, category: str) -> None:
    assert "warnings" not in log(work, "Zod", category)
    assert warnings(work) == []


@pytest.mark.proves("clarify:joined:candidate")
def test_what_an_adr_says_already_is_no_candidate(work: Work) -> None:
    record(work.app, Backend__Validation="Zod")
    assert "warnings" not in log(work, "Zod", question="Which validation library?")
    assert warnings(work) == []


@pytest.mark.proves("clarify:joined:candidate")
def test_what_an_adr_says_by_the_end_of_the_task_is_none_either(work: Work) -> None:
    assert log(work, "Zod")["warnings"]
    record(work.app, Backend__Validation="Zod")
    assert warnings(work) == []


def test_one_that_an_earlier_release_logged_is_judged_at_the_end(work: Work) -> None:
    decision = work.app.ledger.get(Decision, log(work, "Zod", question="Which validation library?")["decision_id"])
    assert decision.trigger
    unjudged = decision.replace(trigger=None)
    assert Decision.load(unjudged.id, 1, {k: v for k, v in unjudged.body().items() if k != "trigger"}).trigger is None


def test_why_one_of_an_earlier_release_is_a_candidate_is_told(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr("deedlog.work.deciding.trigger_of", lambda *_: None)
        log(work, "Zod", question="Which validation library?")
    [row] = work.call("decision_list")["decisions"]
    assert (row["status"], row["why"]) == ("candidate", "Backend.Validation")


@pytest.mark.proves("clarify:joined:contradiction")
def test_a_choice_against_an_adr_is_told_with_its_uid(work: Work) -> None:
    adr = record(work.app, Database__ORM="Drizzle")
    told = log(work, "Prisma", question="Which ORM?")["warnings"]
    assert any(f"Prisma contradicts ADR {adr.uid}: Database.ORM is Drizzle there" in line for line in told)
    for chosen in ("Prisma for now", "Prisma instead of Drizzle"):
        assert any("contradicts" in line for line in log(work, chosen, "workaround")["warnings"]), chosen


@pytest.mark.proves("clarify:joined:contradiction")
@pytest.mark.parametrize("chosen", ["Drizzle", "drizzle-orm with raw SQL", "Drizzle, not Prisma", "raw SQL"])
def test_a_choice_that_keeps_to_it_is_not(work: Work, chosen: str) -> None:
    record(work.app, Database__ORM="Drizzle")
    assert "contradicts" not in str(log(work, chosen, "other").get("warnings"))


@pytest.mark.proves("clarify:joined:contradiction")
def test_a_package_against_an_adr_is_told_whether_it_was_said_or_seen(work: Work) -> None:
    adr = record(work.app, Database__ORM="Drizzle", Backend__Validation="Zod")
    work.write("package.json", text='{\n  "dependencies": {\n    "@prisma/client": "^5.1.0"\n  }\n}\n')
    told = warnings(work, metadata={"packages_added": ["yup@1.4.0", "zod@3", "left-pad"]})
    yup, prisma = (line for line in told if "contradicts" in line)
    assert yup.startswith(f"package yup was added, which contradicts ADR {adr.uid}: Backend.Validation is Zod there")
    assert prisma.startswith("package @prisma/client was added")
    assert f"ADR {adr.uid}: Database.ORM is Drizzle there" in prisma


@pytest.mark.proves("clarify:joined:contradiction")
def test_packages_that_nobody_decided_on_are_not(work: Work) -> None:
    work.write("package.json", text=json.dumps({"dependencies": {"@prisma/client": "5", "zod": "3"}}, indent=2))
    assert warnings(work, metadata={"packages_added": ["prisma"]}) == []
    assert not (work.tree / "docs").exists()


@pytest.mark.proves("clarify:joined:never-in-the-way")
@pytest.mark.parametrize("harm", ["damaged adr", "foreign architecture", "docs is a file"])
def test_damaged_records_are_a_warning_and_nothing_is_lost(work: Work, harm: str) -> None:
    adr = record(work.app, Database__ORM="Drizzle")
    if harm == "damaged adr":
        (work.tree / adr.path).write_text((work.tree / adr.path).read_text().replace('"state"', '"stat'))
    elif harm == "foreign architecture":
        (work.tree / "docs/ARCHITECTURE_STATE.md").write_text("# By hand\n")
    else:
        (work.tree / "docs").rename(work.tree / "elsewhere")
        (work.tree / "docs").write_text("not a folder\n")
    answer = log(work, "Zod", question="Which validation library?")
    assert work.app.ledger.get(Decision, answer["decision_id"]).chosen == "Zod"
    told = warnings(work, metadata={"packages_added": ["prisma"]})
    if harm == "damaged adr":
        assert any(adr.path in line for line in answer["warnings"])
        assert any(adr.path in line for line in told)
