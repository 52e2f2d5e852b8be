from __future__ import annotations

from typing import Any

import pytest

from tests.ops.knowledge.conftest import Team


def plan(team: Team, goal: str, source: str = "", **tasks: list[str]) -> None:
    told = [{"subject": goal, "predicate": "includes", "object": task} for task in tasks]
    told += [
        {"subject": f"task:{task}", "predicate": "depends_on", "object": other}
        for task, others in tasks.items()
        for other in others
    ]
    told += [{"subject": f"task:{task}", "predicate": "label", "object": task.title()} for task in tasks]
    team.call("kg_insert", triples=[{**fact, **({"source": source} if source else {})} for fact in told])


def shape(fragment: dict[str, Any]) -> tuple[list[str], set[tuple[str, str]]]:
    edges = {(edge["from"]["nodeId"], edge["to"]["nodeId"]) for edge in fragment["edges"]}
    return [node["id"] for node in fragment["nodes"]], edges


@pytest.mark.proves("assist:suggest-plan")
def test_a_plan_that_was_told_comes_back_as_a_graph_in_its_order(team: Team) -> None:
    plan(team, "release", "wiki", package=["test"], test=["build"], build=[])
    answer = team.call("kg_suggest_plan", goal="release")
    (fragment,) = answer["fragments"]
    assert shape(fragment) == (["build", "test", "package"], {("build", "test"), ("test", "package")})
    node = fragment["nodes"][0]
    assert (node["kind"], node["label"]) == ("task", "Build")
    assert {name: node["attributes"][name] for name in ("kg_goal", "kg_source", "kg_seed", "kg_confidence")} == {
        "kg_goal": "release",
        "kg_source": "wiki",
        "kg_seed": True,
        "kg_confidence": 1,
    }
    assert {edge["label"] for edge in fragment["edges"]} == {"depends_on"}
    assert answer["coverage"]["suggested_tasks"] == ["build", "package", "test"]
    assert answer["sources"] == [{"source": "wiki", "tasks": 3}]
    assert len(answer["rationale"]) == 1


@pytest.mark.proves("assist:suggest-plan")
def test_finished_work_is_suggested_for_a_goal_in_other_words(team: Team) -> None:
    workflow, (schema, api) = team.finished("Add login with passkeys", "Write the schema", "Write the API")
    answer = team.call("kg_suggest_plan", goal="Passkey login for administrators")
    (fragment,) = answer["fragments"]
    assert [node["label"] for node in fragment["nodes"]] == ["Write the schema", "Write the API"]
    assert [node["attributes"]["kg_task"] for node in fragment["nodes"]] == [schema, api]
    assert {node["attributes"]["kg_source"] for node in fragment["nodes"]} == {f"workflow:{workflow}"}
    assert "Add login with passkeys" in answer["rationale"][0]


@pytest.mark.proves("assist:suggest-plan")
@pytest.mark.parametrize(
    ("done", "goal"),
    [
        ("Migrer la base de données vers PostgreSQL", "migration des bases de données à PostgreSQL"),
        ("ログイン認証を追加する", "認証の追加"),
        ("ダークモード対応", "設定画面のダークモード"),
        ("Add authentication", "Ajouter l'authentification"),
    ],
)
def test_goals_are_compared_in_english_french_and_japanese(team: Team, done: str, goal: str) -> None:
    team.finished(done, "Step")
    team.finished("Something else altogether", "Other step")
    (fragment,) = team.call("kg_suggest_plan", goal=goal)["fragments"]
    assert [node["label"] for node in fragment["nodes"]] == ["Step"]


@pytest.mark.proves("assist:suggest-plan")
def test_where_nothing_is_known_there_is_no_fragment_but_a_reason(team: Team) -> None:
    answer = team.call("kg_suggest_plan", goal="Brew coffee", context={"preferred_sources": ["wiki"]})
    assert answer["fragments"] == []
    assert "no finished work is like it" in answer["rationale"][0]
    assert answer["coverage"]["total_tasks"] == 0
    assert answer["preferred_sources_ignored"] == ["wiki"]


@pytest.mark.proves("assist:suggest-plan")
def test_work_that_failed_is_told_of_and_not_suggested(team: Team) -> None:
    workflow, _ = team.finished("Add login", "Try it", status="failed")
    answer = team.call("kg_suggest_plan", goal="Add login")
    assert answer["fragments"] == []
    assert any(f"workflow:{workflow}" in line and "failed" in line for line in answer["rationale"])


def test_tasks_that_were_not_done_are_left_out_of_what_is_suggested(team: Team) -> None:
    workflow = team.call("start_workflow", name="Add login")["workflow_id"]
    team.done(workflow, "Good idea")
    team.done(workflow, "Dead end", status="failed")
    team.call("complete_workflow", workflow_id=workflow, status="completed", summary="s")
    answer = team.call("kg_suggest_plan", goal="Add login")
    assert [node["label"] for node in answer["fragments"][0]["nodes"]] == ["Good idea"]
    assert "1 of its tasks was not done and is left out" in answer["rationale"][0]
    assert answer["rationale"][0].startswith("Fragment 1: 1 task, which reached")


@pytest.mark.proves("assist:suggest-plan:sources")
def test_preferred_sources_come_first_and_excluded_tasks_do_not_come(team: Team) -> None:
    plan(team, "release", "wiki", build=[], sign=["build"])
    plan(team, "release", "blog", tweet=["sign"])
    context = {"preferred_sources": ["blog", "nowhere"], "exclude_tasks": ["sign"]}
    answer = team.call("kg_suggest_plan", goal="release", context=context)
    assert [shape(fragment)[0] for fragment in answer["fragments"]] == [["tweet"], ["build"]]
    assert answer["preferred_sources_applied"] == ["blog"]
    assert answer["preferred_sources_ignored"] == ["nowhere"]
    coverage = answer["coverage"]
    assert (coverage["total_tasks"], coverage["excluded_tasks"]) == (3, ["sign"])
    assert coverage["missing_dependencies"] == [{"task": "tweet", "dependencies": ["sign"]}]


@pytest.mark.proves("assist:suggest-plan:sources")
def test_a_dependency_of_another_source_comes_with_what_needs_it(team: Team) -> None:
    plan(team, "release", "wiki", build=[])
    plan(team, "release", "blog", tweet=["build", "elsewhere"])
    answer = team.call("kg_suggest_plan", goal="release", context={"preferred_sources": ["blog"], "max_fragments": 1})
    (fragment,) = answer["fragments"]
    assert shape(fragment) == (["build", "tweet"], {("build", "tweet")})
    assert [node["attributes"]["kg_seed"] for node in fragment["nodes"]] == [False, True]
    assert answer["coverage"]["unknown_dependencies"] == [{"task": "tweet", "dependencies": ["elsewhere"]}]
    assert any("more are known" in line for line in answer["rationale"])


def test_a_suggestion_can_be_compiled_into_a_tree(team: Team) -> None:
    plan(team, "release", package=["build"], build=[])
    for task in ("build", "package"):
        team.call("kg_insert", triples=[{"subject": f"task:{task}", "predicate": "agent", "object": "coder"}])
    (fragment,) = team.call("kg_suggest_plan", goal="release")["fragments"]
    tree = team.call("plan_compile_bt", graph=fragment)
    assert str(tree).index("build") < str(tree).index("package")


@pytest.mark.proves("assist:suggest-plan")
def test_a_suggestion_becomes_a_graph_as_it_is(team: Team) -> None:
    plan(team, "release", "", **{"pack it up": ["task-1"], "task-1": []})
    (fragment,) = team.call("kg_suggest_plan", goal="release")["fragments"]
    made = team.call("graph_create", name="Release", nodes=fragment["nodes"], edges=fragment["edges"])
    graph = made["graph"]
    assert [node["id"] for node in graph["nodes"]] == ["pack-it-up", "step-1"]
    assert [(edge["from"], edge["to"]) for edge in graph["edges"]] == [("pack-it-up", "step-1")]
    assert graph["nodes"][1]["attributes"]["kg_task"] == "task-1"


def test_a_circle_that_was_told_does_not_hang_it(team: Team) -> None:
    plan(team, "release", a=["b"], b=["a"], c=["b"])
    (fragment,) = team.call("kg_suggest_plan", goal="release")["fragments"]
    assert {node["id"] for node in fragment["nodes"]} == {"a", "b", "c"}


def test_the_largest_suggestion_stays_readable(team: Team) -> None:
    for number in range(5):
        tasks: dict[str, Any] = {f"task-{number}-{part}-{'x' * 80}": [] for part in range(80)}
        plan(team, f"release {number}", "", **tasks)
    answer = team.call("kg_suggest_plan", goal="release", context={"max_fragments": 5})
    assert len(str(answer)) < 40_000
    assert answer["fragments"]
