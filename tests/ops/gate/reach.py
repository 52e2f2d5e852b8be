"""A person's home, a project and an app in it: what operations about servers work on."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deedlog import bootstrap, settings
from deedlog.app import App
from deedlog.core.errors import DeedlogError
from deedlog.testing import caller
from tests.approving import approve

Json = dict[str, Any]


class Reach:
    def __init__(self, folder: Path) -> None:
        self.home, self.root = folder / "home", folder / "project"
        self.home.mkdir()
        (self.root / ".deedlog/store").mkdir(parents=True)
        programs = folder / "bin"
        programs.mkdir()
        for name in ("npx", "uvx", "run"):
            (programs / name).write_text("#!/bin/sh\n")
            (programs / name).chmod(0o755)
        self.environment = {"HOME": str(self.home), "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
        self.own = self.home / ".config/deedlog/servers.json"
        approve(self.root, self.environment)  # the store lies beside the files
        self.app = self.built()

    def built(self) -> App:
        return bootstrap.build(settings.load(str(self.root), self.environment))

    def call(self, name: str, /, **arguments: Any) -> Any:
        return self.app.call(name, arguments, caller())

    def refused(self, name: str, /, **arguments: Any) -> DeedlogError:
        with pytest.raises(DeedlogError) as refusal:
            self.call(name, **arguments)
        return refusal.value

    def put(self, path: str, content: Any) -> Path:
        where = (self.home if path.startswith("~/") else self.root) / path.removeprefix("~/")
        where.parent.mkdir(parents=True, exist_ok=True)
        where.write_text(content if isinstance(content, str) else json.dumps(content))
        return where

    def ours(self) -> Json:
        found: Json = json.loads(self.own.read_text())
        return found

    def row(self, name: str) -> Json:
        found: Json = next(row for row in self.every() if row["name"] == name)
        return found

    def every(self, **arguments: Any) -> list[Json]:
        rows: list[Json] = []
        cursor = None
        while True:
            page = self.call("mcp_environment", cursor=cursor, **arguments)
            rows += page["servers"]
            cursor = page.get("next_cursor")
            if not cursor:
                return rows


@pytest.fixture
def reach(tmp_path: Path) -> Iterator[Reach]:
    found = Reach(tmp_path)
    yield found
    found.app.close()
