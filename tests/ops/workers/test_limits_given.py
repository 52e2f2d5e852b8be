"""Scope and budget that a caller gives for one worker are held to the same rules as those of tasks and agents."""

from __future__ import annotations

from typing import Any

import pytest

from deedlog.core.errors import Invalid
from tests.ops.workers.conftest import Shop


@pytest.mark.parametrize("name", ["worker_command", "worker_run"])
@pytest.mark.parametrize(
    ("scope", "message"),
    [
        ({"exclude": ["secrets/\n!secrets/"]}, "scope.exclude"),
        ({"write": [" "]}, "scope.write"),
        ({"wirte": ["src/**"]}, "scope.wirte: is not known"),
    ],
)
def test_what_is_no_pattern_is_refused(shop: Shop, name: str, scope: Any, message: str) -> None:
    with pytest.raises(Invalid) as refusal:
        shop.call(name, taskId=shop.task("print x"), scope=scope)
    assert refusal.value.message.startswith(message)


@pytest.mark.parametrize(
    ("budget", "message"), [({"tokens": 0}, "budget.tokens: must be"), ({"gold": 1}, "budget.gold: is not known")]
)
def test_a_budget_that_leaves_nothing_or_is_none_is_refused(shop: Shop, budget: Any, message: str) -> None:
    with pytest.raises(Invalid) as refusal:
        shop.call("worker_run", taskId=shop.task("print x"), budget=budget)
    assert refusal.value.message.startswith(message)


def test_attempts_at_once_share_what_is_left_of_the_budget_of_their_task(shop: Shop) -> None:
    task = shop.task("print x", budget={"tokens": 900, "minutes": 30})
    ran = shop.run(task, attempts=3, budget={"minutes": 60})
    assert ran["budget"] == {"tokens": 300, "minutes": 10}
    assert [shop.session(row["sessionId"]).budget for row in ran["attempts"]] == [ran["budget"]] * 3
    shop.wait(*(row["sessionId"] for row in ran["attempts"]))
