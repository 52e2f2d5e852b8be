"""The name clones of one repository share."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from deedlog.project import find, shared_name


@pytest.mark.proves("store:postgres:project")
@pytest.mark.parametrize(
    "url",
    [
        "git@example.invalid:Team/thing.git",
        "git@EXAMPLE.invalid:Team/thing",
        "https://example.invalid/Team/thing.git",
        "https://user:token@example.invalid/Team/thing/",
        "ssh://git@example.invalid:2222/Team/thing.git",
        "git://example.invalid/Team/thing",
    ],
)
def test_every_form_of_a_remote_s_address_gives_the_same_name(repo: Path, url: str) -> None:
    subprocess.run(["git", "-C", repo, "remote", "add", "other", "git@elsewhere.invalid:a/b.git"], check=True)
    subprocess.run(["git", "-C", repo, "remote", "add", "origin", url], check=True)
    assert shared_name(find(str(repo))) == "example.invalid/Team/thing"


@pytest.mark.proves("store:postgres:project")
def test_every_work_tree_of_a_clone_gives_the_same_name(repo: Path) -> None:
    subprocess.run(["git", "-C", repo, "remote", "add", "origin", "git@example.invalid:a/b.git"], check=True)
    subprocess.run(["git", "-C", repo, "worktree", "add", "--quiet", repo.parent / "tree"], check=True)
    assert shared_name(find(str(repo.parent / "tree"))) == "example.invalid/a/b"


@pytest.mark.parametrize(("url", "name"), [("/srv/git/thing.git", "srv/git/thing"), ("../elsewhere", "repo")])
def test_a_remote_that_is_a_folder_gives_its_path_if_others_can_mean_the_same(repo: Path, url: str, name: str) -> None:
    subprocess.run(["git", "-C", repo, "remote", "add", "origin", url], check=True)
    assert shared_name(find(str(repo))) == name


def test_without_a_remote_the_folder_gives_the_name(repo: Path, tmp_path: Path) -> None:
    assert shared_name(find(str(repo))) == "repo"
    (tmp_path / "plain/.deedlog").mkdir(parents=True)
    assert shared_name(find(str(tmp_path / "plain"))) == "plain"
