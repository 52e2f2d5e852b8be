"""The command `deedlog` as a real process, on pipes or on a terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

DEADLINE = 30
COMMAND = [sys.executable, "-m", "deedlog"]


class Cli:
    """`deedlog` in one folder, with an environment of its own."""

    def __init__(self, folder: Path, home: Path, **environment: str) -> None:
        self.folder = folder
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "USER": "tester",
            "LANG": "C.UTF-8",
            "TERM": "xterm",
            "TZ": "UTC",
            **environment,
        }

    def run(self, *words: str, stdin: str | bytes = b"", **environment: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [*COMMAND, *words],
            cwd=self.folder,
            env={**self.environment, **environment},
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            check=False,
            timeout=DEADLINE,
        )
        return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())

    def start(self, *words: str, stdout: int = subprocess.PIPE) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*COMMAND, *words], cwd=self.folder, env=self.environment, stdout=stdout, stderr=subprocess.PIPE
        )

    def on_terminal(self, *words: str, typed: str = "", columns: int = 80, **environment: str) -> tuple[int, str]:
        """The exit code and everything that a terminal of this width showed."""
        pid, terminal = pty.fork()
        if pid == 0:
            try:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
                os.chdir(self.folder)
                os.execve(COMMAND[0], [*COMMAND, *words], {**self.environment, **environment})
            finally:
                os._exit(99)
        try:
            os.write(terminal, typed.encode())
            shown = _everything(terminal)
        finally:
            os.close(terminal)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), shown.replace("\r\n", "\n")


def _everything(terminal: int) -> str:
    found = b""
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # the other side is closed
            break
        if not piece:
            break
        found += piece
    return found.decode()
