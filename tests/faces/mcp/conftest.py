"""Clients of a real repository in both eras of the protocol; tests of one era have their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from deedlog.app import App
from deedlog.testing import app_in
from tests.faces.mcp.hosting import house  # noqa: F401  # a fixture of tests that mount servers
from tests.faces.mcp.speaking import Speaker


@pytest.fixture
def app(repo: Path, tmp_path: Path) -> App:
    """Its user lets agents do what needs a person: these tests are about the protocol."""
    return app_in(str(tmp_path / "store"), tree=str(repo), agents_may=["*"])


@pytest.fixture
def client(app: App, *, modern: bool) -> Speaker:
    speaker = Speaker(app, modern=modern)
    if not modern:
        speaker.initialize()
    return speaker
