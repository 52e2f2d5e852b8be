"""`deedlog import --from`, as people run it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.faces.cli.running import Cli
from tests.importing.desk import DATA


@pytest.fixture
def cli(repo: Path, tmp_path: Path) -> Cli:
    """`deedlog` in a repository that has been planned with every one of the tools."""
    for tool in DATA.iterdir():
        shutil.copytree(tool, repo, dirs_exist_ok=True)
    return Cli(repo, tmp_path / "home")


def answer(cli: Cli, *words: str) -> dict[str, object]:
    done = cli.run(*words, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


@pytest.mark.proves("import:beads:issues", "import:backlog:files", "import:task-master:tags")
@pytest.mark.proves("import:preflights:decisions", "import:dry-run:nothing", "import:again:no-doubles")
@pytest.mark.parametrize(
    ("tool", "tasks", "memories"), [("beads", 5, 1), ("backlog", 10, 4), ("task-master", 9, 0), ("preflights", 0, 3)]
)
def test_a_project_moves_from_another_tool(cli: Cli, tool: str, tasks: int, memories: int) -> None:
    planned = answer(cli, "import", "--from", tool, "--dry-run")
    assert (planned["created"], planned["memories_created"]) == (tasks, memories)
    assert answer(cli, "task", "list")["tasks"] == []
    assert answer(cli, "import", "--from", tool)["created"] == tasks
    assert len(answer(cli, "task", "list", "--limit", "50")["tasks"]) == tasks  # type: ignore[arg-type]
    again = answer(cli, "import", "--from", tool)
    assert (again["created"], again["unchanged"], again["memories_created"]) == (0, tasks, 0)
    assert answer(cli, "undo")["operation"] == "task_import"
    assert answer(cli, "task", "list")["tasks"] == []


@pytest.mark.proves("import:dry-run:nothing")
def test_people_see_what_came_and_what_would_come(cli: Cli) -> None:
    planned = cli.run("import", "--from", "beads", "--dry-run")
    assert "nothing was imported: this is what would come" in planned.stderr
    assert "beads:bd-a3f8.1" in planned.stdout
    done = cli.run("import", "--from", "beads", ".beads/issues.jsonl")
    assert (done.returncode, "task-1" in done.stdout, "created: " in done.stdout) == (0, True, True)


@pytest.mark.proves("import:beads:issues")
def test_what_another_program_exports_comes_through_a_pipe(cli: Cli) -> None:
    exported = (cli.folder / ".beads/issues.jsonl").read_text()
    done = cli.run("import", "--from", "beads", "-", "--json", stdin=exported)
    assert json.loads(done.stdout)["created"] == 5, done.stderr


@pytest.mark.proves("import:broken:nothing")
def test_a_broken_file_is_refused_with_its_place_and_exit_code(cli: Cli) -> None:
    (cli.folder / ".beads/issues.jsonl").write_text('{"id": "bd-1", "title": "x"}\n{"id": \n')
    done = cli.run("import", "--from", "beads")
    assert done.returncode != 0
    assert ".beads/issues.jsonl, line 2: is not JSON" in done.stderr
    assert answer(cli, "task", "list")["tasks"] == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--from", "trello"], "is not one of: beads, backlog, task-master, preflights"),
        (["--from", "beads", "nowhere"], "cannot be read"),
        (["--from", "beads", "--anyway"], "--anyway is for files that `deedlog export` wrote"),
        (["--dry-run"], "--dry-run is for imports from other tools"),
        ([], "which file?"),
    ],
)
def test_what_does_not_fit_together_is_refused(cli: Cli, words: list[str], said: str) -> None:
    done = cli.run("import", *words)
    assert done.returncode != 0
    assert said in done.stderr
