from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deedlog.app import App
from deedlog.core.errors import DeedlogError
from deedlog.testing import Clock, app_in, caller

Json = dict[str, Any]


class Talk:
    """Clarifications of a repository, in this process, with a clock one can turn."""

    def __init__(self, app: App, repo: Path) -> None:
        self.app, self.repo = app, repo

    def call(self, name: str, /, **arguments: Any) -> Any:
        return self.app.call(name, arguments, caller())

    def require(self, intention: str, **more: Any) -> Json:
        found: Json = self.call("require_clarification", user_intention=intention, **more)
        return found

    def reply(self, asked: Json, answers: Json | None, **more: Any) -> Json:
        return self.require("x", session_id=asked["session_id"], answers=answers, **more)

    def refused(self, name: str, /, **arguments: Any) -> DeedlogError:
        with pytest.raises(DeedlogError) as refusal:
            self.call(name, **arguments)
        return refusal.value

    def code(self, asked: Json, answers: Json | None) -> str:
        error = self.refused(
            "require_clarification", user_intention="x", session_id=asked["session_id"], answers=answers
        )
        return str(error.data["code"])


def skipping(asked: Json) -> Json:
    return {question["id"]: "skip" for question in asked["questions"]}


@pytest.fixture
def talk(repo: Path, tmp_path: Path, clock: Clock) -> Talk:
    return Talk(app_in(str(tmp_path / "store"), tree=str(repo), clock=clock), repo)
