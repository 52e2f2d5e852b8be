"""A pull request's usual way and a hidden commit, seen from the command line."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.faces.cli.running import Cli


def git(cli: Cli, *words: str, given: str = "") -> str:
    who = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"]
    done = subprocess.run(
        ["git", *who, *words],
        cwd=cli.folder,
        env=cli.environment,
        input=given,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@pytest.mark.proves("track:change:other-branch", "track:change:hidden-commit")
def test_complete_names_what_is_on_another_branch_and_what_only_a_commit_has(cli: Cli) -> None:
    assert cli.run("init").returncode == 0
    git(cli, "add", "--all")
    git(cli, "commit", "-qm", "before", "--allow-empty")
    workflow = json.loads(cli.run("workflow", "start", "W", "--json").stdout)["workflow_id"]
    started = cli.run("task", "start", workflow, "T", "g", "--json")
    assert started.returncode == 0, started.stderr
    task_id = json.loads(started.stdout)["task_id"]
    git(cli, "switch", "-qc", "fix")
    (cli.folder / "fix.ts").write_text("fixed\n")
    git(cli, "add", "fix.ts")
    git(cli, "commit", "-qm", "fix")
    git(cli, "switch", "-q", "-")
    blob = git(cli, "hash-object", "-w", "--stdin", given="evil\n")
    git(cli, "update-index", "--add", "--cacheinfo", f"100644,{blob},Makefile")
    git(cli, "commit", "-qm", "hidden")
    git(cli, "update-index", "--skip-worktree", "Makefile")
    done = cli.run("task", "complete", task_id, "success", "done", "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["files_changed"]["added"] == ["Makefile", "fix.ts"]
    assert any("on branch fix, not on" in said for said in answer["verification"]["warnings"])
    patch = cli.run("task", "patch", task_id).stdout
    assert "+evil" in patch
    assert "+fixed" in patch
