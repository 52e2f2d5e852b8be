"""Records in work trees, submodules, hidden and read-only places, and beside very many files."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from deedlog import bootstrap, settings
from deedlog.records.engine import FileRecords
from tests.engines.record_keeping import files, record, wanted

NOBODY = 65534
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
GIT = ["git", "-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "protocol.file.allow=always"]
READ_ONLY = """
import os, sys, tempfile
from deedlog.core.errors import DeedlogError
from deedlog.records.engine import FileRecords
from tests.engines.record_keeping import record, wanted
tree, store, user = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:  # imports what is needed while Python's own files can be read
    record(FileRecords(folder, folder), wanted("Rehearsal", Cache_Store="Redis"))
os.setuid(int(user))
records = FileRecords(tree, store)
print(records.book().architecture.plain())
try:
    record(records, wanted("More", Cache_Store="Redis"))
except DeedlogError as refusal:
    print(refusal.kind, refusal.data["code"])
"""


@pytest.fixture
def reachable() -> Iterator[Path]:
    """A folder other users can get to, unlike pytest's own."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


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
def test_a_folder_with_an_empty_git_folder_is_a_project_too(tmp_path: Path) -> None:
    tree = tmp_path / "project"
    (tree / ".git").mkdir(parents=True)
    planned = record(opened(tree), wanted(Queue_Broker="Kafka"))
    assert planned.adr
    assert (tree / planned.adr.path).exists()
    assert opened(tree).committed() == {}


@AS_ROOT
@pytest.mark.proves("clarify:files:read-only")
def test_read_only_docs_are_read_and_a_write_changes_nothing(reachable: Path) -> None:
    tree, store = reachable / "tree", reachable / "store"
    tree.mkdir()
    record(FileRecords(str(tree), str(store)), wanted(Queue_Broker="Kafka"))
    (tree / "docs/ARCHITECTURE_STATE.md").write_text("<!-- UID: None -->\n")  # stale
    before = files(tree)
    for path in (store, *store.rglob("*")):
        os.chown(path, NOBODY, NOBODY)
    command = [sys.executable, "-c", READ_ONLY, str(tree), str(store), str(NOBODY)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "{'Queue': {'Broker': 'Kafka'}}\nunavailable FILESYSTEM_ERROR\n", done.stderr
    assert files(tree) == before
    assert sorted(path.name for path in (store / "records").iterdir()) == ["lock", "uid"]


@AS_ROOT
@pytest.mark.proves("clarify:files:read-only")
def test_a_store_that_cannot_be_written_still_lets_the_records_be_read(reachable: Path) -> None:
    tree, store = reachable / "tree", reachable / "store"
    tree.mkdir()
    record(FileRecords(str(tree), str(store)), wanted(Queue_Broker="Kafka"))
    before = files(tree)
    store.chmod(0o755)
    command = [sys.executable, "-c", READ_ONLY, str(tree), str(store), str(NOBODY)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "{'Queue': {'Broker': 'Kafka'}}\nunavailable FILESYSTEM_ERROR\n", done.stderr
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
