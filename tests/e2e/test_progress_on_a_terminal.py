"""What takes long says at a terminal how far it is, and leaves nothing of that behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from deedlog.faces.cli.progress import ERASE
from tests.e2e.terminal import Terminal
from tests.e2e.workbench import DEEDLOG, Bench


@pytest.mark.proves("face:cli:progress")
def test_whoever_waits_is_told_how_far_it_is(repo: Path, tmp_path: Path) -> None:
    bench = Bench(repo, tmp_path / "home")
    bench.agent()
    pipe = bench.pipe("go")
    bench.run(bench.task("slow", f"wait {pipe}", "write a.txt a"))
    with Terminal([DEEDLOG, "worker", "wait"], bench.repo, bench.environment) as terminal:
        terminal.until("0 of 1 ended")
        pipe.write_text("")
        assert terminal.ended() == 0
        told, _, answer = terminal.shown.rpartition(ERASE)
        assert "ended" in told
        assert "completed" in answer
