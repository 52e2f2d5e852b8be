from pathlib import Path

import pytest

from deedlog.core.errors import Invalid
from deedlog.testing import Clock
from tests.conftest import Call


def titles(call: Call, query: str, **more: object) -> list[str]:
    return [hit["title"] for hit in call("ledger_search", query=query, **more)["hits"]]


@pytest.mark.proves("ledger:search:words")
def test_all_words_must_occur_whatever_their_case_accents_or_order(call: Call) -> None:
    call("start_workflow", name="Été à la plage", description="Refonte de l'authentification")
    call("start_workflow", name="Autre chose", description="plage de valeurs")
    assert titles(call, "PLAGE ete") == ["Été à la plage"]
    assert titles(call, "authentif") == ["Été à la plage"]


@pytest.mark.proves("ledger:search:words")
def test_japanese_is_found_inside_a_text_without_spaces(call: Call) -> None:
    call("start_workflow", name="ユーザー認証機能の実装")
    assert titles(call, "認証") == ["ユーザー認証機能の実装"]


@pytest.mark.proves("ledger:search:order")
def test_titles_come_before_texts_and_the_newest_first(call: Call) -> None:
    call("start_workflow", name="login page")
    call("start_workflow", name="other", description="touches the login")
    call("start_workflow", name="login form")
    assert titles(call, "login") == ["login form", "login page", "other"]
    assert titles(call, "login", limit=1) == ["login form"]


@pytest.mark.proves("ledger:search:literal")
@pytest.mark.parametrize("query", ["100%", "a_b", "!", "%"])
def test_signs_of_the_database_are_ordinary_letters(call: Call, query: str) -> None:
    call("start_workflow", name=f"about {query} signs")
    call("start_workflow", name="about 100 aXb signs")
    assert titles(call, query) == [f"about {query} signs"]


@pytest.mark.proves("ledger:search:order")
def test_kinds_narrow_the_search(call: Call) -> None:
    call("start_workflow", name="login")
    assert titles(call, "login", kinds=["workflow"]) == ["login"]
    assert titles(call, "login", kinds=["task"]) == []


def test_what_was_undone_is_not_found(call: Call) -> None:
    call("start_workflow", name="login")
    call("ledger_undo")
    assert titles(call, "login") == []


def test_an_empty_query_is_refused(call: Call) -> None:
    with pytest.raises(Invalid, match="query"):
        call("ledger_search", query="  ")


@pytest.mark.parametrize(
    ("kind", "hint"), [("decisions", "did you mean 'decision'?"), ("zzzzzz", "there are: workflow, task, session, ")]
)
def test_an_unknown_kind_is_refused(call: Call, kind: str, hint: str) -> None:
    with pytest.raises(Invalid, match=f"kinds: there is no kind '{kind}'") as refused:
        call("ledger_search", query="x", kinds=["task", kind])
    assert refused.value.hint.startswith(hint)


def test_a_part_of_a_path_finds_the_task_that_changed_it(call: Call, clock: Clock, tmp_path: Path) -> None:
    workflow_id = call("start_workflow", name="Shop")["workflow_id"]
    for name in ("auth.ts", "billing.ts"):
        task_id = call("start_task", workflow_id=workflow_id, name="n", goal="g")["task_id"]
        (tmp_path / "tree" / name).write_text("x\n")
        clock.turn(seconds=60)
        call("complete_task", task_id=task_id, status="success", outcome={"summary": "done"})
    (hit,) = call("ledger_search", query="billing")["hits"]
    assert (hit["kind"], hit["task_id"], hit["title"], hit["at"]) == (
        *("session", "task-2", "done"),
        "2025-01-15T10:02:00Z",
    )
    assert hit["snippet"] == "done billing.ts"


def test_what_belongs_to_a_task_names_it(call: Call) -> None:
    workflow_id = call("start_workflow", name="login")["workflow_id"]
    task_id = call("start_task", workflow_id=workflow_id, name="login", goal="g")["task_id"]
    call("log_decision", task_id=task_id, category="other", question="login how?", chosen="c", reasoning="r")
    call("log_issue", task_id=task_id, type="other", description="login", resolution="r", requires_human_review=True)
    call("log_milestone", task_id=task_id, message="login")
    found = {hit["kind"]: hit.get("task_id") for hit in call("ledger_search", query="login")["hits"]}
    kinds = ("task", "decision", "issue", "review", "milestone")
    assert found == {"workflow": None, **dict.fromkeys(kinds, "task-1")}
