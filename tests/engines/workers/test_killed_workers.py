from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from deedlog.workers import landlock

RUNS = int(os.environ.get("RUNS", "100"))
SEED = int(os.environ.get("SEED", "1"))
KINDS = ["best", "best", "landlock" if landlock.version() else "none", "none"]
LANES = len(KINDS)


@pytest.mark.proves("worker:crash:settled")
@pytest.mark.timeout(1800)
def test_killed_at_any_moment_nothing_is_lost_stuck_or_left_running(tmp_path: Path) -> None:
    """Supervisors, workers and callers are killed with kill -9; more of it: RUNS=1000 SEED=7."""
    module = [sys.executable, "-m", "tests.engines.workers.campaign"]
    root = Path(__file__).parent.parent.parent.parent
    lanes = [
        subprocess.Popen(
            [*module, str(SEED * LANES + lane), str(RUNS // LANES), str(tmp_path / str(lane)), kind],
            cwd=root,
            stdout=subprocess.PIPE,
            text=True,
        )
        for lane, kind in enumerate(KINDS)
    ]
    said = [lane.communicate()[0] for lane in lanes]
    assert said == [""] * LANES
    assert [lane.returncode for lane in lanes] == [0] * LANES
