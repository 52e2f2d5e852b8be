"""What can happen between a program and a shared database."""

from __future__ import annotations

import contextlib
import signal
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from deedlog.core.entry import Op
from deedlog.core.errors import Invalid, Part, Unavailable
from deedlog.core.workflow import Workflow
from deedlog.ports import EventQuery
from deedlog.store import change, postgres
from deedlog.store.database import Transaction
from deedlog.store.ledger import SqlLedger
from deedlog.store.postgres import Postgres
from deedlog.store.upkeep import SqlUpkeep
from tests.engines.conftest import Engine, postgres_engine
from tests.engines.starting_server import StartingServer
from tests.engines.test_migrate import begin
from tests.engines.test_store_contract import an_op
from tests.postgres import PostgresServer

WAIT = 30
LONG = 250  # for what a slow machine may need minutes for


class Proxy:
    """Between a program and its server; cuts the line around the next COMMIT it sees, before or after it arrives."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._listener = socket.socket(socket.AF_UNIX)
        self.cut = ""
        self.cuts = 0

    def listen(self, folder: str) -> None:
        self._listener.bind(f"{folder}/.s.PGSQL.5432")
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(self._server)
            threading.Thread(target=self._requests, args=(client, server), daemon=True).start()
            threading.Thread(target=self._pass, args=(server, client), daemon=True).start()

    def _requests(self, client: socket.socket, server: socket.socket) -> None:
        try:
            while data := client.recv(65536):
                if self.cut and b"COMMIT" in data:
                    how, self.cut = self.cut, ""
                    self.cuts += 1
                    client.shutdown(socket.SHUT_WR)  # no answer gets through
                    if how == "after":
                        server.sendall(data)
                    break
                server.sendall(data)
            server.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the other side was faster

    @staticmethod
    def _pass(source: socket.socket, target: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            end.close()

    def close(self) -> None:
        self._listener.close()


@pytest.fixture
def shared(postgres_url: str) -> Iterator[Engine]:
    engine = postgres_engine(postgres_url)
    yield engine
    engine.close()


def through(url: str, folder: Path) -> str:
    """The address of the same database where a proxy listens."""
    name = url.partition("?")[0].rpartition("/")[2]
    return f"postgresql://postgres@/{name}?host={folder}"


@pytest.fixture
def proxy(postgres_server: PostgresServer) -> Iterator[Proxy]:
    made = Proxy(f"{postgres_server.folder}/.s.PGSQL.5432")
    yield made
    made.close()


@pytest.fixture
def starting(postgres_server: PostgresServer, tmp_path: Path) -> Iterator[StartingServer]:
    made = StartingServer(tmp_path, f"{postgres_server.folder}/.s.PGSQL.5432")
    yield made
    made.close()


@pytest.mark.proves("store:postgres:connection-lost")
@pytest.mark.parametrize("cut", ["before", "after"])
def test_a_commit_whose_outcome_is_unknown_happens_once(
    postgres_url: str, proxy: Proxy, tmp_path: Path, cut: str
) -> None:
    proxy.listen(str(tmp_path))
    database = Postgres(through(postgres_url, tmp_path), "one")
    ledger = SqlLedger(database)
    for number in range(3):
        proxy.cut = cut
        op = ledger.write(an_op(number), [Workflow(id=f"wf-{number}", name="n", created_at=number)])
        assert op == an_op(number)
    assert (proxy.cuts, ledger.head()) == (3, 3)
    assert SqlUpkeep(database).verify() == []
    database.close()


@pytest.mark.proves("store:postgres:connection-lost")
def test_a_connection_that_is_lost_while_reading_or_writing_is_opened_again(shared: Engine) -> None:
    database = shared.open()
    assert isinstance(database, Postgres)
    begin(database, "first")
    losses = 0

    def lose() -> None:
        nonlocal losses
        losses += 1
        with psycopg.connect(database.connection().info.dsn, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s)", (database.connection().info.backend_pid,))

    lose()
    assert SqlLedger(database).head() == 1
    lose()
    begin(database, "second")

    def lost_half_way(transaction: Transaction) -> Op:
        op = change.write(transaction, "one", an_op(9), [Workflow(id="wf-9", name="third", created_at=9)])
        if losses < 3:
            lose()
        return op

    assert database.write(lost_half_way).op_id == "op-9"
    assert (losses, SqlLedger(database).head()) == (3, 3)
    assert shared.upkeep().verify() == []


@pytest.mark.proves("store:postgres:connection-lost")
def test_writers_that_block_each_other_are_run_again(shared: Engine) -> None:
    one, two = shared.open(), shared.open()
    for number in (1, 2):
        SqlLedger(one).write(an_op(number), [Workflow(id=f"wf-{number}", name="n", created_at=number)])
    both_hold_one = threading.Barrier(2, timeout=WAIT)
    runs: list[str] = []

    def crosswise(first: str, second: str) -> None:
        def work(transaction: Transaction) -> None:
            runs.append(first)
            sql = "UPDATE workflow SET version = version + 1 WHERE project = 'one' AND id = ?"
            transaction.execute(sql, (first,))
            if len(runs) <= 2:
                both_hold_one.wait()
            transaction.execute(sql, (second,))

        (one if first == "wf-1" else two).write(work)

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(crosswise, ("wf-1", "wf-2"), ("wf-2", "wf-1")))
    assert len(runs) >= 3
    assert one.query("SELECT version FROM workflow ORDER BY id") == [(3,), (3,)]


@pytest.mark.proves("store:postgres:connection-lost")
def test_a_server_that_says_it_is_starting_is_waited_for(
    postgres_url: str, starting: StartingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "PAUSES", (0.0,))  # one that is not there is given up at once
    monkeypatch.setattr(postgres, "WHILE_STARTING", 0.0)
    starting.start_again(rejected=12)
    database = Postgres(through(postgres_url, tmp_path), "one")
    for ask in (lambda: database.query("SELECT 1"), lambda: begin(database, "x"), lambda: database.connect().close()):
        database.connection().close()
        starting.start_again(rejected=12)
        ask()
    database.close()


def test_a_server_that_never_starts_is_given_up_once(
    postgres_url: str, starting: StartingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Postgres(through(postgres_url, tmp_path), "one")
    monkeypatch.setattr(postgres, "STARTS_WITHIN", 0.0)
    database.connection().close()
    starting.start_again(rejected=2)  # the attempt, and the question whether it is starting
    with pytest.raises(Unavailable, match="takes no connections") as refusal:
        database.query("SELECT 1")
    assert refusal.value.part is Part.DATABASE
    assert database.query("SELECT 1") == [(1,)]
    database.close()


@pytest.mark.proves("store:postgres:connection-lost", "ledger:events:none-missed")
def test_a_server_that_crashes_and_comes_back_loses_nothing_and_readers_go_on(
    shared: Engine, postgres_server: PostgresServer
) -> None:
    ledger = shared.ledger()
    waits_for_more, over = threading.Event(), threading.Event()

    def follow() -> list[int]:
        seen: list[int] = []

        def is_over() -> bool:
            if len(seen) == 3:
                waits_for_more.set()
            return over.is_set()

        while len(seen) < 6 and not over.is_set():
            try:
                seen += [event.seq for event in ledger.next_events(EventQuery(after=len(seen)), LONG, is_over)]
            except Unavailable:
                continue  # the server was away for longer than anybody waits who asks meanwhile
        return seen

    writer = shared.open()
    with ThreadPoolExecutor(1) as threads, contextlib.ExitStack() as at_the_end:
        at_the_end.callback(over.set)
        reader = threads.submit(follow)
        for number in range(3):
            begin(writer, f"{number}")
        assert waits_for_more.wait(WAIT)
        postgres_server.stop(signal.SIGQUIT)
        try:
            with pytest.raises(Unavailable) as refusal:
                Postgres(postgres_server.url("x"), "one")
        finally:
            postgres_server.start()
        for number in range(3):
            begin(writer, f"{number} again")
        assert reader.result(LONG) == [1, 2, 3, 4, 5, 6]
    assert refusal.value.part is Part.DATABASE
    assert "\n" not in refusal.value.message
    assert shared.upkeep().verify() == []


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u:s3cret@127.0.0.1:1/x",
        "postgresql://u:s3cret@no-such-host.invalid/x",
        "postgresql://u:s3cret@127.0.0.1:1/x?connect_timeout=s3cret",
        "host=127.0.0.1 port=1 user=u password=s3cret",
    ],
)
def test_a_server_that_is_not_there_is_told_in_one_line_without_the_password(url: str) -> None:
    with pytest.raises(Unavailable) as refusal:
        Postgres(url, "one")
    told = refusal.value.message + refusal.value.hint
    assert "s3cret" not in told
    assert "\n" not in told
    assert refusal.value.part is Part.DATABASE


@pytest.mark.parametrize("url", ["s3cret", "postgresql://u:s3cret%@h/x", "mysql://u:s3cret@h/x", "host=x s3cret"])
def test_an_address_that_is_none_is_told_without_repeating_it(url: str) -> None:
    with pytest.raises(Invalid, match="not the address of a PostgreSQL") as refusal:
        Postgres(url, "one")
    assert "s3cret" not in str(refusal.value) + refusal.value.hint
    assert refusal.value.__cause__ is None


def test_a_missing_database_is_told(postgres_server: PostgresServer) -> None:
    with pytest.raises(Unavailable, match='database "nowhere" does not exist'):
        Postgres(postgres_server.url("nowhere"), "one")


def test_a_database_that_cannot_keep_every_letter_is_refused(postgres_server: PostgresServer) -> None:
    url = postgres_server.make_database("ENCODING 'LATIN1' TEMPLATE template0")
    with pytest.raises(Unavailable, match="does not store UTF-8"):
        Postgres(url, "one")


def test_a_schema_of_another_program_is_refused_and_left_alone(postgres_url: str) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA deedlog; CREATE TABLE deedlog.mine (a int)")
        with pytest.raises(Unavailable, match="belongs to another program"):
            Postgres(postgres_url, "one")
        assert connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'deedlog'").fetchone() == (1,)


def test_a_user_who_may_only_read_can_read(postgres_url: str) -> None:
    owner = Postgres(postgres_url, "one")
    begin(owner, "readable")
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA deedlog TO reader")
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA deedlog TO reader")
    reader = Postgres(postgres_url.replace("postgres@", "reader@"), "one")
    assert len(SqlLedger(reader).find(Workflow, limit=9)) == 1
    with pytest.raises(Unavailable, match="permission denied"):
        begin(reader, "not allowed")
    owner.close()
    reader.close()
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("DROP OWNED BY reader; DROP ROLE reader")


def test_all_watches_of_a_process_share_one_connection(shared: Engine) -> None:
    database = shared.open()
    watches = [database.watch() for _ in range(20)]
    begin(database, "x")
    assert all(watch.wait(WAIT) for watch in watches)
    sql = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
    assert database.query(sql) == [(2,)]
    for watch in watches:
        watch.close()


def test_connections_of_threads_that_ended_are_closed(shared: Engine) -> None:
    database = shared.open()
    for _ in range(5):
        thread = threading.Thread(target=SqlLedger(database).head)
        thread.start()
        thread.join()
    assert isinstance(database, Postgres)
    assert len(database._connections) == 2


def test_a_server_that_vanishes_is_noticed_unless_the_address_says_otherwise(postgres_url: str) -> None:
    def parameters(url: str) -> dict[str, str]:
        database = Postgres(url, "p")
        try:
            return database.connection().info.get_parameters()
        finally:
            database.close()

    found = parameters(postgres_url)
    assert (found["tcp_user_timeout"], found["keepalives_idle"], found["connect_timeout"]) == ("30000", "30", "10")
    more = "&" if "?" in postgres_url else "?"
    assert parameters(f"{postgres_url}{more}tcp_user_timeout=5000")["tcp_user_timeout"] == "5000"


def test_threads_that_clear_up_after_others_at_once_do_not_fail(postgres_url: str) -> None:
    database = Postgres(postgres_url, "p")
    with ThreadPoolExecutor(8) as dying:
        together = threading.Barrier(8, timeout=WAIT)
        list(dying.map(lambda _: together.wait() and database.query("SELECT 1"), range(8)))
    with ThreadPoolExecutor(8) as threads:
        again = threading.Barrier(8, timeout=WAIT)
        found = list(threads.map(lambda _: (again.wait(), database.query("SELECT 1"))[1], range(8)))
    assert found == [[(1,)]] * 8
    database.close()
