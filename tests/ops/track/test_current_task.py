"""What docs/CURRENT_TASK.md allows is what a task is measured by, where nobody said otherwise."""

from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.moment import DAY, SECOND
from deedlog.core.records.task import read_task, render_task
from deedlog.core.records.uid import uid_at
from deedlog.core.task import Task
from deedlog.testing import Clock
from tests.ops.track.conftest import Work
from tests.recording import current_task, record

OTHER = "20250109T100000.000Z-B002"


def started(work: Work, workflow_id: str = "", **more: object) -> dict[str, Any]:
    given = {"workflow_id": workflow_id or work.workflow_id, "name": "a task", "goal": "g", **more}
    answer: dict[str, Any] = work.call("start_task", **given)
    return answer


def areas(work: Work, task_id: str) -> list[str]:
    return work.app.ledger.get(Task, task_id).areas


@pytest.mark.proves("clarify:joined:areas")
def test_its_allowlist_is_the_task_s_areas_and_what_it_forbids_is_out(in_git: Work) -> None:
    current_task(in_git.tree, allowlist=["src/auth/**", "schema.sql"], forbidden=["src/auth/keys/", ".git/"])
    answer = started(in_git)
    assert areas(in_git, answer["task_id"]) == ["src/auth/**", "/schema.sql", "!src/auth/keys/"]
    assert "docs/CURRENT_TASK.md (Add authentication): src/auth/**" in answer["warnings"][0]
    assert "give areas" in answer["warnings"][0]
    in_git.write("src/auth/a.ts", "src/auth/keys/k.pem", "schema.sql", "src/pay/b.ts", "lib/schema.sql")
    found = in_git.complete(answer["task_id"])["verification"]
    assert found["unexpected_files"] == ["lib/schema.sql", "src/auth/keys/k.pem", "src/pay/b.ts"]
    assert found["scope_match"] is False


@pytest.mark.proves("clarify:joined:areas")
def test_areas_that_are_given_stand_before_it(in_git: Work) -> None:
    current_task(in_git.tree, allowlist=["src/auth/**"])
    assert areas(in_git, started(in_git, areas=["README.md"])["task_id"]) == ["README.md"]
    assert areas(in_git, started(in_git, areas=[])["task_id"]) == []


@pytest.mark.proves("clarify:joined:areas")
@pytest.mark.parametrize(
    "text",
    [
        "# Add authentication\n\n## Allowlist\n\n- `src/auth/**`\n",
        "<!-- UID: 20250108T143512.237Z-A001 -->\n\n# Fix a typo\n",
        "<!-- UID: 20250108T143512.237Z-A001 -->\n\n# Odd\n\n## Allowlist\n\n- `.git/**`\n- `!`\n",
        "",
    ],
    ids=["by hand", "no allowlist", "nothing in it", "empty"],
)
def test_one_that_is_not_ours_or_allows_nothing_says_nothing(in_git: Work, text: str) -> None:
    in_git.write("docs/CURRENT_TASK.md", text=text)
    answer = started(in_git)
    assert "warnings" not in answer
    assert areas(in_git, answer["task_id"]) == []


@pytest.mark.proves("clarify:joined:areas")
def test_it_counts_until_a_workflow_that_followed_it_has_ended(in_git: Work) -> None:
    current_task(in_git.tree, allowlist=["src/auth/**"])
    first = started(in_git)["task_id"]
    in_git.complete(first)
    assert areas(in_git, started(in_git)["task_id"]) == ["src/auth/**"]  # the same workflow goes on
    another = in_git.call("start_workflow", name="Pay")["workflow_id"]
    assert areas(in_git, started(in_git, another)["task_id"]) == ["src/auth/**"]  # both are at it
    in_git.complete("task-2")
    in_git.complete("task-3")
    third = in_git.call("start_workflow", name="Later")["workflow_id"]
    assert areas(in_git, started(in_git, third)["task_id"]) == []
    current_task(in_git.tree, allowlist=["src/pay/**"], uid=OTHER)
    assert areas(in_git, started(in_git, third)["task_id"]) == ["src/pay/**"]


@pytest.mark.proves("clarify:joined:areas")
@pytest.mark.parametrize(("days", "counted"), [(13, ["src/auth/**"]), (15, [])])
def test_one_that_another_store_wrote_counts_while_it_is_young(in_git: Work, days: int, counted: list[str]) -> None:
    uid = uid_at(in_git.app.now() - days * DAY * SECOND, 1)
    current_task(in_git.tree, allowlist=["src/auth/**"], uid=uid)
    assert areas(in_git, started(in_git)["task_id"]) == counted


@pytest.mark.proves("clarify:joined:areas")
@pytest.mark.parametrize("request_", ["Use PostgreSQL as the database", "Fix the typo in src/auth/a.ts"])
def test_one_of_this_store_counts_however_old_it_is(in_git: Work, clock: Clock, request_: str) -> None:
    written = in_git.call("require_clarification", user_intention=request_)
    [uid] = [one["uid"] for one in written["artifacts_created"] if one["type"] == "task"]
    file = in_git.tree / "docs/CURRENT_TASK.md"
    task = read_task(file.read_text())
    assert task.uid == uid
    file.write_text(render_task(task.replace(allowlist=["src/auth/**"])))
    clock.turn(400 * DAY)
    assert areas(in_git, started(in_git)["task_id"]) == ["src/auth/**"]


@pytest.mark.proves("clarify:joined:own-files")
def test_records_written_meanwhile_are_nobody_s_work_and_tampering_with_one_is(in_git: Work) -> None:
    old = record(in_git.app, "Old", Database__Type="MySQL")
    task_id = in_git.start(areas=["src"])
    new = record(in_git.app, "New", Database__ORM="Drizzle")
    forged = "docs/adr/20250108T143512.237Z-A001_mine.md"
    in_git.write("docs/AGENT_PROMPT.md", "docs/adr/0001-mine.md", forged, "src/a.ts")
    (in_git.tree / old.path).write_text("forged\n")
    answer = in_git.complete(task_id)
    added = ["docs/AGENT_PROMPT.md", "docs/adr/0001-mine.md", forged, "src/a.ts"]
    assert answer["files_changed"]["added"] == added
    assert answer["files_changed"]["modified"] == [old.path]
    assert answer["deedlog_files"] == ["docs/ARCHITECTURE_STATE.md", new.path]
    assert {old.path, forged} <= {*answer["verification"]["unexpected_files"]}


@pytest.mark.proves("clarify:joined:own-files")
def test_a_hand_edit_of_what_deedlog_writes_is_the_task_s_work(in_git: Work) -> None:
    in_git.call("require_clarification", user_intention="Use PostgreSQL as the database")
    task_id = in_git.start(areas=["src"])
    in_git.call("require_clarification", user_intention="Fix the typo in the footer")
    in_git.call("clarification_prompt")
    for path in ("docs/ARCHITECTURE_STATE.md", "docs/CURRENT_TASK.md"):
        (in_git.tree / path).write_text((in_git.tree / path).read_text() + "hack\n")
    answer = in_git.complete(task_id)
    assert answer["files_changed"]["modified"] == ["docs/ARCHITECTURE_STATE.md", "docs/CURRENT_TASK.md"]
    assert answer["verification"]["unexpected_files"] == ["docs/ARCHITECTURE_STATE.md", "docs/CURRENT_TASK.md"]
    assert "docs/AGENT_PROMPT.md" in answer["deedlog_files"]
