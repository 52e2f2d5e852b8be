"""The engine in a process of its own: `python -m tests.engines.git.child STORE TREE take ID`, or `compare ID ID`.

It gives up the superuser's right to read every file, if it has it.
"""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
from typing import Any

from deedlog.git.snapshots import GitSnapshots
from tests.engines.git.repo import Repo

PR_CAPBSET_DROP = 24
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 1, 2


def command(repo: Repo, *words: str) -> list[str]:
    return [sys.executable, "-m", "tests.engines.git.child", repo.engine.store, repo.tree, *words]


def called(repo: Repo, *words: str) -> dict[str, Any]:
    """What the call answers, as plain data."""
    done = subprocess.run(command(repo, *words), capture_output=True, text=True, check=False, preexec_fn=give_up_rights)
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def give_up_rights() -> None:
    """For a program started from here on: without the right to drop rights this does nothing, and is not needed."""
    libc = ctypes.CDLL(None)
    for right in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
        libc.prctl(PR_CAPBSET_DROP, right, 0, 0, 0)


def main() -> None:
    store, tree, word, *ids = sys.argv[1:]
    engine = GitSnapshots(store)
    if word == "take":
        answer = engine.take(ids[0], tree).fields()
    elif word == "compare":
        compared = engine.compare(tree, ids)
        answer = {"changes": {one.path: one.status for one in compared.changes}, "warnings": compared.warnings}
    else:
        engine.forget(tree, ids)
        answer = {}
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main()
