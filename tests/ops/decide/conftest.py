from __future__ import annotations

from typing import Any

from deedlog.app import App
from deedlog.core.task import Task
from deedlog.testing import caller
from tests.ops.tasks.conftest import Board, board  # noqa: F401  # a fixture
from tests.ops.track.conftest import Work, in_git, work  # noqa: F401  # fixtures
from tests.ops.workers.conftest import Shop, shop  # noqa: F401  # a fixture

Json = dict[str, Any]


def people(app: App, name: str, /, *, actor: str = "ann", **arguments: Any) -> Any:
    """What a person calls, by its name."""
    return app.call(name, arguments, caller(actor))


def stored(app: App, task_id: object) -> Task:
    return app.ledger.get(Task, str(task_id))


def waits(app: App, **arguments: Any) -> list[Json]:
    found: list[Json] = people(app, "attention_list", **arguments)["items"]
    return found
