"""What a clear request becomes: files, artifacts, and what the ADR and the task say."""

from __future__ import annotations

from itertools import count

import pytest

from deedlog.core.clarify.values import ANSWER, ASSUMPTION, REPOSITORY, REQUEST, Decided
from deedlog.core.errors import Invalid
from deedlog.core.records.adr import read_adr
from deedlog.core.records.architecture import fold, render_state
from deedlog.core.records.building import plan_records
from deedlog.core.records.task import read_task
from deedlog.core.records.uid import uid_at
from deedlog.core.records.values import Book, Held
from deedlog.core.records.verifying import Evidence, problems
from deedlog.core.records.wanted import Planned, Wanted

NOW = 1_736_346_912_237_000


NUMBERS = count(1)


def next_uid() -> str:
    return uid_at(NOW + next(NUMBERS) * 1000, 0xA001)


def chosen(value: str, area: str = "Authentication", field: str = "Strategy", source: str = ANSWER) -> Decided:
    return Decided(area=area, field=field, value=value, source=source)


def plan(book: Book, *decided: Decided, adr: bool = True, **more: object) -> Planned:
    spec = Wanted(title="Add authentication", intention="Add authentication", adr=adr, decided=list(decided))
    return plan_records(book, spec.replace(**more), next_uid, NOW)


def then(planned: Planned) -> Book:
    """The book after a plan was carried out."""
    assert planned.task
    text = next(file.text for file in planned.files if file.path == "docs/CURRENT_TASK.md")
    adrs = [planned.adr] if planned.adr else []
    return Book(adrs=adrs, architecture=fold(adrs), task=planned.task, task_text=text)


def test_the_artifacts_come_in_the_order_of_the_document() -> None:
    planned = plan(Book(), chosen("OAuth"))
    assert [artifact["type"] for artifact in planned.artifacts] == ["adr", "task", "projection"]
    assert planned.artifacts[0]["uid"] < planned.artifacts[1]["uid"]
    assert planned.summary == "Add authentication: decision documented and task created."


def test_a_simple_task_has_no_adr_and_leaves_the_architecture_alone() -> None:
    planned = plan(Book(), adr=False)
    assert [file.path for file in planned.files] == ["docs/CURRENT_TASK.md"]
    assert planned.adr is None
    assert planned.summary == "Add authentication: task created."


def test_an_adr_alone_leaves_the_task_alone() -> None:
    planned = plan(then(plan(Book(), chosen("OAuth"))), chosen("SAML"), task=False)
    assert [artifact["type"] for artifact in planned.artifacts] == ["adr", "projection"]
    assert planned.task is None


@pytest.mark.proves("clarify:adr:amended")
def test_an_amendment_says_what_was_and_carries_the_rest_over() -> None:
    first = plan(Book(), chosen("OAuth"), chosen("PostgreSQL", "Database", "Type"))
    assert first.adr
    again = plan(then(first), chosen("SAML", "authentication", "strategy"), chosen("postgresql", "Database", "Type"))
    assert again.adr
    (change,) = again.adr.changes
    assert (change.area, change.field, change.value) == ("Authentication", "Strategy", "SAML")
    assert (change.was, change.was_uid) == ("OAuth", first.adr.uid)
    assert again.adr.previous == first.adr.uid
    assert again.adr.snapshot["Database"]["Type"] == Held(value="PostgreSQL", uid=first.adr.uid)
    text = again.files[0].text
    assert f"- Modified: Authentication.Strategy = SAML (was: OAuth (ADR {first.adr.uid}))" in text
    assert f"[{first.adr.uid}]({first.adr.path.removeprefix('docs/adr/')})" in text
    assert read_adr(again.adr.path, text) == again.adr


def test_what_the_repository_or_nobody_decided_is_no_change() -> None:
    decided = [chosen("Redis", "Cache", "Store", REPOSITORY), chosen("x", "Cache", "Size", ASSUMPTION), chosen("OAuth")]
    planned = plan(Book(), *decided, assumptions=[chosen("GitHub Actions", "Infra", "CI", ASSUMPTION)])
    assert planned.adr
    assert [change.value for change in planned.adr.changes] == ["OAuth"]
    assert planned.task
    assert planned.task.assumptions == ["Infra: CI = GitHub Actions"]


def test_the_task_says_what_to_use_what_to_leave_and_where() -> None:
    planned = plan(
        Book(), chosen("OAuth", source=REQUEST), rejected=["Clerk"], allowlist=["src/auth"], criteria=["It works"]
    )
    assert planned.task
    read = read_task(next(file.text for file in planned.files if file.path == "docs/CURRENT_TASK.md"))
    assert read.constraints == ["Authentication: use OAuth (strategy)", "Do not use Clerk"]
    assert (read.allowlist, read.criteria) == (["src/auth"], ["It works"])
    assert read.adr == planned.task.adr
    assert read.objective == "Add authentication"


def test_an_adr_may_change_nothing() -> None:
    planned = plan(Book())
    assert planned.adr
    assert planned.adr.changes == []
    assert read_adr(planned.adr.path, planned.files[0].text) == planned.adr


@pytest.mark.proves("clarify:error:snapshot")
def test_a_snapshot_that_dropped_something_is_refused_with_the_missing_keys() -> None:
    first = plan(Book(), chosen("OAuth"), chosen("PostgreSQL", "Database", "Type"), chosen("Prisma", "Database", "ORM"))
    second = plan(then(first), chosen("SAML"))
    assert first.adr
    assert second.adr
    snapshot = dict(second.adr.snapshot)
    orm = snapshot["Database"]["ORM"]
    for broken, missing in (
        ({**snapshot, "Database": {"ORM": orm}}, ["Database.Type"]),
        ({"Authentication": snapshot["Authentication"]}, ["Database"]),
    ):
        adrs = [first.adr, second.adr.replace(snapshot=broken)]
        with pytest.raises(Invalid) as refusal:
            plan(Book(adrs=adrs, architecture=fold(adrs)), chosen("x"))
        assert refusal.value.data["code"] == "VALIDATION_FAILED"
        assert refusal.value.data["missing_keys"] == missing


def test_an_area_is_spelt_in_one_way() -> None:
    planned = plan(Book(), chosen("Kafka", "Queue", "Broker"), chosen("3", "queue", "Age"), chosen("4", "QUEUE", "age"))
    assert planned.adr
    assert [(change.area, change.field, change.value) for change in planned.adr.changes] == [
        ("Queue", "Broker", "Kafka"),
        ("Queue", "age", "4"),
    ]
    sources: dict[str, str | None] = {planned.adr.path: planned.files[0].text}
    assert problems(Evidence(sources=sources, state=render_state(fold([planned.adr])))) == []
