from __future__ import annotations

import pytest

from tests.ops.knowledge.conftest import Team, fact


@pytest.mark.proves("knowledge:facts")
def test_facts_are_found_by_patterns_in_which_a_star_stands_for_anything(team: Team) -> None:
    team.call(
        "kg_insert",
        triples=[
            fact("svc:api", "uses", "postgres", source="docs"),
            fact("svc:web", "uses", "redis", confidence=0.2),
            fact("svc:web", "owned_by", "ann.*"),
        ],
    )
    assert len(team.facts()) == 3
    assert team.facts(subject="svc:*", predicate="uses") == [
        ("svc:api", "uses", "postgres"),
        ("svc:web", "uses", "redis"),
    ]
    assert team.facts(object="*s*", min_confidence=0.5) == [("svc:api", "uses", "postgres")]
    assert team.facts(source="do*") == [("svc:api", "uses", "postgres")]
    assert team.facts(object="ann.*") == [("svc:web", "owned_by", "ann.*")]
    assert team.facts(subject="svc") == []
    assert team.facts(predicate="*") == team.facts()


@pytest.mark.proves("knowledge:facts")
def test_pages_follow_each_other_in_either_order_and_miss_nothing(team: Team) -> None:
    team.finished("Ship it", "Build", "Test")
    for number in range(7):
        team.call("kg_insert", triples=[fact(f"s{number}-{part}", "is", "x") for part in range(5)])
    team.finished("Ship it again", "Build", "Test")
    whole = team.facts(limit=500)
    assert len(whole) > 50
    assert team.facts(limit=500, order="desc") == whole[::-1]
    for order, expected in (("asc", whole), ("desc", whole[::-1])):
        seen, cursor = [], None
        while True:
            page = team.call("kg_query", limit=4, order=order, cursor=cursor)
            seen += [(fact["subject"], fact["predicate"], fact["object"]) for fact in page["triples"]]
            cursor = page.get("next_cursor")
            if cursor is None:
                break
        assert seen == expected


@pytest.mark.proves("knowledge:fed")
def test_a_finished_workflow_is_known_as_a_plan_without_anybody_telling(team: Team) -> None:
    workflow, (build, test) = team.finished("Ship it", "Build", "Test")
    assert team.facts(subject="Ship it") == [
        ("Ship it", "achieved_in", f"workflow:{workflow}"),
        ("Ship it", "includes", build),
        ("Ship it", "includes", test),
    ]
    assert team.facts(subject=f"task:{build}") == [
        (f"task:{build}", "label", "Build"),
        (f"task:{build}", "status", "done"),
        (f"task:{build}", "duration", "60"),
    ]
    (one,) = team.call("kg_query", subject="Ship it", object=build)["triples"]
    assert (one["source"], one["derived"], one["confidence"]) == (f"workflow:{workflow}", True, 1)


def test_what_tasks_depended_on_is_known(team: Team) -> None:
    workflow = team.call("start_workflow", name="Ship it")["workflow_id"]
    first = team.call("task_create", title="Build", workflowId=workflow, complexity=3)["id"]
    second = team.call("task_create", title="Test", workflowId=workflow, dependsOn=[first])["id"]
    for number in (first, second):
        team.call("task_done", id=number)
    team.call("complete_workflow", workflow_id=workflow, status="completed", summary="shipped")
    assert (f"task:task-{second}", "depends_on", f"task-{first}") in team.facts()
    assert team.facts(predicate="weight") == [(f"task:task-{first}", "weight", "3")]


@pytest.mark.proves("knowledge:fed")
def test_work_that_goes_on_is_not_known_yet_and_failed_work_is_known_as_such(team: Team) -> None:
    going = team.call("start_workflow", name="Ship it")["workflow_id"]
    team.call("start_task", workflow_id=going, name="Still going", goal="g")
    team.done(going, "Build")
    assert team.facts(subject="Ship it") == []
    workflow, _ = team.finished("Break it", "Smash", status="failed")
    assert team.facts(subject="Break it") == [("Break it", "failed_in", f"workflow:{workflow}")]


@pytest.mark.proves("knowledge:fed", "knowledge:fed:records")
def test_decisions_and_active_memories_are_known_with_their_source(team: Team) -> None:
    workflow = team.call("start_workflow", name="Ship it")["workflow_id"]
    task = team.call("start_task", workflow_id=workflow, name="Build", goal="g")["task_id"]
    decision = team.call(
        "log_decision",
        task_id=task,
        category="library_choice",
        question="Which database?",
        chosen="PostgreSQL",
        reasoning="we know it",
    )["decision_id"]
    assert team.facts(source=f"decision:{decision}") == [
        (f"task:{task}", "decided", f"decision:{decision}"),
        (f"decision:{decision}", "question", "Which database?"),
        (f"decision:{decision}", "chosen", "PostgreSQL"),
        (f"decision:{decision}", "because", "we know it"),
    ]
    assert team.facts(subject=f"decision:{decision}", predicate="chosen") == [
        (f"decision:{decision}", "chosen", "PostgreSQL")
    ]
    team.call("memory_add", id="tabs", category="convention", title="Tabs", summary="Indent with tabs", status="active")
    team.call("memory_add", id="later", category="convention", title="Later", summary="Perhaps")
    assert team.facts(predicate="says") == [("memory:tabs", "says", "Indent with tabs")]
    assert team.facts(subject="memory:later") == []


@pytest.mark.proves("knowledge:fed:records")
def test_what_adrs_decided_is_known(team: Team) -> None:
    folder = team.tree / "docs" / "adr"
    folder.mkdir(parents=True)
    (folder / "0001-use-postgresql.md").write_text(
        "# Use PostgreSQL\n\n## Status\n\nAccepted\n\n## Decision\n\nWe use it.\n"
    )
    titles = team.facts(source="adr:*", predicate="title")
    assert [about for _, _, about in titles] == ["Use PostgreSQL"]
