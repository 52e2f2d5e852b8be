"""The memory bank on either database, seen from two clones that share it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from deedlog.testing import app_on, caller
from tests.engines.conftest import Engine


def files(clone: Path) -> list[str]:
    folder = clone / ".deedlog/memory"
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*.md"))


@pytest.mark.proves("memory:preview:format")
def test_the_files_that_a_preview_names_are_there_in_every_clone(engine: Engine, repo: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    subprocess.run(["git", "clone", "--quiet", repo, other], check=True)
    here, there = (app_on(engine.open(), tree=str(clone)) for clone in (repo, other))
    told = {"id": "linter", "category": "tooling", "title": "Linter", "summary": "Biome", "status": "active"}
    here.call("memory_add", told, caller())
    assert (files(repo), files(other)) == (["tooling/linter.md"], [])
    context = there.call("memory_preview", {}, caller())["context"]
    assert "- .deedlog/memory/tooling/linter.md - Linter\n" in context
    assert files(other) == ["tooling/linter.md"]
    there.call("memory_archive", {"id": "linter"}, caller())
    here.call("memory_preview", {}, caller())
    assert files(repo) == files(other) == []


def test_agents_are_the_same_on_both(engine: Engine) -> None:
    app = app_on(engine.open())
    app.call("agent_edit", {"name": "coder", "model": "opus"}, caller())
    app.call("agent_create", {"name": "tester", "config": {"a": [1, None, {"b": "ü\u202e"}]}}, caller())
    app.call("agent_delete", {"name": "coder"}, caller())
    rows = app.call("agent_list", {}, caller())["agents"]
    assert [row["name"] for row in rows] == ["coder", "planner", "reviewer", "tester", "writer"]
    assert app.call("agent_get", {"name": "tester"}, caller())["config"] == {"a": [1, None, {"b": "ü\u202e"}]}
    history = app.call("agent_history", {"name": "coder"}, caller())["history"]
    assert [(row["operation"], row["fields"]) for row in history] == [
        ("agent_delete", ["model"]),
        ("agent_edit", ["model"]),
    ]
