"""Links in a work tree, brought by a repository or left by a worker, open nothing that lies outside of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from deedlog.workers import landlock
from deedlog.workers.ground import ground, is_plain, opened
from tests.engines.workers.test_sandbox import Sandboxed, box, kind, refused

__all__ = ["box", "kind"]  # fixtures

NARROW = {"write": ["src/**", "new/deep/**"], "exclude": ["src/shut/**"]}
TARGETS = ("../../../.git", "../../../../store", "../../../../home/.ssh")


def link(box: Sandboxed, name: str, target: str) -> None:
    """Let the repository track a link, in the worker's tree and on its branch."""
    (box.tree / name).parent.mkdir(parents=True, exist_ok=True)
    (box.tree / name).symlink_to(target)
    box.git("-C", str(box.tree), "add", "--force", name)
    box.git("-C", str(box.tree), "commit", "--quiet", "--message=link")


def secrets(box: Sandboxed) -> None:
    (box.home / ".ssh").mkdir()
    for path in (box.home / ".ssh/id", box.store / "id", box.root / ".git/id"):
        path.write_text("the secret\n")


@pytest.mark.proves("worker:scope:links")
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["out", "src/sub", "new"])
def test_a_tracked_link_opens_nothing(box: Sandboxed, kind: str, name: str, target: str) -> None:
    secrets(box)
    up = "../" * name.count("/")
    link(box, name, up + target)
    said = box.work(kind, f"write {name}/evil x", f"write {name}/deep/evil x", f"run cat {name}/id", scope=NARROW)
    assert refused(said) == [f"{name}/evil", f"{name}/deep/evil"]
    assert "the secret" not in "\n".join(said) or target == TARGETS[0]  # the user's repository can be read
    assert not list(box.folder.rglob("evil"))
    assert not (box.root / ".git/deep").exists()


@pytest.mark.proves("worker:scope:links")
def test_the_folder_of_a_scope_that_is_a_link_stays_shut(box: Sandboxed, kind: str) -> None:
    box.git("-C", str(box.tree), "rm", "-rq", "src")
    link(box, "src", "../../../.git")
    said = box.work(kind, "write src/hooks/evil x", "write new/deep/fine x", scope=NARROW)
    assert refused(said) == ["src/hooks/evil"]
    assert (box.tree / "new/deep/fine").exists()


@pytest.mark.proves("worker:scope:links")
def test_an_excluded_link_hides_nothing_and_shows_nothing(box: Sandboxed, kind: str) -> None:
    secrets(box)
    link(box, "src/shut", "../../../../../home/.ssh")
    said = box.work(kind, "run cat src/shut/id", "write src/shut/evil x", "write src/a.txt after", scope=NARROW)
    assert refused(said) == ["src/shut/evil"]
    assert "the secret" not in "\n".join(said)


def test_neither_git_nor_deedlog_s_own_folder_is_open_because_it_is_ignored(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text(".git/\n.deedlog/\nbuild/\n")
    (tmp_path / ".deedlog").mkdir()
    assert opened(ground(str(tmp_path), {"write": ["src/**", ".deedlog/**"]})) == [
        str(tmp_path / "src"),
        str(tmp_path / "build"),
    ]


@pytest.mark.parametrize("target", ["/dev/zero", "/etc/hostname"])
def test_a_list_of_ignored_files_that_is_a_link_or_a_pipe_is_not_read(tmp_path: Path, target: str) -> None:
    (tmp_path / ".gitignore").symlink_to(target)
    assert opened(ground(str(tmp_path), {"write": ["src/**"]})) == [str(tmp_path / "src")]
    (tmp_path / ".gitignore").unlink()
    os.mkfifo(tmp_path / ".gitignore")
    assert opened(ground(str(tmp_path), {"write": ["src/**"]})) == [str(tmp_path / "src")]


def test_no_folder_is_made_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "tree/real").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (tmp_path / "tree/away").symlink_to(tmp_path / "outside")
    (tmp_path / "tree/near").symlink_to("real")
    (tmp_path / "tree/file").touch()
    tree = str(tmp_path / "tree")
    names = ["away", "away/x", "near", "near/x", "file", "file/x"]
    assert [name for name in names if is_plain(tree, name, make=True)] == []
    assert list((tmp_path / "outside").iterdir()) == list((tmp_path / "tree/real").iterdir()) == []
    assert is_plain(tree, "real/x/y", make=True)
    assert is_plain(tree, "file")
    assert not is_plain(tree, "none")


def test_landlock_allows_nothing_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "real/x").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real")
    for name, is_allowed in (("real", True), ("real/x", True), ("link", False), ("link/x", False), ("none", False)):
        file = landlock.plain(str(tmp_path / name))
        assert (file >= 0) is is_allowed
        if file >= 0:
            os.close(file)


def test_a_link_in_place_of_the_tree_s_git_is_replaced_and_not_followed(box: Sandboxed) -> None:
    precious = box.home / ".profile"
    (box.tree / ".git").unlink()
    (box.tree / ".git").symlink_to(precious)
    box.work("none", "print done")
    assert precious.read_text() == "mine\n"
