"""What operations on tasks ask of a large store is found by an index, and by all that is asked for."""

from __future__ import annotations

import re
from typing import Any

import pytest

from deedlog.core.queue import queued
from deedlog.core.task import COMPLETED, DONE, OPEN, PRIORITIES
from deedlog.store.database import Database
from deedlog.testing import app_on, caller
from tests.engines.conftest import Engine
from tests.engines.tracked import a_session, a_task, commit

TASKS = 3_000
Asked = dict[str, tuple[object, ...]]


def large(engine: Engine) -> Database:
    """A store with many tasks, of which the database knows how many are of what kind."""
    tasks = [
        queued(
            a_task(
                number,
                status=OPEN if number % 2 else DONE,
                priority=PRIORITIES[number % len(PRIORITIES)],
                assignee=("alice", "bob", "")[number % 3],
                workflow_id="" if number % 5 else "wf-1",
            )
        )
        for number in range(1, TASKS + 1)
    ]
    sessions = [a_session(task.number, task_id=task.id, status=COMPLETED) for task in tasks if task.status == DONE]
    commit(engine.ledger(), *tasks, *sessions)
    database = engine.open()
    database.write(lambda transaction: transaction.execute("ANALYZE"))
    return database


def asked_by(database: Database, monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What operations ask: filled while they are called."""
    asked: Asked = {}
    query = database.query

    def noted(sql: str, values: Any = ()) -> Any:
        asked.setdefault(sql, tuple(values))
        return query(sql, values)

    monkeypatch.setattr(database, "query", noted)
    app = app_on(database)

    def call(name: str, **arguments: object) -> Any:
        return app.call(name, arguments, caller())

    first = call("task_create", title="first")["id"]
    call("task_create", title="second", parentId=first, dependsOn=[1])
    call("task_update", id=first, priority="critical")
    call("task_depend", id=first, add=[3])
    call("task_depend", id=first, remove=[3])
    claim = call("task_next")
    call("task_heartbeat", id=claim["task"]["id"], epoch=claim["epoch"])
    call("task_release", id=claim["task"]["id"], epoch=claim["epoch"])
    assert call("task_next", assignee="carol")["task"]
    call("task_get", id=first)
    for filters in ({}, {"status": "done"}, {"status": "failed", "assignee": "alice"}, {"parentId": first}):
        call("task_list", **filters)
    page = call("task_list", status="open", assignee="bob", limit=1)
    call("task_list", status="open", assignee="bob", cursor=page["nextCursor"])
    call("task_list", ready=True, assignee="bob")
    call("task_cancel", id=5)
    call("task_reopen", id=5)
    call("task_delete", id=7)
    return {sql: values for sql, values in asked.items() if " task " in sql or " session " in sql}


def walks(plan: str) -> bool:
    return bool(re.search(r"\bSCAN\b|Seq Scan", plan))


@pytest.mark.proves("task:cost:flat")
def test_no_operation_on_tasks_walks_through_all_of_them(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    database = large(engine)
    asked = asked_by(database, monkeypatch)
    explain = "EXPLAIN QUERY PLAN " if engine.name == "sqlite" else "EXPLAIN "
    plans = {sql: str(database.query(explain + sql, values)) for sql, values in asked.items()}
    assert len(plans) > 10
    assert {sql: plan for sql, plan in plans.items() if walks(plan)} == {}


@pytest.mark.proves("task:cost:flat")
def test_every_column_that_is_asked_for_is_one_of_the_index(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the index has only one of two, everything that has this one is walked through."""
    if engine.name == "postgres":
        return  # it chooses by what the tables hold
    database = large(engine)
    wrong = {}
    for sql, values in asked_by(database, monkeypatch).items():
        plan = str(database.query("EXPLAIN QUERY PLAN " + sql, values))
        columns = set(re.findall(r"(\w+) = \?", sql.partition(" WHERE ")[2]))
        if not columns <= set(re.findall(r"(\w+)=\?", plan)):
            wrong[sql] = plan
    assert wrong == {}
