from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engines.gateway.talking import Channels, until


@pytest.fixture
def channels(tmp_path: Path) -> Iterator[Channels]:
    """Channels to stubs. When they are closed nothing is left: no process, no open file, no thread."""
    files, threads = len(os.listdir("/proc/self/fd")), set(threading.enumerate())
    found = Channels(tmp_path)
    try:
        yield found
    finally:
        found.close()
    until(lambda: not [each for each in set(threading.enumerate()) - threads if each.name in ("server", "answers")])
    until(lambda: len(os.listdir("/proc/self/fd")) <= files)
