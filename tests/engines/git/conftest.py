"""A repository with three files and one commit, where git has no settings but those of the tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.engines.git.repo import SETTINGS, Engine, Repo, lines


@pytest.fixture(autouse=True)
def git_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's settings of git. The engine must not need any variable of git's, so there are none."""
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(SETTINGS)
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("HOME", str(home))
    return home / ".gitconfig"


@pytest.fixture(params=["first contact", "known"])
def repo(request: pytest.FixtureRequest, tmp_path: Path) -> Repo:
    """A repository the engine meets for the first time, or that it knows from an earlier task."""
    (tmp_path / "place").mkdir()
    engine = Engine(tmp_path / "place", known=request.param == "known")
    made = Repo.init(tmp_path / "place" / "repo", engine)
    for name in ("auth.ts", "database.ts", "src/u.ts"):
        made.write(name, lines(name))
    made.commit()
    return made.seen()
