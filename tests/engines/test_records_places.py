"""Records in work trees, submodules, hidden and read-only places, and beside very many files."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from deedlog import bootstrap, settings
from deedlog.core.errors import Unavailable
from deedlog.project import make_folder
from deedlog.records.engine import FileRecords
from tests.engines.record_keeping import files, record, wanted

GIT = ["git", "-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "protocol.file.allow=always"]
READ_ONLY = """
import ctypes, os, sys, tempfile
from deedlog.core.errors import DeedlogError
from deedlog.core.errors import Unavailable
from deedlog.records.engine import FileRecords
from tests.engines.record_keeping import record, wanted
tree, store = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:  # imports what is needed while Python's own files can be read
    record(FileRecords(folder, folder), wanted("Rehearsal", Cache_Store="Redis"))
class Header(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]
# permissions count for root too, once it has no capabilities; anybody else loses nothing
assert ctypes.CDLL(None).capset(ctypes.byref(Header(0x20080522, 0)), ctypes.byref((ctypes.c_uint32 * 6)())) == 0
records = FileRecords(tree, store)
print(records.book().architecture.plain())
try:
    record(records, wanted("More", Cache_Store="Redis"))
except DeedlogError as refusal:
    print(refusal.kind, refusal.data["code"])
"""


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """All below a folder cannot be written; it can be removed again afterwards."""
    below = [folder, *folder.rglob("*")]
    modes = [path.stat().st_mode for path in below]
    for path in below:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        yield
    finally:
        for path, mode in zip(below, modes, strict=True):
            path.chmod(mode)


def assert_read_and_refused(tree: Path, store: Path) -> None:
    command = [sys.executable, "-c", READ_ONLY, str(tree), str(store)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "{'Queue': {'Broker': 'Kafka'}}\nunavailable FILESYSTEM_ERROR\n", done.stderr


def opened(folder: Path) -> FileRecords:
    """As a process that stands in this folder has them."""
    records = bootstrap.open_records(settings.load(str(folder), {}, {}))
    assert isinstance(records, FileRecords)
    return records


@pytest.mark.proves("clarify:repo:trees")
def test_a_work_tree_gets_its_own_records_and_uids_go_on_over_all(repo: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    subprocess.run([*GIT, "-C", str(repo), "worktree", "add", "-q", str(linked)], check=True)
    given: list[str] = []
    for tree in (repo, linked, repo, linked / "."):
        planned = record(opened(tree), wanted(f"In {tree.name}", Queue_Broker=str(len(given))))
        assert planned.adr
        assert planned.task
        assert (tree / planned.adr.path).exists()
        given += [planned.adr.uid, planned.task.uid]
    assert given == sorted(set(given))
    assert len([path for path in files(linked) if "/adr/" in path]) == 2
    assert not (linked / ".git").is_dir()


@pytest.mark.proves("clarify:repo:trees")
def test_a_submodule_gets_its_own_records(repo: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    subprocess.run([*GIT, "init", "-q", str(outer)], check=True)
    subprocess.run([*GIT, "-C", str(outer), "submodule", "--quiet", "add", str(repo), "inner"], check=True)
    planned = record(opened(outer / "inner"), wanted(Queue_Broker="Kafka"))
    assert planned.adr
    assert (outer / "inner" / planned.adr.path).exists()
    assert not (outer / "docs").exists()


@pytest.mark.proves("clarify:repo:trees")
def test_a_repository_below_a_hidden_folder_is_one_like_any_other(repo: Path, tmp_path: Path) -> None:
    hidden = tmp_path / ".hidden/node_modules/repo"
    hidden.parent.mkdir(parents=True)
    repo.rename(hidden)
    record(opened(hidden), wanted(Queue_Broker="Kafka"))
    assert opened(hidden).book().architecture.plain() == {"Queue": {"Broker": "Kafka"}}


@pytest.mark.proves("clarify:repo:trees")
def test_a_folder_without_git_that_was_prepared_is_a_project_too(tmp_path: Path) -> None:
    tree = tmp_path / "project"
    tree.mkdir()
    make_folder(str(tree))
    planned = record(opened(tree), wanted(Queue_Broker="Kafka"))
    assert planned.adr
    assert (tree / planned.adr.path).exists()
    assert opened(tree).committed() == {}


@pytest.mark.proves("clarify:files:read-only")
def test_read_only_docs_are_read_and_a_write_changes_nothing(tmp_path: Path) -> None:
    tree, store = tmp_path / "tree", tmp_path / "store"
    tree.mkdir()
    record(FileRecords(str(tree), str(store)), wanted(Queue_Broker="Kafka"))
    (tree / "docs/ARCHITECTURE_STATE.md").write_text("<!-- UID: None -->\n")  # stale
    before = files(tree)
    with read_only(tree / "docs"):
        assert_read_and_refused(tree, store)
    assert files(tree) == before
    assert sorted(path.name for path in (store / "records").iterdir()) == ["lock", "uid", "written"]


@pytest.mark.proves("clarify:files:read-only")
def test_a_store_that_cannot_be_written_still_lets_the_records_be_read(tmp_path: Path) -> None:
    tree, store = tmp_path / "tree", tmp_path / "store"
    tree.mkdir()
    record(FileRecords(str(tree), str(store)), wanted(Queue_Broker="Kafka"))
    before = files(tree)
    with read_only(store):
        assert_read_and_refused(tree, store)
    assert files(tree) == before


def asked_of_the_system(tree: Path, store: Path) -> Counter[str]:
    """How often reading and writing the records opens something or lists a folder, by what it is."""
    asked: Counter[str] = Counter()
    record(FileRecords(str(tree), str(store)), wanted("First", Queue_Broker="Kafka"))
    program = (
        "import sys, collections; asked = collections.Counter()\n"
        "from deedlog.records.engine import FileRecords\n"
        "from tests.engines.record_keeping import record, wanted\n"
        "records = FileRecords(*sys.argv[1:]); records.book()\n"
        "on = True\n"
        "def hook(event, given):\n"
        "    if on and event in ('open', 'os.listdir', 'os.scandir', 'subprocess.Popen'): asked[event] += 1\n"
        "sys.addaudithook(hook)\n"
        "records.book(); records.look(); record(records, wanted('Second', Queue_Size='3'))\n"
        "on = False\n"
        "for event, count in asked.items(): print(event, count)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tree), str(store)], capture_output=True, text=True, check=True
    )
    for line in done.stdout.splitlines():
        event, count = line.split()
        asked[event] = int(count)
    return asked


@pytest.mark.proves("clarify:files:no-walking")
def test_60_000_ignored_files_cost_a_call_nothing_more(tmp_path: Path) -> None:
    few, many = tmp_path / "few", tmp_path / "many"
    few.mkdir()
    for number in range(60):
        folder = many / f"node_modules/package{number}"
        folder.mkdir(parents=True)
        for name in range(1000):
            os.close(os.open(folder / str(name), os.O_CREAT | os.O_WRONLY))
    (many / ".gitignore").write_text("node_modules\n")
    without = asked_of_the_system(few, tmp_path / "one")
    assert without["open"] > 0
    assert asked_of_the_system(many, tmp_path / "two") == without


@pytest.mark.proves("clarify:files:left-out")
@pytest.mark.parametrize("how", ["sparse", "skipped"])
def test_nothing_is_decided_beside_adrs_that_git_keeps_out_of_the_tree(repo: Path, how: str) -> None:
    planned = record(opened(repo), wanted(Queue_Broker="Kafka"))
    assert planned.adr
    (repo / "src").mkdir()
    (repo / "src/a.txt").write_text("a")
    subprocess.run([*GIT, "-C", str(repo), "add", "docs", "src"], check=True)
    subprocess.run([*GIT, "-C", str(repo), "commit", "-qm", "records"], check=True)
    if how == "sparse":
        subprocess.run([*GIT, "-C", str(repo), "sparse-checkout", "set", "--no-cone", "/*", "!/docs/adr"], check=True)
    else:
        subprocess.run([*GIT, "-C", str(repo), "update-index", "--skip-worktree", planned.adr.path], check=True)
        (repo / planned.adr.path).unlink()
    before = files(repo)
    records = opened(repo)
    assert records.book().architecture.uid == ""
    assert records.absent() == ([planned.adr.path] if how == "sparse" else [])
    for write in (lambda: record(records, wanted("More", Cache_Store="Redis")), records.rebuild):
        with pytest.raises(Unavailable, match="kept out of this work tree") as refusal:
            write()
        assert refusal.value.data["path"] == "docs/adr"
    assert files(repo) == before
    if how == "sparse":
        subprocess.run([*GIT, "-C", str(repo), "sparse-checkout", "disable"], check=True)
        assert opened(repo).book().architecture.plain() == {"Queue": {"Broker": "Kafka"}}
        record(opened(repo), wanted("More", Cache_Store="Redis"))
