"""Two who change what belongs together at the same moment: the second to commit sees what the first did."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from deedlog.core.errors import Conflict, NotFound
from tests.ops.tasks.conftest import Board
from tests.ops.tasks.test_random_boards import wrong

Rival = Callable[[], object]


@pytest.fixture
def overtaken(board: Board, monkeypatch: pytest.MonkeyPatch) -> Callable[[Rival], None]:
    """Lets a rival commit when the next call has read everything and is about to commit."""
    ledger = board.app.ledger
    write = ledger.write

    def by(rival: Rival) -> None:
        def late(*arguments: Any, **more: Any) -> Any:
            monkeypatch.setattr(ledger, "write", write)
            rival()
            return write(*arguments, **more)

        monkeypatch.setattr(ledger, "write", late)

    return by


Overtaken = Callable[[Rival], None]


@pytest.mark.parametrize("how", ["task_cancel", "task_delete"])
def test_no_task_becomes_a_part_of_one_that_is_gone(board: Board, overtaken: Overtaken, how: str) -> None:
    whole = board.create("whole")
    overtaken(lambda: board.call(how, id=whole))
    refusal = board.refused("task_create", title="part", parentId=whole)
    assert isinstance(refusal, Conflict | NotFound)


def test_no_task_becomes_a_part_of_one_that_is_done(board: Board, overtaken: Overtaken) -> None:
    whole = board.create("whole")
    session = board.start(whole)
    overtaken(lambda: board.end(session))
    assert "done" in board.refused("task_create", title="part", parentId=whole).message


def test_a_task_that_gets_a_part_meanwhile_is_not_cancelled(board: Board, overtaken: Overtaken) -> None:
    whole = board.create("whole")
    overtaken(lambda: board.create("part", parentId=whole))
    assert "open subtasks: task-2" in board.refused("task_cancel", id=whole).message


def test_who_waits_for_a_reopened_task_waits_whatever_ends_meanwhile(
    board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = board.create("first"), board.create("second")
    third = board.create("third", dependsOn=[first, second])
    board.call("task_cancel", id=first)
    find_one, needed = board.app.ledger.find_one, board.task(second).id

    def late(kind: Any, entity_id: str) -> Any:
        if entity_id == needed:  # who waits was read, whom it waits for is read now
            monkeypatch.undo()
            board.call("task_cancel", id=second)
        return find_one(kind, entity_id)

    monkeypatch.setattr(board.app.ledger, "find_one", late)
    board.call("task_reopen", id=first)
    assert board.get(third)["waitingFor"] == [first]
    assert wrong(board.app) == []
