"""Files that cannot be looked at, and files of ours that cannot be written."""

from __future__ import annotations

import os
import resource
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deedlog.core.errors import Part, Unavailable
from deedlog.git.pack import Pack
from deedlog.snapshots import TreeSnapshots
from tests.engines.git.child import called
from tests.engines.git.repo import Repo

pytestmark = pytest.mark.proves("track:change:special")

SHUT, LISTABLE = 0o000, 0o644  # neither lets anybody look at the files


@contextmanager
def closed(folder: Path, mode: int) -> Iterator[None]:
    folder.chmod(mode)
    try:
        yield
    finally:
        folder.chmod(0o755)


@pytest.mark.parametrize("mode", [SHUT, LISTABLE])
@pytest.mark.parametrize("path", ["d/f.ts", "src/u.ts"])
def test_what_is_in_a_folder_that_was_closed_is_taken_to_be_as_it_was(repo: Repo, path: str, mode: int) -> None:
    repo.write(path, "before\n")
    called(repo, "take", "start")
    repo.append("auth.ts")
    with closed((repo.path / path).parent, mode):
        end = called(repo, "take", "end")
        told = called(repo, "compare", "start", "end")
    assert told["changes"] == {"auth.ts": "modified"}
    assert [text for text in end["warnings"] if "out of reach" in text and path in text]


@pytest.mark.parametrize("mode", [SHUT, LISTABLE])
def test_a_folder_that_was_closed_all_the_time(repo: Repo, mode: int) -> None:
    repo.write("d/f.ts")
    with closed(repo.path / "d", mode):
        called(repo, "take", "start")
        repo.append("auth.ts")
        called(repo, "take", "end")
        told = called(repo, "compare", "start", "end")
    assert told["changes"] == {"auth.ts": "modified"}


def test_what_was_changed_before_its_folder_was_closed_and_opened_again_is_found(repo: Repo) -> None:
    repo.write("d/f.ts", "before\n")
    called(repo, "take", "start")
    with closed(repo.path / "d", SHUT):
        called(repo, "take", "during")
    repo.write("d/f.ts", "after\n")
    called(repo, "take", "end")
    assert called(repo, "compare", "start", "end")["changes"] == {"d/f.ts": "modified"}


def test_a_path_too_long_for_the_system(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    called(repo, "take", "start")
    here = Path.cwd()
    monkeypatch.chdir(repo.path)
    for _ in range(20):
        os.mkdir("f" * 200)
        os.chdir("f" * 200)
    Path("deep.ts").write_text("deep\n")
    os.chdir(here)
    repo.append("auth.ts")
    end = called(repo, "take", "end")
    told = called(repo, "compare", "start", "end")
    shutil.rmtree(repo.path / ("f" * 200))
    assert told["changes"].pop("auth.ts") == "modified"
    assert list(told["changes"].values()) == ["added"]
    assert [text for text in end["warnings"] if "out of reach" in text]


def no_room(objects: Path) -> None:
    (objects / "pack").mkdir()
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))


def no_folder(objects: Path) -> None:
    (objects / "pack").write_text("in the way\n")


@pytest.mark.parametrize("hinder", [no_room, no_folder])
def test_contents_that_cannot_be_written_are_refused_and_leave_nothing(
    tmp_path: Path, hinder: Callable[[Path], None]
) -> None:
    objects = tmp_path / "objects"
    objects.mkdir()
    pack = Pack("sha1")
    pack.add(b"blob", b"x" * 5000)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    hinder(objects)
    try:
        with pytest.raises(Unavailable, match="cannot be written"):
            pack.write(str(objects))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert [path for path in objects.rglob("*") if path.name != "pack"] == []


@pytest.mark.parametrize("name", ["objects", "refresh.lock"])
def test_a_file_of_ours_that_is_in_the_way_is_refused_in_words(repo: Repo, tmp_path: Path, name: str) -> None:
    snapshots = TreeSnapshots(repo.tree, str(tmp_path / "elsewhere"))
    snapshots.take("start", repo.tree)
    (folder,) = (tmp_path / "elsewhere" / "trees").iterdir()
    place = folder / name
    if place.is_dir():
        shutil.rmtree(place)
        place.touch()
    else:
        place.unlink()
        place.mkdir()
        (folder / "index.known").unlink()  # so that it is needed
    with pytest.raises(Unavailable, match="cannot be read or kept") as refusal:
        snapshots.take("end", repo.tree)
    assert refusal.value.part is Part.GIT
