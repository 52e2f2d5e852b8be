"""The official MCP clients: which there are, and how each is started."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import BIN

CLIENTS = Path(__file__).parent / "clients"
DEEDLOG = [sys.executable, "-m", "deedlog"]
PAIRS = [
    ("python1", "legacy"),
    ("python2", "legacy"),
    ("python2", "modern"),
    ("typescript1", "legacy"),
    ("typescript2", "legacy"),
    ("typescript2", "modern"),
]
each_client = pytest.mark.parametrize(("client", "era"), PAIRS, ids=str)


def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("DEEDLOG_")}
    return kept | {"DEEDLOG_TOKEN": "secret"}


def command_of(request: pytest.FixtureRequest, client: str, environment: dict[str, str]) -> list[str]:
    """The command of a client, installed if need be; `environment` gets what it needs."""
    if client.startswith("typescript"):
        environment["NODE_MODULES"] = str(request.getfixturevalue("node_folder"))
        return [str(BIN / "node"), str(CLIENTS / f"{client}.mjs")]
    python = request.getfixturevalue("python_with_sdk1") if client == "python1" else sys.executable
    return [str(python), str(CLIENTS / f"{client}.py")]
