"""Where a project is found, from every kind of folder git knows."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from deedlog import bootstrap, project
from deedlog.core.errors import Denied, NotFound, Part, Unavailable
from deedlog.project import find, make_state, refuse_network_folder
from deedlog.settings import load


def git(folder: Path, *words: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "protocol.file.allow=always"]
    subprocess.run(["git", "-C", str(folder), *identity, *words], check=True, capture_output=True)


def common_dir(folder: Path) -> str:
    """What git itself says."""
    words = ["git", "-C", str(folder), "rev-parse", "--path-format=absolute", "--git-common-dir"]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.proves("store:place:shared")
def test_a_subfolder_finds_its_repository(repo: Path) -> None:
    (repo / "a/b").mkdir(parents=True)
    found = find(str(repo / "a/b"))
    assert (found.tree, found.root, found.git_dir) == (str(repo), str(repo), str(repo / ".git"))
    assert found.store == str(repo / ".git/deedlog")
    assert found.state == str(repo / ".deedlog")


@pytest.mark.proves("store:place:shared")
def test_every_work_tree_finds_the_store_of_its_main_repository(repo: Path, tmp_path: Path) -> None:
    git(repo, "worktree", "add", "--quiet", str(tmp_path / "linked"), "-b", "other")
    (tmp_path / "linked/sub").mkdir()
    found = find(str(tmp_path / "linked/sub"))
    assert found.tree == str(tmp_path / "linked")
    assert found.root == str(repo)
    assert found.store == os.path.join(common_dir(tmp_path / "linked"), "deedlog") == find(str(repo)).store
    assert make_state(found) == str(repo / ".deedlog")


@pytest.mark.proves("store:place:shared")
def test_a_submodule_is_a_project_of_its_own(repo: Path, tmp_path: Path) -> None:
    library = tmp_path / "library"
    subprocess.run(["git", "clone", "--quiet", str(repo), str(library)], check=True)
    git(repo, "submodule", "--quiet", "add", str(library), "vendor/library")
    found = find(str(repo / "vendor/library"))
    assert found.store == os.path.join(common_dir(repo / "vendor/library"), "deedlog")
    assert found.root == found.tree == str(repo / "vendor/library")
    assert found.store != find(str(repo)).store


@pytest.mark.proves("store:place:shared")
def test_a_repository_whose_git_directory_lies_elsewhere_is_found(tmp_path: Path) -> None:
    words = ["git", "init", "--quiet", f"--separate-git-dir={tmp_path / 'elsewhere'}", str(tmp_path / "tree")]
    subprocess.run(words, check=True)
    found = find(str(tmp_path / "tree"))
    assert (found.root, found.store) == (str(tmp_path / "tree"), str(tmp_path / "elsewhere/deedlog"))


@pytest.mark.proves("store:place:shared")
def test_the_work_trees_of_a_bare_repository_share_its_store(repo: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    subprocess.run(["git", "clone", "--quiet", "--bare", str(repo), str(bare)], check=True)
    git(bare, "worktree", "add", "--quiet", str(tmp_path / "one"), "main")
    git(bare, "worktree", "add", "--quiet", str(tmp_path / "two"), "-b", "two")
    one, two = find(str(tmp_path / "one")), find(str(tmp_path / "two"))
    assert one.store == two.store == str(bare / "deedlog")
    assert (one.root, two.root) == (str(tmp_path / "one"), str(tmp_path / "two"))


def test_a_link_to_a_folder_finds_the_same_project(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(repo)
    assert find(str(tmp_path / "link")) == find(str(repo))


@pytest.mark.proves("store:place:chosen")
def test_a_store_may_be_named(repo: Path, tmp_path: Path) -> None:
    assert find(str(repo), str(tmp_path / "here")).store == str(tmp_path / "here")


@pytest.mark.proves("store:place:without-git")
def test_a_folder_without_git_is_a_project_once_it_is_prepared(tmp_path: Path) -> None:
    (tmp_path / "plain/sub").mkdir(parents=True)
    with pytest.raises(NotFound, match="not in a project") as refused:
        find(str(tmp_path / "plain/sub"))
    assert refused.value.part is Part.CONFIGURATION
    project.make_folder(str(tmp_path / "plain"))
    found = find(str(tmp_path / "plain/sub"))
    assert (found.git_dir, found.root) == (None, str(tmp_path / "plain"))
    assert found.store == str(tmp_path / "plain/.deedlog/store")


AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
NOBODY = 65534


@AS_ROOT
@pytest.mark.proves("store:place:foreign")
def test_a_folder_another_user_prepared_above_ours_is_passed_by(tmp_path: Path) -> None:
    (tmp_path / "shared/mine").mkdir(parents=True)
    project.make_folder(str(tmp_path / "shared"))
    assert find(str(tmp_path / "shared/mine")).root == str(tmp_path / "shared")
    os.chown(tmp_path / "shared/.deedlog", NOBODY, -1)
    with pytest.raises(NotFound, match="not in a project"):
        find(str(tmp_path / "shared/mine"))


@AS_ROOT
@pytest.mark.proves("store:place:foreign")
@pytest.mark.parametrize("part", [".git", ".git/deedlog"])
def test_a_store_another_user_prepared_is_only_used_when_it_is_named(repo: Path, part: str) -> None:
    bootstrap.open_database(load(str(repo), {})).close()
    os.chown(repo / part, NOBODY, -1)
    with pytest.raises(Denied, match="belongs to another user") as refused:
        bootstrap.open_database(load(str(repo), {}))
    store = str(repo / ".git/deedlog")
    assert store in refused.value.hint
    bootstrap.open_database(load(str(repo), {"DEEDLOG_STORE": store})).close()


@pytest.mark.parametrize("content", ["", "gitdir: nowhere", "something else", "gitdir:"])
def test_a_git_file_that_leads_nowhere_is_no_repository(tmp_path: Path, content: str) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x/.git").write_text(content)
    with pytest.raises(NotFound):
        find(str(tmp_path / "x"))


@pytest.mark.proves("store:place:untracked")
def test_the_project_s_folder_is_kept_out_of_git_s_sight_once(repo: Path) -> None:
    (repo / ".git/info").mkdir(exist_ok=True)
    (repo / ".git/info/exclude").write_text("*.log")
    for _ in range(2):
        make_state(find(str(repo)))
    assert (repo / ".git/info/exclude").read_text() == "*.log\n/.deedlog/\n"
    (repo / ".deedlog/file").write_text("x")
    status = subprocess.run(["git", "-C", str(repo), "status", "--porcelain"], check=True, capture_output=True)
    assert status.stdout == b""


@pytest.mark.proves("store:place:network")
def test_a_network_file_system_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(
        "/dev/x / ext4 rw 0 0\nserver:/x /mnt/my\\040share nfs4 rw 0 0\n/dev/y /mnt/my\\040share/in xfs rw 0 0\n"
    )
    kind = project._file_system
    assert kind("/mnt/my share/a", str(mounts)) == "nfs4"
    assert kind("/mnt/my share/in/a", str(mounts)) == "xfs"
    assert kind("/mnt/my sharether", str(mounts)) == "ext4"
    refuse_network_folder(str(tmp_path))
    monkeypatch.setattr(project, "_file_system", lambda path: kind(path, str(mounts)))
    with pytest.raises(Unavailable, match="network file system") as refused:
        refuse_network_folder("/mnt/my share/store")
    assert refused.value.part is Part.DATABASE
