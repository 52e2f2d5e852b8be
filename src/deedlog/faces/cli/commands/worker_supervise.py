"""`deedlog worker supervise`: what `worker_run` starts. No person needs it, so no help lists it."""

from __future__ import annotations

import os
from functools import cache

from deedlog import bootstrap
from deedlog.app import OURS
from deedlog.core.caller import ANYONE
from deedlog.faces.cli.command import Command, Invocation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from deedlog.app import App
    from deedlog.settings import Settings


def run(invocation: Invocation) -> int:
    number: int = invocation.arguments["session"]
    settings = invocation.settings(enable=["supervision"], disable=[])
    if os.fork():
        os._exit(0)  # whoever started us waits for this one only
    from deedlog.workers.engine import this_host
    from deedlog.workers.supervise import supervise

    where = settings.the_project()
    app = cache(lambda: _opened(settings))
    return supervise(number, where.root, where.store, this_host(), lambda: _calling(app(), f"session-{number}"), app)


def _opened(settings: Settings) -> App:
    app = bootstrap.build(settings)
    app.settles = False
    return app


def _calling(app: App, cause: str) -> Callable[[str, dict[str, Any], str], Any]:
    def call(name: str, arguments: dict[str, Any], key: str) -> Any:
        return app.call(name, arguments, OURS.replace(cause=cause, idempotency_key=key))

    return call


COMMAND = Command(
    words="worker supervise",
    callers=ANYONE,
    help="Run the worker of a session. Deedlog calls this itself.",
    run=run,
    input_schema={
        "type": "object",
        "properties": {"session": {"type": "integer", "description": "The number of the session", "minimum": 1}},
        "required": ["session"],
    },
)
