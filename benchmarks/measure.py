"""How things are measured: medians of interleaved rounds, so that a noisy machine is noisy for all alike."""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

PYTHON = sys.executable
DEEDLOG = str(Path(PYTHON).parent / "deedlog")
SDK_SERVER = [PYTHON, str(Path(__file__).parent / "sdk_server.py")]
HANDSHAKE = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}


os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # measured as installed: compiled once


def interleaved(cases: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, float]:
    """The median of each case over `rounds`, every round running all of them in another order."""
    order = list(cases)
    shuffle = random.Random(1).shuffle
    samples: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(rounds):
        shuffle(order)
        for name in order:
            samples[name].append(cases[name]())
    return {name: statistics.median(values) for name, values in samples.items()}


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def run(command: list[str], folder: Path | None = None) -> None:
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)


def report(what: str, value: str, aim: str) -> None:
    print(f"{what:<74} {value:>12}   aim {aim}", flush=True)


class StdioServer:
    """A server process and the plainest client there is."""

    def __init__(self, command: list[str], folder: Path) -> None:
        self._process = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._next = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait(timeout=30)

    def handshake(self) -> Self:
        self.request("initialize", HANDSHAKE)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def request(self, method: str, params: dict[str, Any]) -> Any:
        self._next += 1
        self._send({"jsonrpc": "2.0", "id": self._next, "method": method, "params": params})
        assert self._process.stdout
        while line := self._process.stdout.readline():
            message = json.loads(line)
            if message.get("id") == self._next:
                assert "error" not in message, message
                return message["result"]
        raise EOFError("the server went away")

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        assert not result.get("isError"), result
        return result

    def cpu_seconds(self) -> float:
        stat = Path(f"/proc/{self._process.pid}/schedstat")
        return int(stat.read_text().split()[0]) / 1e9

    def megabytes(self) -> float:
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def repository(folder: Path) -> Path:
    """An empty git repository to work in."""
    folder.mkdir(parents=True)
    run(["git", "init", "--quiet", str(folder)])
    return folder
