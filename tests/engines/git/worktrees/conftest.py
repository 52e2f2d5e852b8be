from __future__ import annotations

from pathlib import Path

import pytest

from tests.engines.git.worktrees.sessions import Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """A repository with one commit on `main` that no session has a tree of yet."""
    return Place.init(tmp_path / "place")
