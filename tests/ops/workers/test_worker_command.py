from __future__ import annotations

import subprocess

import pytest

from deedlog.core.errors import Conflict, DeedlogError, Invalid, NotFound
from tests.ops.workers.conftest import COMMAND, Shop


@pytest.mark.proves("worker:command:answer")
def test_it_answers_as_the_document_has_it(shop: Shop) -> None:
    task = shop.task("write src/a.py one", title="Auth")
    answer = shop.call("worker_command", taskId=task)
    number = answer["sessionId"]
    assert answer["client"] == "command"
    assert answer["worktree"] == f".deedlog/worktrees/task-{task}"
    assert answer["agent"] == "hand"
    assert answer["task"] == {"id": task, "title": "Auth", "branch": f"task-{task}-s{number}"}
    assert answer["command"].startswith(f"cd {shop.repo}/.deedlog/worktrees/task-{task} && ")
    assert answer["enforcement"] == "none: you run it"


@pytest.mark.proves("worker:command:prepares")
def test_the_command_runs_in_a_work_tree_that_is_ready(shop: Shop) -> None:
    (shop.repo / "keys.env").write_text("secret\n")
    shop.git("add", "--all")
    shop.git("commit", "--quiet", "--message", "keys")
    shop.call("memory_add", id="test-required", category="rule", title="Tests", summary="always", status="active")
    task = shop.task("write src/a.py one", "commit work", scope={"exclude": ["*.env"]})
    answer = shop.call("worker_command", taskId=task)
    tree = shop.repo / answer["worktree"]
    assert not (tree / "keys.env").exists()
    entry = tree / ".deedlog/memory/rule/test-required.md"
    assert "always" in entry.read_text()
    assert entry.stat().st_mode & 0o222 == 0
    assert "write src/a.py one" in (shop.repo / answer["promptFile"]).read_text()
    assert shop.git("status", "--porcelain", tree=answer["worktree"]) == ""
    subprocess.run(["sh", "-c", answer["command"]], check=True, capture_output=True)
    ended = shop.call("session_end", sessionId=answer["sessionId"], exitCode=0)
    assert ended["files"] == {"added": ["src/a.py"], "modified": [], "deleted": []}
    assert ended["violations"] == []


@pytest.mark.proves("worker:command:defaults")
def test_agent_and_client_come_from_the_call_then_the_task_then_the_default(shop: Shop) -> None:
    def prepared(**more: object) -> tuple[str, str]:
        unassigned = int(shop.call("task_create", title="x", assignee=more.pop("assignee", None))["id"])
        answer = shop.call("worker_command", taskId=unassigned, **more)
        return answer["agent"], answer["client"]

    assert prepared() == ("coder", "claude-code")
    assert prepared(assignee="writer") == ("writer", "claude-code")
    assert prepared(assignee="somebody") == ("coder", "claude-code")
    assert prepared(assignee="writer", agent="reviewer", client="codex") == ("reviewer", "codex")
    with pytest.raises(NotFound) as refused:
        prepared(agent="nobody")
    assert refused.value.data["agent_id"] == "nobody"
    with pytest.raises(Invalid):
        prepared(client="emacs")


@pytest.mark.proves("worker:command:auto")
@pytest.mark.parametrize(
    ("client", "flag"), [("claude-code", "--dangerously-skip-permissions"), ("gemini-cli", "--yolo")]
)
def test_only_auto_adds_the_approval_flags(shop: Shop, client: str, flag: str) -> None:
    plain, auto = (
        shop.call("worker_command", taskId=shop.task(), agent="coder", client=client, auto=auto)["command"].split()
        for auto in (False, True)
    )
    assert flag not in plain
    assert flag in auto


@pytest.mark.proves("session:names")
def test_later_work_trees_of_a_task_have_the_session_in_their_name(shop: Shop) -> None:
    task = shop.task()
    first, second = (shop.call("worker_command", taskId=task, sessionGroupId="g") for _ in range(2))
    assert first["worktree"] == f".deedlog/worktrees/task-{task}"
    assert second["worktree"] == f".deedlog/worktrees/task-{task}-s{second['sessionId']}"
    assert [answer["task"]["branch"] for answer in (first, second)] == [
        f"task-{task}-s{answer['sessionId']}" for answer in (first, second)
    ]


def test_a_second_session_of_another_group_is_refused_and_leaves_nothing(shop: Shop) -> None:
    task = shop.task()
    number = shop.call("worker_command", taskId=task, sessionGroupId="g")["sessionId"]
    before = shop.trees(), shop.branches()
    for group in (None, "h"):
        with pytest.raises(Conflict) as refused:
            shop.call("worker_command", taskId=task, sessionGroupId=group)
        assert refused.value.data["running_session_id"] == number
    assert (shop.trees(), shop.branches()) == before


def test_the_same_key_returns_the_first_answer(shop: Shop) -> None:
    task = shop.task()
    first = shop.call("worker_command", taskId=task, idempotencyKey="k")
    assert shop.call("worker_command", taskId=task, idempotencyKey="k") == first
    assert shop.trees() == [f"task-{task}"]
    with pytest.raises(Conflict):
        shop.call("worker_command", taskId=task, idempotencyKey="k", agent="coder")
    with pytest.raises(Conflict):
        shop.call("worker_command", taskId=shop.task(), idempotencyKey="k")


@pytest.mark.proves("worker:command:quoted")
def test_no_text_of_the_task_is_in_the_command(shop: Shop) -> None:
    evil = "PROMPT\n)\"'; touch ../../../evil; $(touch evil) `touch evil`\n"
    shop.call("agent_create", name="evil", command=[*COMMAND[:2], "{prompt_file}", "a'b $(x)"])
    task = int(shop.call("task_create", title=evil.splitlines()[1], description=evil)["id"])
    answer = shop.call("worker_command", taskId=task, agent="evil")
    assert "touch" not in answer["command"]
    subprocess.run(["sh", "-c", answer["command"]], check=True, capture_output=True)
    assert list(shop.repo.rglob("evil")) == []


def test_what_is_over_or_waits_is_refused(shop: Shop) -> None:
    first = shop.task()
    second = shop.task(dependsOn=[first])
    with pytest.raises(Conflict, match=f"task-{second} waits for task-{first}"):
        shop.call("worker_command", taskId=second)
    shop.call("task_cancel", id=first)
    with pytest.raises(Conflict, match=f"task-{first} is cancelled"):
        shop.call("worker_command", taskId=first)
    assert shop.call("worker_command", taskId=second)


def test_a_branch_that_is_not_there_is_a_matter_of_configuration(shop: Shop) -> None:
    shop.open(base_branch="nowhere")
    with pytest.raises(DeedlogError) as refused:
        shop.call("worker_command", taskId=shop.task())
    assert refused.value.part == "configuration"


@pytest.mark.proves("task:next:fenced")
def test_under_a_claim_that_is_over_nothing_is_made(shop: Shop) -> None:
    task = shop.task()
    for _ in range(2):
        epoch = shop.call("task_next")["epoch"]
        shop.call("task_release", id=task)
    with pytest.raises(Conflict, match="epoch 1 is over"):
        shop.call("worker_command", taskId=task, epoch=epoch - 1)
    assert shop.branches() == ["main"]
    assert shop.call("worker_command", taskId=task, epoch=epoch)["task"]["id"] == task
