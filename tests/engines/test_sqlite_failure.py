"""What can happen to the file of an embedded store, and what a person is told then."""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from deedlog.core.errors import DeedlogError, Part, Unavailable
from deedlog.core.workflow import Workflow
from deedlog.ports import EventQuery
from deedlog.store.ledger import SqlLedger
from deedlog.store.lock import WriterLock
from deedlog.store.sqlite import Sqlite
from deedlog.store.upkeep import SqlUpkeep
from deedlog.testing import app_on, caller
from tests.engines.test_migrate import begin

NOBODY = 65534
ROUNDS = 300
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user or mount a small disk")


def refused(folder: Path) -> Unavailable:
    with pytest.raises(Unavailable) as refusal:
        Sqlite(str(folder))
    assert refusal.value.part is Part.DATABASE
    assert "\n" not in refusal.value.message
    assert refusal.value.hint
    return refusal.value


def made(folder: Path, workflows: int = 3) -> Path:
    """A store with so many workflows, closed: everything is in the one file."""
    database = Sqlite(str(folder))
    for number in range(workflows):
        begin(database, f"workflow {number}")
    database.close()
    return folder / "ledger.db"


@pytest.mark.proves("store:sqlite:durable")
def test_every_commit_is_on_disk_and_only_the_owner_gets_in(tmp_path: Path) -> None:
    database = Sqlite(str(tmp_path / "store"))
    begin(database, "x")
    assert database.query("PRAGMA journal_mode") == [("wal",)]
    assert database.query("PRAGMA synchronous") == [(2,)]
    assert (tmp_path / "store").stat().st_mode & 0o777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in (tmp_path / "store").iterdir()} == {0o600}
    assert str(database.facts()["database"]) >= "SQLite 3.54"


@pytest.mark.proves("store:failure:damaged")
@pytest.mark.parametrize("text", [b"not a database, but a file of some length\n" * 100, b"short"])
def test_a_foreign_file_is_refused_and_left_alone(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "ledger.db").write_bytes(text)
    assert "is not a Deedlog store" in refused(tmp_path).message
    assert (tmp_path / "ledger.db").read_bytes() == text


@pytest.mark.proves("store:failure:damaged")
def test_another_program_s_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "ledger.db") as connection:
        connection.execute("CREATE TABLE mine (a)")
    connection.close()
    before = (tmp_path / "ledger.db").read_bytes()
    assert "another program's database" in refused(tmp_path).message
    assert (tmp_path / "ledger.db").read_bytes() == before


@pytest.mark.proves("store:failure:damaged")
def test_a_folder_or_a_missing_parent_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "one/ledger.db").mkdir(parents=True)
    assert "cannot be opened" in refused(tmp_path / "one").message
    (tmp_path / "file").write_text("")
    assert "cannot be opened" in refused(tmp_path / "file").message
    assert "cannot be opened" in refused(tmp_path / "file/below").message


@pytest.mark.proves("store:failure:damaged")
def test_a_store_that_lost_its_contents_does_not_pass_for_a_new_one(tmp_path: Path) -> None:
    file = made(tmp_path / "store")
    file.write_bytes(b"")
    assert "is empty, though a store was kept there" in refused(tmp_path / "store").message
    assert file.read_bytes() == b""


def packed(file: Path) -> bytes:
    """Without the remains of what was moved elsewhere."""
    with sqlite3.connect(file) as connection:
        connection.execute("VACUUM")
    connection.close()
    return file.read_bytes()


def place(data: bytearray, chance: random.Random) -> int:
    """Somewhere in use: damage to free space does no harm, and nobody can tell."""
    return next(at for at in iter(lambda: chance.randrange(len(data) - 64), -1) if data[at])


def cut(data: bytearray, chance: random.Random) -> None:
    del data[chance.randrange(len(data)) :]


def flip(data: bytearray, chance: random.Random) -> None:
    data[place(data, chance)] ^= 1 << chance.randrange(8)


def zero(data: bytearray, chance: random.Random) -> None:
    start = chance.randrange(len(data) // 4096) * 4096
    data[start : start + 4096] = bytes(4096)


def scramble(data: bytearray, chance: random.Random) -> None:
    start = place(data, chance)
    data[start : start + 64] = chance.randbytes(64)


def used(folder: Path) -> Iterator[str]:
    """Everything a damaged store is asked for; what doctor finds wrong."""
    database = Sqlite(str(folder))
    try:
        app, ledger = app_on(database), SqlLedger(database)
        uses: list[Callable[[], object]] = [
            lambda: ledger.find(Workflow, limit=100),
            lambda: ledger.events(EventQuery()),
            lambda: ledger.search(["workflow"], [], 10),
            lambda: app.call("start_workflow", {"name": "another"}, caller()),
            lambda: list(SqlUpkeep(database).export()),
        ]
        for use in uses:
            try:
                use()
            except DeedlogError as error:
                assert error.kind != "unexpected", repr(error)  # noqa: PT017
        yield from SqlUpkeep(database).verify()
    finally:
        database.close()


@pytest.mark.proves("store:failure:damaged", "doctor:verify:damage")
def test_no_damage_to_the_file_causes_more_than_a_clear_refusal(tmp_path: Path) -> None:
    whole = packed(made(tmp_path / "whole", 40))
    assert list(used(tmp_path / "whole")) == []
    detected = {"cut": 0, "flip": 0, "zero": 0, "scramble": 0}
    for number in range(ROUNDS):
        chance = random.Random(number)
        damage = (cut, flip, zero, scramble)[number % 4]
        data = bytearray(whole)
        damage(data, chance)
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "ledger.db").write_bytes(data)
        (folder / "lock").write_text("made\n")
        try:
            found = list(used(folder))
        except Unavailable as error:
            found = [error.message]
        assert all("\n" not in line for line in found), found
        detected[damage.__name__] += bool(found)
        shutil.rmtree(folder)
    assert sum(detected.values()) >= 0.95 * ROUNDS, detected


def read_as_nobody(folder: str) -> None:
    """In a child: use a store as a user who owns nothing here."""
    examine(f"{folder}-of-its-own")  # imports what is needed while Python's own files can be read
    os.setuid(NOBODY)
    for line in examine(folder):
        sys.stdout.write(f"{line}\n")


def examine(folder: str) -> list[object]:
    database = Sqlite(folder)
    ledger = SqlLedger(database)
    told: list[object] = [
        len(ledger.find(Workflow, limit=99)),
        len(ledger.next_events(EventQuery(), 0.1, lambda: False)),
        ledger.next_events(EventQuery(after=99), 0.1, lambda: False),
        SqlUpkeep(database).verify(),
        database.facts()["writable"],
    ]
    try:
        begin(database, "x")
    except Unavailable as error:
        told.append(error.message)
    database.close()
    return told


@pytest.fixture
def reachable() -> Iterator[Path]:
    """A folder other users can get to, unlike pytest's own, which every session closes to them again."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def what_nobody_sees(folder: Path) -> list[str]:
    for path in folder.iterdir():
        path.chmod(0o444 if path.is_file() else 0o755)
    folder.chmod(0o555)
    code = "import sys; from tests.engines.test_sqlite_failure import read_as_nobody; read_as_nobody(sys.argv[1])"
    done = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@AS_ROOT
@pytest.mark.proves("store:failure:read-only")
def test_a_read_only_folder_can_be_read_and_refuses_writes_in_one_line(reachable: Path) -> None:
    made(reachable / "store")
    found = what_nobody_sees(reachable / "store")
    assert found[:-1] == ["3", "3", "[]", "[]", "False"]
    assert found[-1].endswith("cannot be written")


def become_writable(folder: str) -> None:
    """In a child: the same opened store before and after its owner lets us write."""
    database = Sqlite(folder)
    before = database.facts()["writable"]
    sys.stdout.write("waiting\n")
    sys.stdout.flush()
    sys.stdin.readline()
    begin(database, "writable now")
    sys.stdout.write(f"{before} {database.facts()['writable']} {SqlLedger(database).head()}\n")


@AS_ROOT
@pytest.mark.proves("store:failure:read-only")
@pytest.mark.parametrize("log", [True, False])
def test_a_folder_that_becomes_writable_is_written_without_a_restart(
    reachable: Path,
    log: bool,  # noqa: FBT001
) -> None:
    folder = reachable / "store"
    made(folder)
    keeper = Sqlite(str(folder)) if log else None  # while it is open the log lies beside the file
    if keeper:
        begin(keeper, "into the log")
    folder.chmod(0o555)
    for path in folder.iterdir():
        path.chmod(0o444)
    code = (
        "import os, sys; from tests.engines.test_sqlite_failure import become_writable, examine, NOBODY;"
        "examine(sys.argv[1] + '-of-its-own'); os.setuid(NOBODY); become_writable(sys.argv[1])"
    )
    command = [sys.executable, "-c", code, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "waiting\n"
        folder.chmod(0o777)
        for path in folder.iterdir():
            path.chmod(0o666)
        said, _ = child.communicate("go\n", timeout=60)
    assert said == f"False True {4 + log}\n"


@AS_ROOT
@pytest.mark.proves("store:failure:read-only")
def test_a_read_only_folder_can_be_read_with_the_log_a_killed_process_left(reachable: Path) -> None:
    code = (
        "import os, signal, sys; from deedlog.store.sqlite import Sqlite; from tests.engines.test_migrate import begin;"
        "database = Sqlite(sys.argv[1]); [begin(database, str(n)) for n in range(3)]; os.kill(os.getpid(), 9)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(reachable / "store")], timeout=60, check=False)
    assert done.returncode == -signal.SIGKILL
    assert (reachable / "store/ledger.db-wal").stat().st_size > 0
    assert what_nobody_sees(reachable / "store")[:-1] == ["3", "3", "[]", "[]", "False"]


def until_refused(database: Sqlite) -> tuple[int, Unavailable]:
    """How many writes were acknowledged, and why the next one was not."""
    for written in count():
        try:
            begin(database, f"{written}" + " much text" * 15)
        except Unavailable as error:
            return written, error
    raise AssertionError


@AS_ROOT
@pytest.mark.proves("store:failure:disk-full")
def test_a_full_disk_refuses_in_one_line_and_works_again_when_there_is_room(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk], capture_output=True, check=False
    ).returncode:
        pytest.skip("a small disk cannot be mounted here")
    try:
        database = Sqlite(str(disk / "store"))
        written, refusal = until_refused(database)
        assert refusal.message == "the disk is full: nothing was written"
        assert "make room" in refusal.hint
        assert SqlLedger(database).head() == written > 10
        subprocess.run(["mount", "-o", "remount,size=16m", disk], check=True)
        begin(database, "room again")
        assert SqlLedger(database).head() == written + 1
        assert SqlUpkeep(database).verify() == []
        database.close()
    finally:
        subprocess.run(["umount", "--lazy", disk], check=False)


def limited(folder: str, most: int) -> None:
    """In a child: write until no file may grow any more, then with room again."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    database = Sqlite(folder)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))
    written, refusal = until_refused(database)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    begin(database, "room again")
    assert SqlLedger(database).head() == written + 1
    assert SqlUpkeep(database).verify() == []
    sys.stdout.write(f"{written > 10} {refusal.message}\n")


@pytest.mark.proves("store:failure:disk-full")
def test_a_file_that_may_not_grow_refuses_in_one_line_and_works_again_later(tmp_path: Path) -> None:
    code = "import sys; from tests.engines.test_sqlite_failure import limited; limited(sys.argv[1], 2_000_000)"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "store")], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("True the d")
    assert "nothing was written" in done.stdout


def test_a_store_that_was_opened_before_a_fork_is_not_used_after_it(tmp_path: Path) -> None:
    code = (
        "import os, sys; from deedlog.store.sqlite import Sqlite; from deedlog.core.errors import DeedlogError\n"
        "database = Sqlite(sys.argv[1])\n"
        "if os.fork() == 0:\n"
        "    try: database.query('SELECT 1')\n"
        "    except DeedlogError as error: print(error.message, flush=True)\n"
        "    os._exit(0)\n"
        "os.wait(); print(database.query('SELECT 1'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "store")], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.splitlines() == ["the store was opened before this process was forked", "[(1,)]"]


@pytest.mark.proves("store:sqlite:queue")
def test_closing_leaves_one_file_and_closes_the_connections_of_all_threads(tmp_path: Path) -> None:
    database = Sqlite(str(tmp_path / "store"))
    thread = threading.Thread(target=lambda: begin(database, "x"))
    thread.start()
    thread.join()
    begin(database, "y")
    open_files = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    database.close()
    assert not (tmp_path / "store/ledger.db-wal").exists()
    if open_files:
        assert len(os.listdir("/proc/self/fd")) < open_files
    assert SqlLedger(database).head() == 2


@pytest.mark.proves("store:sqlite:queue")
def test_a_writer_waits_in_the_queue(tmp_path: Path) -> None:
    database = Sqlite(str(tmp_path / "store"))
    writer = threading.Thread(target=lambda: begin(database, "x"))
    watch = database.watch()
    with WriterLock(database.folder):
        writer.start()
        assert not watch.wait(0.2)
    assert watch.wait(20)
    watch.close()
    writer.join(20)
    assert SqlLedger(database).head() == 1


def hold(folder: str) -> None:
    """In a child: take the queue's lock, and be stopped with it."""
    with WriterLock(folder):
        sys.stdout.write("held\n")
        sys.stdout.flush()
        os.kill(os.getpid(), signal.SIGSTOP)


@pytest.mark.proves("store:sqlite:queue")
def test_nobody_waits_for_ever_for_a_writer_that_was_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    database = Sqlite(str(tmp_path / "store"))
    begin(database, "before")
    code = "import sys; from tests.engines.test_sqlite_failure import hold; hold(sys.argv[1])"
    with subprocess.Popen([sys.executable, "-c", code, database.folder], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        monkeypatch.setattr(WriterLock.__init__, "__kwdefaults__", {"seconds": 0.2})
        for _ in range(2):
            with pytest.raises(Unavailable, match=f"process {holder.pid} has held it for \\d+ seconds") as refusal:
                begin(database, "in vain")
        assert f"kill -CONT {holder.pid}" in refusal.value.hint
        assert refusal.value.part is Part.DATABASE
        monkeypatch.undo()
        holder.send_signal(signal.SIGCONT)
        assert holder.wait(20) == 0
    begin(database, "goes on")  # those who gave up do not hold it either
    assert SqlLedger(database).head() == 2
    assert SqlUpkeep(database).verify() == []


class Meeting(dict[threading.Thread, Any]):
    """Connections of which two threads remove one at the same moment."""

    both = threading.Barrier(2, timeout=20)

    def pop(self, *arguments: Any) -> Any:
        self.both.wait()
        return super().pop(*arguments)


def test_threads_that_clear_up_after_another_at_once_do_not_fail(tmp_path: Path) -> None:
    database = Sqlite(str(tmp_path / "store"))
    dying = threading.Thread(target=database.connection)
    dying.start()
    dying.join()
    assert dying in database._connections
    database._connections = Meeting(database._connections)
    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(lambda _: database.query("SELECT 1"), range(2))) == [[(1,)]] * 2
    assert dying not in database._connections


@pytest.mark.proves("store:sqlite:queue")
def test_a_store_is_closed_without_a_checkpoint_while_another_process_writes(tmp_path: Path) -> None:
    database = Sqlite(str(tmp_path / "store"))
    begin(database, "x")
    other = Sqlite(str(tmp_path / "store"))
    inside, go_on = threading.Event(), threading.Event()

    def slow(_: object) -> None:
        inside.set()
        assert go_on.wait(20)

    writer = threading.Thread(target=lambda: other.write(slow))
    writer.start()
    assert inside.wait(20)
    database.close()
    assert (tmp_path / "store/ledger.db-wal").stat().st_size > 0
    go_on.set()
    writer.join()
    other.close()
