from __future__ import annotations

import pytest

from deedlog.core.errors import NotFound
from deedlog.testing import Clock
from deedlog.work import report_rows
from tests.ops.track.conftest import Json, Work


def report(work: Work, **more: object) -> Json:
    answer: Json = work.call("workflow_report", workflow_id=work.workflow_id, **more)
    return answer


@pytest.mark.proves("page:export:markdown")
def test_it_has_goal_plan_and_everything_about_each_task(in_git: Work, clock: Clock) -> None:
    plan = [{"step": "One", "goal": "Do it"}]
    said = in_git.call("start_workflow", name="Move", description="Why we do it", plan=plan)
    in_git.workflow_id = said["workflow_id"]
    task = in_git.start("Write tokens", areas=["src"])
    decision = {"category": "other", "question": "Which?", "chosen": "EdDSA", "reasoning": "small"}
    in_git.call("log_decision", task_id=task, **decision)
    in_git.call("log_issue", task_id=task, type="other", description="slow", resolution="faster")
    in_git.call("log_milestone", task_id=task, message="half", progress=50)
    in_git.write("src/a.py", "elsewhere.py", text="a\nb\n")
    clock.turn(125)
    in_git.complete(task, outcome={"summary": "Tokens work", "achievements": ["fast"], "limitations": ["one"]})
    text = report(in_git)["markdown"]
    for part in (
        "# Move\n",
        "- **Lasted:** 2 min 5 s",
        "> Why we do it",
        "1. **One**: Do it",
        "### `task-1` Write tokens",
        "> Tokens work",
        "- fast",
        "- Which? → **EdDSA**: small",
        "- other: slow → faster",
        "50 % half",
        "| `src/a.py` | added | 2 | 0 | task |",
        "| `elsewhere.py` | added | 2 | 0 | task, outside |",
        "outside its areas: `elsewhere.py`",
        "→ **open**",
        "```diff\n",
        "+++ b/src/a.py",
    ):
        assert part in text, part


@pytest.mark.proves("page:export:escaped")
def test_what_somebody_wrote_never_becomes_structure(work: Work) -> None:
    task = work.start("# heading\n| a | <script>alert(1)</script>")
    work.complete(task, outcome={"summary": "# not a heading\n```\n<b>no</b>", "achievements": ["- [x](javascript:1)"]})
    lines = report(work)["markdown"].splitlines()
    assert [line for line in lines if line.startswith("#")] == [
        "# Add authentication",
        "## Tasks",
        "### `task-1` \\# heading \\| a \\| &lt;script&gt;alert(1)&lt;/script&gt;",
    ]
    assert "> \\# not a heading" in lines
    assert "- \\- \\[x\\](javascript:1)" in lines
    assert not any("<" in line for line in lines)


def test_a_patch_cannot_leave_its_fence(in_git: Work) -> None:
    task = in_git.start()
    in_git.write("a.md", text="```\n# heading\n````\n")
    in_git.complete(task)
    text = report(in_git)["markdown"]
    assert "\n`````diff\n" in text
    assert text.rstrip().endswith("\n`````")


def test_patches_are_left_out_where_they_are_not_wanted_or_too_long(
    in_git: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = in_git.start()
    in_git.write("a.py", text="line\n" * 100)
    in_git.complete(task)
    assert "Patch" not in report(in_git, patches=False)["markdown"]
    monkeypatch.setattr(report_rows, "MOST_PATCH", 100)
    assert "left out: it has " in report(in_git)["markdown"]


def test_long_ones_come_in_pages_that_join_to_one_text(work: Work) -> None:
    for number in range(5):
        work.complete(work.start(f"number {number}"))
    whole = report(work)["markdown"]
    pages = [report(work, limit=2)]
    while "next_cursor" in pages[-1]:
        pages.append(report(work, limit=2, cursor=pages[-1]["next_cursor"]))
    assert len(pages) == 3
    assert "".join(page["markdown"] for page in pages) == whole


def test_its_data_are_given_instead_of_the_text(work: Work, clock: Clock) -> None:
    parent = work.start("parent")
    work.start("child", parent=parent)
    clock.turn(30)
    found = report(work, form="data")
    assert found["markdown"] == ""
    assert [(task["name"], task["depth"], task["status"]) for task in found["tasks"]] == [
        ("parent", 0, "in_progress"),
        ("child", 1, "in_progress"),
    ]
    assert found["workflow"]["tasks"] == {"in_progress": 2}
    assert found["workflow"]["total"]["sessions"] == 2


def test_of_cancelled_and_planned_tasks_it_says_so(work: Work) -> None:
    first = work.call("task_create", title="first", workflowId=work.workflow_id)["id"]
    work.call("task_create", title="second", workflowId=work.workflow_id, dependsOn=[first])
    work.call("task_cancel", id=first, reason="not needed")
    text = report(work)["markdown"]
    assert "- **Cancelled because:** not needed" in text
    assert "- **Waited for:** `task-1`" in text


def test_a_workflow_that_is_not_there_is_refused(work: Work) -> None:
    with pytest.raises(NotFound, match="wf-nope"):
        work.call("workflow_report", workflow_id="wf-nope")


@pytest.mark.proves("page:export:decided")
def test_what_people_decided_is_told_with_the_attempt_it_was_about(work: Work, clock: Clock) -> None:
    task = work.start()
    clock.turn(300)
    work.complete(task, outcome={"summary": "First try"})
    said = {"path": "a.py", "line": 2, "text": "Why | twice?"}
    work.call("task_send_back", task_id=task, message="Not yet", comments=[said])
    (row,) = report(work, form="data")["tasks"]
    assert (row["sent_back"], row["status"], "outcome" in row) == (1, "open", False)
    text = report(work)["markdown"]
    for part in (
        "- **Started:** 2025-01-15 10:00 UTC",
        "- **Sent back:** once",
        "success by tester; sent back; 2025-01-15 10:00 to 10:05 UTC; it said: First try",
        "- tester on `a.py:2`: Why \\| twice? → **open**",
        "- tester: Not yet → **open**",
    ):
        assert part in text, (part, text)
