"""Whoever follows: Ctrl-C ends it, also where Python drops the interrupt."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from deedlog.faces.cli.follow import Reader


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_that_python_dropped_still_ends_it() -> None:
    reader = Reader()
    assert not reader.cancelled()
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
    assert reader.cancelled()
    with pytest.raises(KeyboardInterrupt):
        reader.check()
