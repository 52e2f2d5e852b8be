"""Where a project is found, from every kind of folder git knows."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
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


def led_to(folder: Path, git_dir: Path, *, link: bool = False) -> Path:
    folder.mkdir()
    if link:
        (folder / ".git").symlink_to(git_dir)
    else:
        (folder / ".git").write_text(f"gitdir: {git_dir}\n")
    return folder


@pytest.mark.proves("store:place:foreign")
def test_a_folder_that_says_it_belongs_to_another_s_repository_is_no_part_of_it(repo: Path, tmp_path: Path) -> None:
    library = tmp_path / "library"
    subprocess.run(["git", "clone", "--quiet", str(repo), str(library)], check=True)
    git(repo, "submodule", "--quiet", "add", str(library), "vendor/library")
    git(repo, "worktree", "add", "--quiet", str(tmp_path / "linked"), "-b", "other")
    for folder in (
        led_to(tmp_path / "main", repo / ".git"),
        led_to(tmp_path / "link", repo / ".git", link=True),
        led_to(tmp_path / "tree", repo / ".git/worktrees/linked"),
        led_to(tmp_path / "module", repo / ".git/modules/vendor/library"),
    ):
        with pytest.raises(Denied, match=r"\.git leads to the repository of "):
            find(str(folder))
        assert find(str(folder), str(tmp_path / "named")).store == str(tmp_path / "named")


@pytest.mark.proves("store:place:shared")
def test_a_work_tree_that_was_moved_still_finds_its_store(repo: Path, tmp_path: Path) -> None:
    git(repo, "worktree", "add", "--quiet", str(tmp_path / "linked"), "-b", "other")
    (tmp_path / "linked").rename(tmp_path / "moved")
    assert find(str(tmp_path / "moved")).store == find(str(repo)).store


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
        load(str(repo), {}).the_project()
    store = str(repo / ".git/deedlog")
    assert store in refused.value.hint
    bootstrap.open_database(load(str(repo), {"DEEDLOG_STORE": store})).close()


@pytest.mark.parametrize("content", ["", "gitdir: nowhere", "something else", "gitdir:"])
def test_a_git_file_that_leads_nowhere_is_no_repository(tmp_path: Path, content: str) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x/.git").write_text(content)
    with pytest.raises(NotFound):
        find(str(tmp_path / "x"))


def status(folder: Path) -> str:
    words = ["git", "-C", str(folder), "status", "--porcelain", "--untracked-files=all"]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


@pytest.mark.proves("store:place:untracked")
def test_git_sees_nothing_of_the_project_s_folder_but_its_configuration(repo: Path) -> None:
    rules = repo / ".git/info/exclude"
    before = rules.read_bytes() if rules.exists() else None
    for _ in range(2):
        make_state(find(str(repo)))
        assert status(repo) == ""
    for name in ("file", "logs/errors.log", "worktrees/task-5/config.toml"):
        (repo / ".deedlog" / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / ".deedlog" / name).write_text("x")
    assert status(repo) == ""
    (repo / ".deedlog/config.toml").write_text("")
    assert status(repo) == "?? .deedlog/config.toml\n"
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--message=areas")
    assert status(repo) == ""
    assert (rules.read_bytes() if rules.exists() else None) == before


@pytest.mark.proves("store:place:untracked")
def test_what_somebody_else_wrote_about_ignoring_is_left_alone(repo: Path) -> None:
    (repo / ".deedlog").mkdir()
    (repo / ".deedlog/.gitignore").write_text("logs/\n")
    make_state(find(str(repo)))
    assert (repo / ".deedlog/.gitignore").read_text() == "logs/\n"


@pytest.mark.proves("store:place:untracked")
@pytest.mark.parametrize(("old", "new"), [("/.deedlog/\n", ""), ("# é\r\n/.deedlog/\r\n*.log", "# é\r\n*.log")])
def test_the_line_of_an_earlier_version_is_taken_out_of_git_s_own_file(repo: Path, old: str, new: str) -> None:
    rules = repo / ".git/info/exclude"
    rules.parent.mkdir(exist_ok=True)
    rules.write_bytes(old.encode("latin-1"))
    rules.chmod(0o640)
    assert project.drop_exclusion(find(str(repo)))
    assert not project.drop_exclusion(find(str(repo)))
    assert rules.read_bytes() == new.encode("latin-1")
    assert rules.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in rules.parent.iterdir() if path.name.startswith("exclude.")] == []


def home(folder: Path) -> dict[str, str]:
    """The environment of a user whose home is beside a folder."""
    return {"HOME": str(folder.parent / "home")}


def a_folder_with_a_store(folder: Path) -> Path:
    """A project that was no repository when its store was made."""
    folder.mkdir()
    project.make_folder(str(folder))
    bootstrap.open_database(load(str(folder), home(folder))).close()
    return folder


@pytest.fixture(params=[0o022, 0o077])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


@pytest.mark.proves("store:place:became-git", "store:place:untracked")
@pytest.mark.usefixtures("umask")
def test_a_folder_that_becomes_a_repository_keeps_its_store_in_every_work_tree(tmp_path: Path) -> None:
    folder = a_folder_with_a_store(tmp_path / "plain")
    (folder / "a.txt").write_text("a")
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    git(folder, "add", "--all")
    assert status(folder) == "A  a.txt\n"
    git(folder, "commit", "--quiet", "--message=first")
    git(folder, "worktree", "add", "--quiet", "../linked")
    store = str(folder / ".deedlog/store")
    for tree in (folder, tmp_path / "linked"):
        found = find(str(tree))
        assert (found.store, found.git_dir) == (store, str(folder / ".git"))
        assert project.unused_store(found) == ""
        assert load(str(tree), home(folder)).the_project().store == store


@pytest.mark.proves("store:place:became-git")
def test_of_two_stores_git_s_own_is_used_and_the_other_is_named(tmp_path: Path) -> None:
    folder = a_folder_with_a_store(tmp_path / "plain")
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    bootstrap.open_database(load(str(folder), {"DEEDLOG_STORE": str(folder / ".git/deedlog")})).close()
    found = find(str(folder))
    assert found.store == str(folder / ".git/deedlog")
    assert project.unused_store(found) == str(folder / ".deedlog/store")


@pytest.mark.proves("store:place:foreign", "store:place:became-git")
@pytest.mark.usefixtures("umask")
def test_a_store_that_came_with_a_clone_is_not_used(tmp_path: Path) -> None:
    folder = a_folder_with_a_store(tmp_path / "theirs")
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    git(folder, "add", "--force", ".deedlog/store")
    git(folder, "commit", "--quiet", "--message=first")
    subprocess.run(["git", "clone", "--quiet", str(folder), str(tmp_path / "mine")], check=True)
    assert (tmp_path / "mine/.deedlog/store/ledger.db").is_file()
    found = find(str(tmp_path / "mine"))
    assert found.store == str(tmp_path / "mine/.git/deedlog")
    assert project.unused_store(found) == str(tmp_path / "mine/.deedlog/store")


@pytest.mark.proves("store:place:foreign")
def test_a_link_in_the_place_of_the_store_is_not_followed(repo: Path, tmp_path: Path) -> None:
    other = a_folder_with_a_store(tmp_path / "other")
    make_state(find(str(repo)))
    (repo / ".deedlog/store").symlink_to(other / ".deedlog/store")
    assert find(str(repo)).store == str(repo / ".git/deedlog")


@pytest.mark.proves("store:place:untracked")
def test_a_store_in_a_folder_that_came_without_rules_is_hidden_too(tmp_path: Path) -> None:
    folder = tmp_path / "unpacked"
    (folder / ".deedlog").mkdir(parents=True)
    bootstrap.open_database(load(str(folder), home(folder))).close()
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    assert status(folder) == ""


@pytest.mark.proves("store:place:shared")
def test_a_configuration_inside_a_repository_makes_no_project_of_its_own(repo: Path) -> None:
    (repo / "vendor/.deedlog").mkdir(parents=True)
    (repo / "vendor/.deedlog/config.toml").write_text("")
    assert find(str(repo / "vendor")).root == str(repo)
    bootstrap.open_database(load(str(repo / "vendor"), {})).close()
    assert (repo / ".git/deedlog/ledger.db").is_file()


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
