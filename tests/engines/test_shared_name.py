"""The name clones of one repository share."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from deedlog.core.errors import NotFound
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


def test_a_remote_that_is_a_folder_gives_its_path(repo: Path) -> None:
    subprocess.run(["git", "-C", repo, "remote", "add", "origin", "/srv/git/thing.git"], check=True)
    assert shared_name(find(str(repo))) == "srv/git/thing"


@pytest.mark.parametrize("remote", ["", "../elsewhere"])
def test_without_a_remote_that_means_the_same_to_everybody_a_name_is_asked_for(repo: Path, remote: str) -> None:
    """Two repositories in folders of one name must not share a ledger."""
    if remote:
        subprocess.run(["git", "-C", repo, "remote", "add", "origin", remote], check=True)
    with pytest.raises(NotFound, match="no git remote") as refusal:
        shared_name(find(str(repo)))
    assert "DEEDLOG_PROJECT" in refusal.value.hint
