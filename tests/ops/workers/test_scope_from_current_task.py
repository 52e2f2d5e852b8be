"""A worker that nobody gave a scope follows docs/CURRENT_TASK.md, and finds the project's decisions."""

from __future__ import annotations

import pytest

from deedlog.core.records.uid import uid_at
from tests.ops.workers.conftest import COMMAND, Shop
from tests.recording import current_task, record


@pytest.mark.proves("clarify:joined:scope")
def test_it_may_write_what_the_current_task_allows_and_not_what_it_forbids(shop: Shop) -> None:
    current_task(shop.repo, allowlist=["src/**"], forbidden=["src/keys/"], uid=uid_at(shop.app.now(), 1))
    run = shop.run(shop.task("write src/a.py one", "write src/keys/k.pem two", "write lib/b.py three"))
    assert "docs/CURRENT_TASK.md (Add authentication): src/**" in run["warnings"][0]
    shop.wait(run["sessionId"])
    session = shop.session(run["sessionId"])
    assert session.scope["write"] == ["src/**", "!src/keys/"]
    assert "src/a.py" in session.files
    assert {one["path"] for one in session.violations} <= {"src/keys/k.pem", "lib/b.py"}
    assert "src/a.py" not in {one["path"] for one in session.violations}


@pytest.mark.proves("clarify:joined:scope")
def test_a_scope_of_the_call_the_task_or_the_agent_stands_before_it(shop: Shop) -> None:
    current_task(shop.repo, allowlist=["src/**"], uid=uid_at(shop.app.now(), 1))
    shop.agent("narrow", command=COMMAND, scope={"read": ["**"], "write": ["docs/**"], "exclude": []})

    def written(task: int, **more: object) -> list[str]:
        answer = shop.call("worker_command", taskId=task, **more)
        assert "CURRENT_TASK" not in str(answer.get("warnings"))
        return shop.session(answer["sessionId"]).scope["write"]

    assert written(shop.task(), scope={"write": ["lib/**"]}) == ["lib/**"]
    assert written(shop.task(scope={"write": ["api/**"]})) == ["api/**"]
    assert written(shop.task(), agent="narrow") == ["docs/**"]
    assert written(shop.task(), agent="coder")[0] == "src/**"
    assert len(written(shop.task(), agent="coder")) > 1  # its own list


@pytest.mark.proves("memory:adr:told")
def test_it_finds_the_adrs_of_its_own_branch(shop: Shop) -> None:
    committed = record(shop.app, "Committed", Database__ORM="Drizzle")
    shop.git("add", "--all")
    shop.git("commit", "--quiet", "--message", "decide")
    record(shop.app, "Only here", Database__Type="PostgreSQL")
    answer = shop.call("worker_command", taskId=shop.task())
    tree = shop.repo / answer["worktree"]
    found = [path.name for path in (tree / ".deedlog/memory/architecture").iterdir()]
    assert found == ["adr-" + committed.uid.lower().replace(".", "-") + ".md"]
    prompt = (shop.repo / answer["promptFile"]).read_text()
    assert "- Database: ORM Drizzle\n" in prompt
    assert "PostgreSQL" not in prompt
    assert shop.git("status", "--porcelain", tree=answer["worktree"]) == ""
