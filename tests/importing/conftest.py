from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from deedlog.app import App
from deedlog.testing import Clock, app_in, caller
from tests.importing.desk import DATA, Desk


@pytest.fixture
def app(tmp_path: Path, repo: Path, clock: Clock) -> App:
    """With the operations that only Deedlog's own programs call."""
    return app_in(str(tmp_path / "store"), tree=str(repo), clock=clock, enable=["supervision"])


@pytest.fixture
def desk(app: App, repo: Path) -> Desk:
    """A project with an empty store, to import into."""
    return Desk(app, repo, caller())


@pytest.fixture
def sample(tmp_path: Path) -> Callable[[str], Path]:
    """The files of a tool, in a folder of their own where they may be changed."""

    def copied(tool: str) -> Path:
        return Path(shutil.copytree(DATA / tool, tmp_path / "projects" / tool))

    return copied
