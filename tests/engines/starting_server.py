"""A server that starts: so many clients hear that it takes nobody yet, then the real one is where it was.

A process of its own, because libpq lets no other thread run while it asks whether a server is there.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

FIELDS = b"SFATAL\0VFATAL\0C57P03\0Mdas Datenbanksystem startet\0\0"


class StartingServer:
    """`folder` is where it listens, `real` the socket of the real one."""

    def __init__(self, folder: Path, real: str) -> None:
        self._path = folder / ".s.PGSQL.5432"
        self._real = real
        self._path.symlink_to(real)
        self._processes: list[subprocess.Popen[bytes]] = []

    def start_again(self, rejected: int) -> None:
        """From now on clients are rejected, so many."""
        command = [sys.executable, __file__, str(self._path), self._real, str(rejected)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE)
        self._processes.append(process)
        assert process.stdout
        with process.stdout as said:
            assert said.readline() == b"listening\n"

    def close(self) -> None:
        for process in self._processes:
            process.kill()
            process.wait()


def _become(path: str, target: str) -> None:
    os.symlink(target, f"{path}.new")
    os.replace(f"{path}.new", path)


def main(path: str, real: str, rejected: int) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{path}.starting")
        listener.listen(64)
        _become(path, f"{path}.starting")
        sys.stdout.write("listening\n")
        sys.stdout.flush()
        for left in reversed(range(rejected)):
            client, _ = listener.accept()
            if not left:
                _become(path, real)
                os.unlink(f"{path}.starting")
            with client:
                client.recv(65536)
                client.sendall(b"E" + (len(FIELDS) + 4).to_bytes(4, "big") + FIELDS)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
