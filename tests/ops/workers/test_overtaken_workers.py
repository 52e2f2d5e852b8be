"""A call that is overtaken when it has made everything and is about to commit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deedlog.core.entry import Op
from deedlog.core.errors import Conflict
from deedlog.core.task import Session
from tests.ops.workers.conftest import Shop


def overtaken(shop: Shop, monkeypatch: pytest.MonkeyPatch, rival: Callable[[], object]) -> None:
    ledger = shop.app.ledger
    write = ledger.write

    def late(op: Op, *arguments: Any, **more: Any) -> Any:
        if op.operation != "worker_judged":  # its caller holds the merge lock
            monkeypatch.setattr(ledger, "write", write)
            rival()
        return write(op, *arguments, **more)

    monkeypatch.setattr(ledger, "write", late)


@pytest.mark.parametrize("name", ["worker_command", "worker_run"])
def test_the_same_key_at_once_starts_one_attempt_of_a_group(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    said = {"taskId": shop.task("print x"), "sessionGroupId": "g", "idempotencyKey": "k"}
    rivals: list[Any] = []
    overtaken(shop, monkeypatch, lambda: rivals.append(shop.call(name, **said)))
    assert shop.call(name, **said) == rivals[0]
    assert len(shop.app.ledger.find(Session, {"key": "k"}, limit=9)) == 1
    assert len(shop.trees()) == 1


@pytest.mark.parametrize("name", ["worker_command", "worker_run"])
def test_one_key_is_not_used_for_two_tasks_at_once(shop: Shop, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    first, second = shop.task("print x"), shop.task("print x")
    overtaken(shop, monkeypatch, lambda: shop.call(name, taskId=first, idempotencyKey="k"))
    with pytest.raises(Conflict, match="was used for session"):
        shop.call(name, taskId=second, idempotencyKey="k")
    assert shop.trees() == ["task-1"]
