"""Somebody else decides on the same between the verdict and the write."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deedlog.records.engine import FileRecords
from tests.ops.clarify.conftest import Talk

KAFKA = "Introduce Kafka as our message queue"
RACERS = 8


def overtaking(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Let this happen just before the next write."""
    writing = FileRecords.writing
    waiting = [act]

    def overtaken(records: FileRecords) -> Any:
        if waiting:
            waiting.pop()()
        return writing(records)

    monkeypatch.setattr(FileRecords, "writing", overtaken)


def adrs(repo: Path) -> list[Path]:
    return sorted((repo / "docs/adr").glob("*.md"))


@pytest.mark.proves("clarify:race:judged-again")
def test_what_somebody_else_just_decided_is_not_decided_again(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    first: list[dict[str, Any]] = []
    overtaking(monkeypatch, lambda: first.append(talk.require(KAFKA)))
    done = talk.require("Introduce Kafka for the invoices as our message queue")
    assert first[0]["adr_uid"] in adrs(talk.repo)[0].name
    assert done["status"] == "completed"
    assert "adr_uid" not in done
    assert len(adrs(talk.repo)) == 1
    assert done["task_uid"] in (talk.repo / "docs/CURRENT_TASK.md").read_text()


@pytest.mark.proves("clarify:race:judged-again")
def test_what_contradicts_what_somebody_else_just_decided_says_what_it_replaces(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    overtaking(monkeypatch, lambda: talk.require(KAFKA))
    done = talk.require("Introduce RabbitMQ as our message queue")
    assert done["status"] in ("completed", "needs_clarification")
    if done["status"] == "completed":
        assert "Kafka" in adrs(talk.repo)[-1].read_text()


@pytest.mark.proves("clarify:race:judged-again")
def test_many_who_ask_for_the_same_at_once_make_one_adr(talk: Talk) -> None:
    def ask(number: int) -> None:
        talk.require(f"Introduce Kafka as our message queue for team {number}")

    racers = [threading.Thread(target=ask, args=[number]) for number in range(RACERS)]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join()
    assert len(adrs(talk.repo)) == 1
    assert len([*(talk.repo / "docs/archive/task").glob("*.md")]) == RACERS - 1
