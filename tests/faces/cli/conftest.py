from __future__ import annotations

from pathlib import Path

import pytest

from tests.faces.cli.running import Cli


@pytest.fixture
def cli(repo: Path, tmp_path: Path) -> Cli:
    """`deedlog` in a repository, with a home of its own."""
    return Cli(repo, tmp_path / "home")
