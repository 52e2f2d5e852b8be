"""Folders that change while they are looked at, files nobody may read, snapshots that are lost."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from deedlog import project
from deedlog.core.errors import NotFound, Part, Unavailable
from deedlog.files import checksum, reading, walker
from deedlog.files.checksum import ChecksumSnapshots
from deedlog.files.ignore import Rules
from deedlog.files.manifest import KEY, RACY, READ, Manifest, mark
from deedlog.files.reading import MILLISECOND, SECOND, Window
from deedlog.keeping import TreeFolder
from tests.engines.folder import Folder, statuses

NOBODY = 65534
NOW = 1_736_935_200 * SECOND + 123


@pytest.fixture
def tree(tmp_path: Path) -> Folder:
    made = Folder(tmp_path)
    for name in ("a.txt", "b.txt", "src/c.txt"):
        made.write(name, f"this is {name}\n")
    return made


def kept(tree: Folder, snapshot_id: str) -> Manifest:
    found = Manifest.decode(TreeFolder(str(tree.trees), str(tree.path)).read(snapshot_id))
    assert found
    return found


class EverythingIsRacy(Window):
    def __init__(self, start: int, *, network: bool) -> None:
        super().__init__(start - 3600 * SECOND, network=network)


class NothingIsRacy(Window):
    def __init__(self, start: int, *, network: bool) -> None:
        super().__init__(start + 3600 * SECOND, network=network)


def test_content_decides_where_the_clock_is_too_coarse_to_tell(tree: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    def without_times(found: os.stat_result) -> bytes:
        return KEY.pack(found.st_size, 1, 1, found.st_ino, found.st_mode)

    for module in (walker, reading):
        monkeypatch.setattr(module, "key", without_times)
    monkeypatch.setattr(checksum, "Window", EverythingIsRacy)
    tree.take()
    tree.write("a.txt", "THIS IS a.txt\n")
    assert tree.changed() == {"a.txt": "modified"}


@pytest.mark.parametrize(
    ("age", "whole_seconds", "network", "racy"),
    [
        (0, False, False, True),
        (-5 * SECOND, False, False, True),
        (19 * MILLISECOND, False, False, True),
        (21 * MILLISECOND, False, False, False),
        (1900 * MILLISECOND, False, True, True),
        (2100 * MILLISECOND, False, True, False),
        (1 * SECOND, True, False, True),
        (3 * SECOND, True, False, False),
    ],
)
def test_a_file_changed_just_before_may_change_again_unseen(
    *, age: int, whole_seconds: bool, network: bool, racy: bool
) -> None:
    changed = NOW - age
    if whole_seconds:
        changed -= changed % SECOND
    long_ago = 1_000 * SECOND
    window = Window(NOW, network=network)
    assert window.racy(long_ago, changed) is racy
    assert window.racy(changed, long_ago) is racy


def test_a_clock_that_was_set_back_makes_one_look_again(tree: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as ahead:
        ahead.setattr(checksum, "Window", NothingIsRacy)
        tree.take()
    tree.take()
    found = kept(tree, "s-1")
    assert {mark(found.entry(path) or b"") for path in found.paths()} <= {READ, RACY}
    tree.write("a.txt", "THIS IS a.txt\n")
    assert tree.changed() == {"a.txt": "modified"}


def while_reading(monkeypatch: pytest.MonkeyPatch, happens: Callable[[int], None]) -> None:
    """Let something happen after the content was read, told how often that was."""
    digest = reading._digest
    times = iter(range(99))

    def read_then(file: int, size: int) -> bytes:
        found = digest(file, size)
        happens(next(times))
        return found

    monkeypatch.setattr(reading, "_digest", read_then)


def test_a_file_written_to_while_it_is_read_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = Folder(tmp_path)
    tree.write("a.txt", "old\n")
    while_reading(monkeypatch, lambda times: tree.write("a.txt", "new\n") if times == 0 else None)
    tree.take()
    monkeypatch.undo()
    tree.write("a.txt", "new\n")
    assert tree.changed() == {}


def test_a_file_that_never_rests_is_not_read_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = Folder(tmp_path)
    tree.write("a.txt", "0\n")
    seen: list[int] = []

    def write(times: int) -> None:
        tree.write("a.txt", f"{times}\n")
        seen.append(times)

    while_reading(monkeypatch, write)
    tree.take()
    assert len(seen) == 3
    entry = kept(tree, "s-0").entry("a.txt")
    assert entry
    assert mark(entry) == RACY
    monkeypatch.undo()
    tree.write("a.txt", "at rest\n")
    assert tree.changed() == {"a.txt": "modified"}


def test_a_file_that_becomes_a_pipe_or_a_link_before_it_is_read_is_seen_as_that(
    tree: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.take()

    def before_reading(*_: object) -> None:
        for name in ("a.txt", "b.txt"):
            tree.remove(name)
        os.mkfifo(tree.at("a.txt"))
        os.symlink("src", tree.at("b.txt"))

    tree.write("a.txt", "else\n")
    tree.write("b.txt", "else\n")
    between(monkeypatch, before_reading)
    assert tree.changed() == {"a.txt": "deleted", "b.txt": "modified"}


def between(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], None]) -> None:
    """Let something happen after the walk, before contents are read."""
    reads = walker.Walk._read

    def happen_then_read(walk: walker.Walk) -> None:
        happens()
        reads(walk)

    monkeypatch.setattr(walker.Walk, "_read", happen_then_read)


def after_listing(monkeypatch: pytest.MonkeyPatch, folder: str, happens: Callable[[], None]) -> None:
    """Let something happen after a folder was listed, before its files are looked at."""
    suspect = Rules.suspect

    def listed(rules: Rules, inside: str, names: list[str]) -> set[str]:
        if inside == folder:
            happens()
        return suspect(rules, inside, names)

    monkeypatch.setattr(Rules, "suspect", listed)


def test_what_vanishes_during_the_walk_is_not_there(tree: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.take()

    def vanish() -> None:
        tree.remove("a.txt")
        shutil.rmtree(tree.at("src"))

    after_listing(monkeypatch, "", vanish)
    assert tree.changed() == {"a.txt": "deleted", "src/c.txt": "deleted"}


def test_a_link_that_goes_or_becomes_a_file_while_it_is_looked_at(
    tree: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("gone", "replaced"):
        os.symlink("a.txt", tree.at(name))
    tree.take()
    readlink = os.readlink

    def replace_then_read(path: str) -> str:
        os.unlink(path)
        if path.endswith("replaced"):
            tree.write("replaced")
        return readlink(path)

    monkeypatch.setattr(os, "readlink", replace_then_read)
    assert tree.changed() == {"gone": "deleted", "replaced": "modified"}


def test_what_vanishes_before_it_is_read_is_not_there(tree: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.write("new.txt")
    between(monkeypatch, lambda: tree.remove("new.txt"))
    tree.take()
    assert kept(tree, "s-0").entry("new.txt") is None


def test_a_folder_that_is_gone_is_refused(tree: Folder) -> None:
    tree.take()
    tree.path.rename(tree.path.parent / "elsewhere")
    with pytest.raises(Unavailable, match=r"the folder .*tree is not there") as refused:
        tree.take()
    assert refused.value.part is Part.GIT
    assert refused.value.hint


def test_a_folder_that_goes_during_the_walk_did_not_lose_its_files(
    tree: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree.take()
    after_listing(monkeypatch, "", lambda: os.rename(tree.path, tree.path.parent / "elsewhere"))
    with pytest.raises(Unavailable, match="is not there"):
        tree.take()


def test_a_file_in_the_place_of_the_folder_is_refused(tree: Folder) -> None:
    shutil.rmtree(tree.path)
    tree.path.write_text("a file")
    with pytest.raises(Unavailable, match="is not there"):
        tree.take()


@pytest.fixture
def reachable() -> Iterator[Path]:
    """A folder other users can get to, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    subprocess.run(["chmod", "-R", "u+rwx", str(folder)], check=True)
    shutil.rmtree(folder)


def as_ordinary_user(place: Path, story: Callable[[Path], None]) -> str:
    """Run it in a child for whom permissions count; what it prints."""
    code = (
        "import os; from pathlib import Path; from tests.engines import test_checksum_hard as told; told.rehearse();"
        f"os.geteuid() or (os.chown({str(place)!r}, {NOBODY}, {NOBODY}), os.setuid({NOBODY}));"
        f"told.{story.__name__}(Path({str(place)!r}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def rehearse() -> None:
    """Import what is needed while Python's own files can be read."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Folder(Path(folder))
        tree.take()
        tree.end()


def unreadable_files(place: Path) -> None:
    tree = Folder(place)
    for name in ("closed", "edited", "grown"):
        tree.write(name)
        os.chmod(tree.at(name), 0)
    tree.take()
    for name, content in (("edited", "CONTENT\n"), ("grown", "much more content\n")):
        os.chmod(tree.at(name), stat.S_IRUSR | stat.S_IWUSR)
        tree.write(name, content)
        os.chmod(tree.at(name), 0)
    for change in tree.end().changes:
        sys.stdout.write(f"{change.path} {change.status} {change.note}\n")


def test_a_file_nobody_may_read_is_compared_by_what_is_known_of_it(reachable: Path) -> None:
    assert as_ordinary_user(reachable, unreadable_files).splitlines() == [
        "edited modified could not be verified",
        "grown modified ",
    ]


def closed_folders(place: Path) -> None:
    tree = Folder(place)
    for name in ("closed/x", "closed/deep/y", "listed/x", "listed/deep/y", "open/x"):
        tree.write(name)
    tree.take()
    tree.remove("open/x")
    os.chmod(tree.at("closed"), 0)
    os.chmod(tree.at("listed"), 0o600)
    for line in tree.take().warnings:
        sys.stdout.write(f"{line}\n")
    found = tree.compare()
    sys.stdout.write(f"{statuses(found)} {found.warnings}\n")
    os.chmod(tree.path, 0)
    try:
        tree.take()
    except Unavailable as error:
        sys.stdout.write(f"{error.message}\n")


def test_a_folder_that_was_closed_did_not_lose_its_files(reachable: Path) -> None:
    warning = "2 folder(s) cannot be read, what changes there is not seen: closed, listed"
    assert as_ordinary_user(reachable, closed_folders).splitlines() == [
        warning,
        f"{ {'open/x': 'deleted'} } {[warning]}",
        f"the folder {reachable}/tree is not there, or cannot be read",
    ]


def test_what_was_never_read_is_told_with_a_note_if_it_may_have_changed(
    tree: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checksum, "Window", NothingIsRacy)
    monkeypatch.setattr(walker, "BUDGET", 0)
    tree.take()
    tree.touch("a.txt")
    tree.write("b.txt", "longer than before\n")
    found = tree.end()
    assert [(change.path, change.status, change.note) for change in found.changes] == [
        ("a.txt", "modified", "could not be verified"),
        ("b.txt", "modified", ""),
    ]
    assert found.warnings == ["1 file(s) were written to, whether they changed could not be verified: a.txt"]


def test_the_smallest_files_are_read_first_and_the_rest_later(tree: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checksum, "Window", NothingIsRacy)
    for name, size in (("large", 3_000), ("small", 10), ("middle", 200)):
        tree.write(f"sizes/{name}", b"x" * size)
    monkeypatch.setattr(walker, "BUDGET", 2 * walker.OPENING + 300)
    for expected in ({"a.txt", "sizes/small"}, {"a.txt", "b.txt", "sizes/small", "src/c.txt"}):
        tree.take()
        found = kept(tree, tree.ids[-1])
        assert {path for path in found.paths() if mark(found.entry(path) or b"")} == expected


def test_a_snapshot_between_may_know_what_the_first_does_not(tree: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checksum, "Window", NothingIsRacy)
    monkeypatch.setattr(walker, "BUDGET", 0)
    tree.take()
    monkeypatch.setattr(walker, "BUDGET", 1 << 20)
    tree.take()
    tree.touch("a.txt")
    tree.write("b.txt", "THIS IS b.txt\n")
    found = tree.end()
    assert [(change.path, change.note) for change in found.changes] == [("b.txt", "")]
    assert found.touched == [[], ["b.txt"]]


def test_a_lost_snapshot_is_named(tree: Folder) -> None:
    tree.take()
    tree.ids.append("s-lost")
    with pytest.raises(NotFound) as refused:
        tree.compare()
    assert refused.value.data == {"snapshot_id": "s-lost"}


def test_a_snapshot_of_another_engine_is_as_good_as_lost(tree: Folder) -> None:
    tree.take()
    TreeFolder(str(tree.trees), str(tree.path)).write("s-git", b"something of git's")
    tree.ids.append("s-git")
    with pytest.raises(NotFound, match="was taken with git") as refused:
        tree.compare()
    assert refused.value.data == {"snapshot_id": "s-git"}


@pytest.mark.parametrize("damage", [b"", b"rubbish", b"deedlog snapshot 1\nrubbish"])
def test_what_was_known_from_before_may_be_damaged(tree: Folder, damage: bytes) -> None:
    tree.take()
    (newest,) = tree.trees.glob("*/newest")
    newest.unlink()
    newest.write_bytes(damage)
    tree.write("a.txt", "changed\n")
    assert tree.changed() == {"a.txt": "modified"}


def test_a_clock_of_another_machine_is_trusted_less(tree: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[bool] = []

    class Noting(Window):
        def __init__(self, start: int, *, network: bool) -> None:
            super().__init__(start, network=network)
            told.append(network)

    monkeypatch.setattr(checksum, "Window", Noting)
    for kind in ("ext4", "nfs4"):
        monkeypatch.setattr(project, "_file_system", lambda _path, kind=kind: kind)
        tree.take()
    assert told == [False, True]


TAKER = """
import sys
from itertools import count
from deedlog.files.checksum import ChecksumSnapshots
engine = ChecksumSnapshots(sys.argv[1])
for number in count():
    engine.take(f"s-of-{sys.argv[3]}-{number}", sys.argv[2])
    print(number, flush=True)
"""


def test_a_process_killed_while_it_takes_one_does_no_harm(tree: Folder) -> None:
    tree.take()
    tree.write("a.txt", "changed\n")
    for killed in range(5):
        command = [sys.executable, "-c", TAKER, str(tree.trees), str(tree.path), str(killed)]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as taker:
            assert taker.stdout
            for _ in range(killed + 1):
                assert taker.stdout.readline()
            taker.kill()
        tree.ids = ["s-0"]
        tree.engine.take("s-last", str(tree.path))
        tree.ids.append("s-last")
        assert statuses(tree.compare()) == {"a.txt": "modified"}
    kept_now = TreeFolder(str(tree.trees), str(tree.path)).ids()
    assert {"s-0", "s-last"} < set(kept_now)
    for name in kept_now:
        tree.ids = ["s-0", name]
        assert statuses(tree.compare()) in ({}, {"a.txt": "modified"})


def test_many_may_take_snapshots_of_one_folder_at_the_same_time(tree: Folder) -> None:
    tree.take()
    tree.write("a.txt", "changed\n")

    def work(worker: int) -> list[dict[str, str]]:
        engine = ChecksumSnapshots(str(tree.trees))
        found = []
        for number in range(5):
            name = f"s-{worker}-{number}"
            engine.take(name, str(tree.path))
            found.append(statuses(engine.compare(str(tree.path), ["s-0", name])))
            engine.forget(str(tree.path), ["s-0"], [name])
        return found

    with ThreadPoolExecutor(4) as pool:
        told = [found for many in pool.map(work, range(4)) for found in many]
    assert told == [{"a.txt": "modified"}] * 20
