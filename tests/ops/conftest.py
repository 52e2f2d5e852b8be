from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def own_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of the user's own configuration for each test, which the processes it starts find too."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "own-configuration"))
