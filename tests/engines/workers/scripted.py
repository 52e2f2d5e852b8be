"""A supervisor whose operations are scripted: `python -m tests.engines.workers.scripted FOLDER`.

In FOLDER are `task.json`, what `worker_begin` answers, and `failures.json`, what calls fail with; what it was told
comes into `calls.jsonl`.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from deedlog.core.errors import Conflict, DeedlogError, NotFound, Overtaken, Unavailable
from deedlog.workers import recorder, supervise, watching
from deedlog.workers.engine import this_host

FAILURES: dict[str, type[DeedlogError]] = {
    "away": Unavailable,
    "overtaken": Overtaken,
    "gone": NotFound,
    "another's": Conflict,
    "broken": DeedlogError,
}
NUMBER = 7


def main() -> None:
    folder = sys.argv[1]
    with open(f"{folder}/failures.json", encoding="utf-8") as file:
        failures: dict[str, list[str]] = json.load(file)
    with open(f"{folder}/settings.json", encoding="utf-8") as file:
        settings: dict[str, float] = json.load(file)
    for name, value in settings.items():
        module, _, constant = name.partition(".")
        setattr({"supervise": supervise, "recorder": recorder, "watching": watching}[module], constant, value)

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
