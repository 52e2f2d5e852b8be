from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deedlog.app import App
from deedlog.core.errors import DeedlogError
from deedlog.testing import Clock, app_in, caller


class Bank:
    """The memory bank of a repository, and the folder that shows it."""

    def __init__(self, app: App, repo: Path) -> None:
        self.app = app
        self.repo = repo
        self.folder = repo / ".deedlog/memory"

    def call(self, name: str, /, **arguments: object) -> Any:
        return self.app.call(name, arguments, caller())

    def add(self, entry_id: str = "linter", category: str = "tooling", title: str = "Linter", **more: object) -> Any:
        return self.call("memory_add", id=entry_id, category=category, title=title, **more)

    def files(self) -> list[str]:
        """The files that are shown, without our own records of them."""
        found = (path for path in self.folder.rglob("*") if path.is_file() and not path.name.startswith("."))
        return sorted(str(path.relative_to(self.folder)) for path in found)

    def front(self, path: str) -> tuple[dict[str, Any], str]:
        """What a real parser reads from a file: its front matter and the text after it."""
        import yaml  # a parser that is not ours

        _, head, body = (self.folder / path).read_text().split("---\n", 2)
        return yaml.safe_load(head), body


@pytest.fixture
def bank(repo: Path, tmp_path: Path, clock: Clock) -> Bank:
    return Bank(app_in(str(tmp_path / "store"), tree=str(repo), clock=clock), repo)


@pytest.fixture
def refused(bank: Bank) -> Callable[..., DeedlogError]:
    """The refusal of a call."""

    def call(name: str, /, **arguments: object) -> DeedlogError:
        with pytest.raises(DeedlogError) as refusal:
            bank.call(name, **arguments)
        return refusal.value

    return call
