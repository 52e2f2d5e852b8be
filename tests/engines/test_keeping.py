"""The folder in which the engines keep the snapshots of a work tree."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import NoReturn

import pytest

from deedlog.core.errors import NotFound, Part, Unavailable
from deedlog.keeping import GRACE, TreeFolder

HOLDER = """
import sys
from deedlog.keeping import TreeFolder
with TreeFolder(*sys.argv[1:]).lock():
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def kept(tmp_path: Path) -> TreeFolder:
    return TreeFolder(str(tmp_path / "trees"), str(tmp_path))


def grow_old(kept: TreeFolder, *names: str) -> None:
    long_ago = time.time() - GRACE - 1
    for name in names:
        os.utime(kept.path(f"snapshots/{name}"), (long_ago, long_ago))


def test_what_is_written_is_read_back(kept: TreeFolder) -> None:
    kept.write("snap-1", b"one")
    kept.write("snap-2", b"")
    assert (kept.read("snap-1"), kept.read("snap-2")) == (b"one", b"")
    assert kept.ids() == ["snap-1", "snap-2"]


def test_it_is_for_its_owner_alone(kept: TreeFolder) -> None:
    kept.write("snap-1", b"names of files")
    assert stat.S_IMODE(os.stat(kept.path("snapshots/snap-1")).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(kept.path("snapshots")).st_mode) == 0o700


def test_every_way_to_a_tree_leads_to_the_same_folder(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "link").symlink_to("tree")
    names = ["tree", "link", "tree/../tree/"]
    found = {TreeFolder("trees", str(tmp_path / name)).folder for name in names}
    assert len(found) == 1
    assert TreeFolder("trees", str(tmp_path)).folder not in found


@pytest.mark.parametrize("name", ["snap-2", "../snapshots/snap-1", "snapshots/snap-1", "", ".", "snap-1.tmp"])
def test_what_is_not_there_is_named(kept: TreeFolder, name: str) -> None:
    kept.write("snap-1", b"one")
    with pytest.raises(NotFound) as refused:
        kept.read(name)
    assert refused.value.data == {"snapshot_id": name}


def test_a_torn_snapshot_is_as_good_as_lost(kept: TreeFolder) -> None:
    kept.write("snap-1", b"something")
    path = Path(kept.path("snapshots/snap-1"))
    whole = path.read_bytes()
    for damaged in [*(whole[:size] for size in range(len(whole))), whole + b"x", b"\0" * len(whole)]:
        path.write_bytes(damaged)
        with pytest.raises(NotFound, match="is damaged") as refused:
            kept.read("snap-1")
        assert refused.value.data == {"snapshot_id": "snap-1"}


def test_a_write_that_fails_leaves_what_was_there(kept: TreeFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> NoReturn:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    kept.write("snap-1", b"one")
    for name in ("write", "fsync", "replace"):
        with monkeypatch.context() as broken:
            broken.setattr(os, name, full)
            with pytest.raises(Unavailable, match="cannot be written: No space left") as refused:
                kept.write("snap-1", b"two")
        assert (refused.value.part, bool(refused.value.hint)) == (Part.DATABASE, True)
    assert kept.read("snap-1") == b"one"
    assert os.listdir(kept.path("snapshots")) == ["snap-1"]


def test_what_is_old_and_not_to_be_kept_is_forgotten(kept: TreeFolder) -> None:
    for name in ("kept-1", "old-1", "old-2", "young-1"):
        kept.write(name, b"x")
    grow_old(kept, "kept-1", "old-1", "old-2")
    assert kept.forget(["kept-1"]) == ["old-1", "old-2"]
    assert kept.ids() == ["kept-1", "young-1"]


def test_what_is_done_is_forgotten_at_once_unless_it_is_to_be_kept(kept: TreeFolder) -> None:
    for name in ("kept-1", "done-1", "other-1"):
        kept.write(name, b"x")
    assert kept.forget(["kept-1"], ["done-1", "kept-1"]) == ["done-1"]
    assert kept.ids() == ["kept-1", "other-1"]


def test_what_a_killed_call_left_half_written_goes_when_it_is_old(kept: TreeFolder) -> None:
    kept.write("snap-1", b"x")
    for name in ("old-1.7-ab.tmp", "new-1.7-ab.tmp", "../newest.7-ab.tmp"):
        Path(kept.path(f"snapshots/{name}")).write_bytes(b"half")
    grow_old(kept, "old-1.7-ab.tmp", "../newest.7-ab.tmp")
    assert kept.ids() == ["snap-1"]
    assert kept.forget([]) == []
    assert sorted(os.listdir(kept.path("snapshots"))) == ["new-1.7-ab.tmp", "snap-1"]
    assert os.listdir(kept.folder) == ["snapshots"]


def test_nothing_to_forget_is_no_failure(kept: TreeFolder) -> None:
    assert kept.forget([]) == []
    assert kept.ids() == []


@pytest.mark.parametrize("links", [True, False])
def test_what_is_shared_outlives_the_snapshot(
    *, kept: TreeFolder, links: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*_: object) -> NoReturn:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    if not links:
        monkeypatch.setattr(os, "link", no_links)
    assert kept.shared("newest") is None
    for name in ("snap-1", "snap-2"):
        kept.write(name, name.encode())
        kept.share(name, "newest")
    kept.forget([], ["snap-1", "snap-2"])
    assert kept.shared("newest") == b"snap-2"
    Path(kept.path("newest")).write_bytes(b"rubbish")
    assert kept.shared("newest") is None


def test_a_lock_keeps_others_out_until_its_holder_ends(kept: TreeFolder, tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path / "trees"), str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(Unavailable, match=f"process {holder.pid} has held") as refused, kept.lock(seconds=0.05):
            pass
        assert f"kill -CONT {holder.pid}" in refused.value.hint
        holder.kill()
        with kept.lock():
            assert holder.wait() < 0
    with kept.lock(seconds=0):
        pass
