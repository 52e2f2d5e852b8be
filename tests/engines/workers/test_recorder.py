"""What a worker prints is recorded, or it is told how much was not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deedlog.core.errors import Invalid, Unavailable
from deedlog.workers import recorder
from deedlog.workers.recorder import Recorder

CLOSE_SECONDS = 60.0
Json = dict[str, Any]


class Store:
    """Takes what is brought, or refuses it."""

    def __init__(self) -> None:
        self.lines: list[Json] = []
        self.refusals: list[Exception] = []

    def call(self, _name: str, arguments: Json, _key: str) -> None:
        if self.refusals:
            raise self.refusals.pop(0)
        self.lines += arguments["lines"]

    def told(self) -> list[tuple[str, int]]:
        return [(line["text"], line.get("missed", 0)) for line in self.lines]


@pytest.mark.proves("watch:resources-watch:gap")
def test_lines_without_room_are_counted_by_the_last_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "MOST_RECORDED", 100)
    store = Store()
    made = Recorder(store.call, 1, str(tmp_path / "log"), "key")
    for number in range(10):
        made.add("stdout", f"line {number} {'x' * 20}")
    made.close(CLOSE_SECONDS)
    texts = [text for text, _ in store.told()]
    kept = sum(text.startswith("line") for text in texts)
    assert 0 < kept < 10
    assert store.lines[-1]["missed"] == 10 - kept
    assert sum(missed for _, missed in store.told()) == 10 - kept
    assert (tmp_path / "log").read_text().count("line") == 10 - kept


@pytest.mark.proves("watch:resources-watch:gap")
@pytest.mark.parametrize("refusal", [Unavailable("away"), Invalid("wrong")])
def test_lines_that_could_not_be_brought_are_counted_by_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refusal: Exception
) -> None:
    monkeypatch.setattr(recorder, "AWAY", 0.0)
    monkeypatch.setattr(recorder, "BATCH_LINES", 2)
    store = Store()
    store.refusals = [refusal]
    made = Recorder(store.call, 1, str(tmp_path / "log"), "key")
    with made._changed:  # all of them wait before the first is brought
        for text in ("one", "two", "three", "four"):
            made._put(recorder.Line(at=1, stream="stdout", text=text))
        made._changed.notify()
    made.close(CLOSE_SECONDS)
    assert store.told() == [("three", 2), ("four", 0)]


@pytest.mark.proves("watch:resources-watch:gap")
def test_what_was_missed_at_the_end_is_told_by_a_line_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder, "AWAY", 0.0)
    store = Store()
    store.refusals = [Unavailable("away")]
    made = Recorder(store.call, 1, str(tmp_path / "log"), "key")
    made.add("stdout", "lost")
    made.close(CLOSE_SECONDS)
    assert [missed for _, missed in store.told()] == [1]


def test_nothing_is_told_where_nothing_was_missed(tmp_path: Path) -> None:
    store = Store()
    made = Recorder(store.call, 1, str(tmp_path / "log"), "key")
    made.add("stderr", "one")
    made.close(CLOSE_SECONDS)
    assert [(line["stream"], line["text"], "missed" in line) for line in store.lines] == [("stderr", "one", False)]
