"""kill -9 at every step of worker_done: the target is the old or the new commit, and the next call finishes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

KILLS = int(os.environ.get("DEEDLOG_TEST_KILLS", "8"))


@pytest.mark.proves("worker:done:killed")
@pytest.mark.parametrize("how", ["merge", "squash", "rebase"])
def test_killed_at_any_line_the_next_call_finishes(repo: Path, how: str) -> None:
    command = [sys.executable, "-m", "tests.ops.workers.killing_gate", how, str(KILLS), str(repo)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(rows) == KILLS + 1
    assert [row for row in rows if row["wrong"]] == []
    assert sum(row["died"] for row in rows) > KILLS / 2
