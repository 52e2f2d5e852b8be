"""Running a command inside a sandbox from a process with threads: a small program confines itself first."""

from __future__ import annotations

import json
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from deedlog.workers.sandbox import Sandbox


def confined(sandbox: Sandbox, command: Sequence[str]) -> list[str]:
    """The words that run a command in a sandbox."""
    if sandbox.rules:
        rules = json.dumps({"open": sandbox.rules.open, "hidden": sandbox.rules.hidden})
        return [sys.executable, "-P", "-m", "deedlog.workers.confined", rules, *command]
    return [*sandbox.prefix, *command]


def main() -> None:
    from deedlog.workers.landlock import Rules, confining

    rules, *command = sys.argv[1:]
    confining(Rules(**json.loads(rules)))()
    try:
        os.execvp(command[0], command)  # noqa: S606  # no shell
    except OSError as error:
        sys.exit(f"{command[0]} could not be run: {error.strerror}")


if __name__ == "__main__":
    main()
