"""One list of all decisions: ADRs of the tree, and what was logged on tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deedlog.core.remark import Decision
from deedlog.store.postgres import Postgres
from deedlog.testing import Clock, app_in, app_on
from tests.ops.track.conftest import Work
from tests.recording import record

Row = dict[str, Any]
MADR = "---\nstatus: accepted\ndate: 2020-02-03\n---\n# Use Kafka\n\n## Context\n\nx\n\n## Decision Outcome\n\nKafka\n"


@pytest.fixture
def work(repo: Path, tmp_path: Path, clock: Clock) -> Work:
    """Its tasks are of 2025, its ADRs of today."""
    work = Work(app_in(str(tmp_path / "store"), tree=str(repo), clock=clock), repo)
    work.start("Validate input")
    return work


def logged(work: Work, chosen: str = "Zod", category: str = "library_choice", task: str = "task-1") -> str:
    said = {"question": f"Which one, {chosen}?", "reasoning": "It is typed"}
    answer = work.call("log_decision", task_id=task, category=category, chosen=chosen, **said)
    return str(answer["decision_id"])


def listed(work: Work, **given: object) -> list[Row]:
    rows: list[Row] = work.call("decision_list", **given)["decisions"]
    return rows


def named(work: Work, **given: object) -> list[str]:
    return [row["chosen"] for row in listed(work, **given)]


@pytest.fixture
def mixed(work: Work) -> Work:
    """Every origin once, and a decision that is nothing for an ADR."""
    work.write("docs/adr/0001-use-kafka.md", text=MADR)
    logged(work, "try again twice", "workaround")
    logged(work, "Zod")
    promoted = logged(work, "Prisma")
    work.call("adr_promote", decision_id=promoted)
    record(work.app, "Switch the ORM", Database__ORM="Drizzle")
    return work


@pytest.mark.proves("clarify:joined:list")
def test_both_origins_are_one_list_newest_first(mixed: Work) -> None:
    found = [(row["origin"], row["status"], row["chosen"]) for row in listed(mixed)]
    assert found == [
        ("clarification", "active", "ORM: Drizzle"),
        ("promotion", "superseded", "ORM: Prisma"),
        ("task", "candidate", "Zod"),
        ("task", "logged", "try again twice"),
        ("history", "active", "Kafka"),
    ]


@pytest.mark.proves("clarify:joined:list")
def test_it_tells_what_superseded_what_and_where_it_came_from(mixed: Work) -> None:
    new, old, zod, _, kafka = listed(mixed)
    assert new["supersedes"] == [old["id"]]
    assert old["superseded_by"] == [new["id"]]
    assert old["task_id"] == zod["task_id"] == "task-1"
    assert mixed.app.ledger.get(Decision, old["decision_id"]).chosen == "Prisma"
    assert zod["candidate"] is True
    assert zod["why"]
    assert (kafka["id"], kafka["path"]) == ("0001-use-kafka", "docs/adr/0001-use-kafka.md")
    assert kafka["created_at"] == "2020-02-03T00:00:00Z"


@pytest.mark.proves("clarify:joined:list")
@pytest.mark.parametrize(
    ("given", "chosen"),
    [
        ({"origin": "task"}, ["Zod", "try again twice"]),
        ({"origin": "promotion"}, ["ORM: Prisma"]),
        ({"origin": "history"}, ["Kafka"]),
        ({"category": "database"}, ["ORM: Drizzle", "ORM: Prisma"]),
        ({"category": "library_choice"}, ["ORM: Prisma", "Zod"]),
        ({"category": "workaround"}, ["try again twice"]),
        ({"candidates": True}, ["Zod"]),
        ({"task_id": "task-1"}, ["ORM: Prisma", "Zod", "try again twice"]),
        ({"task_id": "1", "text": "ZOD typed"}, ["Zod"]),
        ({"text": "kafka"}, ["Kafka"]),
        ({"text": "nothing has this"}, []),
    ],
    ids=str,
)
def test_it_is_filtered(mixed: Work, given: dict[str, object], chosen: list[str]) -> None:
    assert named(mixed, **given) == chosen


@pytest.mark.proves("clarify:joined:list")
def test_pages_hold_each_once(mixed: Work, clock: Clock) -> None:
    for number in range(5):
        clock.turn(1)
        logged(mixed, f"choice {number}", "other")
    whole = [row["id"] for row in listed(mixed, limit=100)]
    assert len(whole) == len(set(whole)) == 10
    for limit in range(1, 11):
        paged: list[str] = []
        cursor = None
        while True:
            answer = mixed.call("decision_list", limit=limit, cursor=cursor)
            paged += [row["id"] for row in answer["decisions"]]
            cursor = answer.get("next_cursor")
            if cursor is None:
                break
        assert paged == whole, limit


def test_a_shared_database_has_the_same_list(repo: Path, postgres_url: str, clock: Clock) -> None:
    shared = Work(app_on(Postgres(postgres_url, "shop"), tree=str(repo), clock=clock), repo)
    shared.start("Validate input")
    shared.call("adr_promote", decision_id=logged(shared, "Prisma"))
    for number in range(3):
        logged(shared, f"choice {number}", "other")
    whole = [row["id"] for row in listed(shared)]
    first = shared.call("decision_list", limit=2)
    rest = listed(shared, cursor=first["next_cursor"])
    assert [row["id"] for row in [*first["decisions"], *rest]] == whole
    assert shared.call("memory_list")["memories"][0]["readOnly"] is True
    shared.app.close()


def test_without_any_it_is_empty(work: Work) -> None:
    assert work.call("decision_list") == {"decisions": []}


def test_a_promoted_one_whose_file_is_gone_is_still_told(work: Work) -> None:
    promoted = work.call("adr_promote", decision_id=logged(work))
    (work.tree / promoted["path"]).unlink()
    [row] = listed(work)
    assert (row["origin"], row["status"], row["adr"]) == ("task", "promoted", promoted["uid"])


def test_damaged_records_hide_nothing_that_was_logged(work: Work) -> None:
    adr = record(work.app, Database__ORM="Drizzle")
    logged(work, "try again twice", "workaround")
    (work.tree / adr.path).write_text((work.tree / adr.path).read_text().replace('"state"', '"stat'))
    answer = work.call("decision_list")
    assert [row["chosen"] for row in answer["decisions"]] == ["try again twice"]
    assert adr.path in answer["warnings"][0]


@pytest.mark.proves("clarify:joined:list")
def test_a_current_task_that_cannot_be_read_hides_no_adr(work: Work) -> None:
    record(work.app, Database__ORM="Drizzle")
    task = work.tree / "docs/CURRENT_TASK.md"
    task.unlink(missing_ok=True)
    task.mkdir()
    answer = work.call("decision_list")
    assert [row["chosen"] for row in answer["decisions"]] == ["ORM: Drizzle"]
    assert "docs/CURRENT_TASK.md" in answer["warnings"][0]
    assert [row["form"] for row in work.call("adr_list")["adrs"]] == ["deedlog"]
