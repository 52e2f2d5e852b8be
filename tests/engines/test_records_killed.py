"""kill -9 at every step of writing records: see `record_campaign`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

LEAST_STEPS = {
    "first": 30,
    "amend": 40,
    "by-hand": 40,
    "no-links": 40,
    "full-disk": 50,
    "refused": 50,
    "recovering": 10,
    "reading": 5,
}


@pytest.mark.proves("clarify:files:all-or-nothing")
@pytest.mark.parametrize("story", LEAST_STEPS)
def test_a_kill_at_any_step_leaves_all_or_nothing_and_no_trace(tmp_path: Path, story: str) -> None:
    command = [sys.executable, "-m", "tests.engines.record_campaign", story, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stderr
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(told) > LEAST_STEPS[story]
    assert [one for one in told if one["wrong"]] == []
