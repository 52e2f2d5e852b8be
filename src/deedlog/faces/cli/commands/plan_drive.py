"""`deedlog plan drive`: what `plan_run` starts. No person needs it, so no help lists it."""

from __future__ import annotations

import os

from deedlog import bootstrap
from deedlog.app import OURS
from deedlog.core.caller import ANYONE
from deedlog.faces.cli.command import Command, Invocation
from deedlog.ports import Silent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from deedlog.settings import Settings
    from deedlog.workers.drive import Call

NEEDED = ["supervision", "tasks"]


class Waiting(Silent):
    """Whoever waits stops when the driver has something to do."""

    def __init__(self, stop: Callable[[], bool]) -> None:
        self.cancelled = stop  # type: ignore[method-assign]


def run(invocation: Invocation) -> int:
    run_id: str = invocation.arguments["run"]
    settings = invocation.settings(enable=NEEDED, disable=[])
    if os.fork():
        os._exit(0)  # whoever started us waits for this one only
    from deedlog.workers.drive import drive
    from deedlog.workers.engine import this_host

    where = settings.the_project()
    return drive(run_id, where.store, this_host(), lambda: _calling(settings, run_id))


def _calling(settings: Settings, cause: str) -> Call:
    app = bootstrap.build(settings)

    def call(name: str, arguments: dict[str, Any], stop: Callable[[], bool]) -> Any:
        return app.call(name, arguments, OURS.replace(cause=cause, peer=Waiting(stop)))

    return call


COMMAND = Command(
    words="plan drive",
    callers=ANYONE,
    help="Drive a run. Deedlog calls this itself.",
    run=run,
    input_schema={
        "type": "object",
        "properties": {"run": {"type": "string", "description": "The id of the run", "maxLength": 80}},
        "required": ["run"],
    },
)
