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
    assert [row for row in rows if row["wrong"]] == []
    spread = [row["died"] for row in rows if not row["within"]]
    assert len(spread) == KILLS + 1
    assert sum(spread) > KILLS / 2
    moving = [row["died"] for row in rows if row["within"] and row["line"] >= 0]
    assert len(moving) > 3  # before the verdict is recorded, before and after the target moves, and at the end
    assert all(moving)
