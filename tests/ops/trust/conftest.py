from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deedlog import bootstrap
from deedlog.app import App
from deedlog.settings import load
from deedlog.testing import caller

CHECKS = '[checks]\ntests = ["make", "test"]\n'
Json = dict[str, Any]


class Clone:
    """A repository with a file of settings that came with it."""

    def __init__(self, repo: Path) -> None:
        self.repo = repo
        self.app: App = bootstrap.build(load(str(repo), self.environment))

    @property
    def environment(self) -> dict[str, str]:
        return {"XDG_CONFIG_HOME": os.environ["XDG_CONFIG_HOME"]}

    def brings(self, text: str) -> None:
        (self.repo / ".deedlog").mkdir(exist_ok=True)
        (self.repo / ".deedlog/config.toml").write_text(text)

    def call(self, name: str, /, **arguments: object) -> Any:
        return self.app.call(name, arguments, caller())

    def items(self) -> dict[str, Json]:
        return {row["name"]: row for row in self.call("trust_list")["items"]}

    def approve(self, *names: str) -> Any:
        found = self.items()
        return self.call("trust_approve", ids=[found[name]["id"] for name in names])


@pytest.fixture
def clone(repo: Path) -> Iterator[Clone]:
    made = Clone(repo)
    yield made
    made.app.close()
