from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.processes import HttpServer

ROOT = Path(__file__).parent.parent.parent.parent
SERVE = [sys.executable, "-m", "deedlog", "serve", "--port", "0"]
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": str(ROOT),
    "DEEDLOG_PLUGINS": "tests.faces.mcp.plugin",
    "DEEDLOG_TOKEN": "secret",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    """One real server for all tests of a file."""
    folder = tmp_path_factory.mktemp("served")
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    with HttpServer(SERVE, folder, ENVIRONMENT) as running:
        yield running
