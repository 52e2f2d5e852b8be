"""A run calls work done that changed nothing. That is all it forces: it never overrules a scope."""

from __future__ import annotations

import pytest

from tests.ops.plans.driven import Driven
from tests.ops.plans.planning import nodes_of
from tests.ops.workers.conftest import Shop

SCOPE = {"write": ["src/**"]}


@pytest.mark.proves("worker:done:judged")
@pytest.mark.parametrize("where", ["in its tree", "merged by hand"])
def test_work_outside_its_scope_that_comes_late_is_merged_by_no_run(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """When the session ended it had changed nothing, so the run forces; then something of the worker goes on."""
    driven = Driven(shop, monkeypatch, lines=("print all is well",), scope=SCOPE)

    def late() -> None:
        session = shop.session(1)
        (shop.repo / session.worktree / "Makefile").write_text("evil\n")
        if where == "merged by hand":
            shop.git("add", "Makefile", tree=session.worktree)
            shop.git("commit", "--quiet", "--message", "late", tree=session.worktree)
            shop.git("merge", "--quiet", "--no-edit", session.branch)

    driven.before_the_first_merge = late
    assert driven.to_its_end().state == "failed"
    assert driven.merges[0] == {"sessionId": 1, "force": True}
    [node] = nodes_of(shop, driven.run_id)
    assert (node.state, shop.session(1).dod_result) == ("failed", "pending")
    assert [row["path"] for row in shop.session(1).violations] == ["Makefile"]
    assert "scope" in shop.reviews()
    assert ("Makefile" in shop.files()) is (where == "merged by hand")


@pytest.mark.proves("worker:done:judged")
def test_a_run_forces_nothing_where_its_worker_left_its_scope(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.enforce("none")
    driven = Driven(shop, monkeypatch, lines=("write Makefile evil",), scope=SCOPE)
    assert driven.to_its_end().state == "failed"
    assert not any(merge.get("force") for merge in driven.merges if merge.get("how") != "discard")
    assert [row["path"] for row in shop.session(1).violations] == ["Makefile"]
    assert "Makefile" not in shop.files()
