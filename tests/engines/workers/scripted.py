"""A supervisor whose operations are scripted: `python -m tests.engines.workers.scripted FOLDER`.

In FOLDER are `task.json`, what `worker_begin` answers, and `failures.json`, what calls fail with; what it was told
comes into `calls.jsonl`. Where the task names a file as `ready`, no limit holds before the worker has made it: how long
it takes to begin is up to the machine.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from deedlog.core.errors import Conflict, DeedlogError, NotFound, Overtaken, Unavailable
from deedlog.workers import inbox, limits, recorder, supervise, telling, wanted, watching
from deedlog.workers.engine import this_host

FAILURES: dict[str, type[DeedlogError]] = {
    "away": Unavailable,
    "overtaken": Overtaken,
    "gone": NotFound,
    "another's": Conflict,
    "broken": DeedlogError,
}
NUMBER = 7


MODULES = {
    "telling": telling,
    "supervise": supervise,
    "recorder": recorder,
    "watching": watching,
    "wanted": wanted,
    "inbox": inbox,
}


def limits_from(ready: str) -> type[limits.Limits]:
    class Limits(limits.Limits):
        def broken(self, began: float, usage: dict[str, float]) -> limits.End | None:
            return super().broken(began, usage) if os.path.exists(ready) else None

    return Limits


def main() -> None:
    folder = sys.argv[1]
    with open(f"{folder}/failures.json", encoding="utf-8") as file:
        failures: dict[str, list[str]] = json.load(file)
    with open(f"{folder}/settings.json", encoding="utf-8") as file:
        settings: dict[str, float] = json.load(file)
    for name, value in settings.items():
        module, _, constant = name.partition(".")
        setattr(MODULES[module], constant, value)

    with open(f"{folder}/task.json", encoding="utf-8") as file:
        if ready := json.load(file).get("ready"):
            limits.Limits = limits_from(ready)  # type: ignore[misc]

    def call(name: str, arguments: dict[str, Any], key: str) -> Any:
        waiting = failures.get(name, [])
        failure = waiting.pop(0) if waiting else ""
        with open(f"{folder}/calls.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps({"name": name, "key": key, "failure": failure, **arguments}) + "\n")
        if failure:
            raise FAILURES[failure](f"scripted: {failure}")
        with open(f"{folder}/task.json", encoding="utf-8") as file:
            return json.load(file)

    sys.exit(supervise.supervise(NUMBER, f"{folder}/root", f"{folder}/store", this_host(), lambda: call))


if __name__ == "__main__":
    os.environ.pop("PYTEST_CURRENT_TEST", None)
    main()
