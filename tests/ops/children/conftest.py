from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from deedlog.core.task import Session
from deedlog.workers import enforcement
from tests.ops.workers.conftest import Shop

Json = dict[str, Any]
SECONDS = 120
ENABLED = ["supervision", "child-ops-fine", "bulk", "idempotency"]


class Nursery(Shop):
    """A project whose children do what their prompt says; see `tests/stand_in_agent.py`."""

    def open(self, **flags: object) -> None:
        super().open(**{"enable": ENABLED, **flags})

    def spawn(self, *lines: str, **more: Any) -> Json:
        prompt = "\n".join(f"do: {line}" for line in lines)
        said = {"prompt": prompt, "agent": "hand", "ready_timeout_ms": SECONDS * 1000, **more}
        answer: Json = self.call("child_spawn", **said)
        return answer

    def talk(self, *lines: str, **more: Any) -> str:
        """A child that listens."""
        return str(self.spawn(*(lines or ("listen",)), interactive=True, **more)["child_id"])

    def send(self, child: str, text: str = "", **more: Any) -> Json:
        answer: Json = self.call("child_send", child_id=child, text=text, **more)
        return answer

    def session(self, child: str) -> Session:  # type: ignore[override]
        return self.app.ledger.get(Session, child)

    def status(self, child: str) -> Json:  # type: ignore[override]
        answer: Json = self.call("child_status", child_id=child)
        return answer

    def collect(self, child: str) -> Json:
        """Once it has ended."""
        answer: Json = self.call("child_collect", child_id=child, timeout_ms=SECONDS * 1000)
        assert answer["done"], answer
        return answer

    def printed(self, child: str) -> list[str]:
        found: list[str] = []
        after = 0
        while True:
            page = self.call("child_stream", child_id=child, after_sequence=after, limit=200)
            found += [entry["message"] for entry in page["messages"]]
            after = page["next_sequence"]
            if not page["has_more"]:
                return found

    def enforce(self, name: str) -> None:
        """Let the machine have found out that this is what it has."""
        folder = self.repo / ".git/deedlog/workers"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "enforcement").write_text(f"{enforcement._machine()}\n{name}\n")

    def until(self, condition: Callable[[], object]) -> None:
        """Wait for a condition; the time is only there so that a failure ends."""
        end = time.monotonic() + SECONDS
        while not condition():
            assert time.monotonic() < end, "what was waited for did not come"
            time.sleep(0.02)

    def until_printed(self, child: str, line: str) -> None:
        self.until(lambda: line in self.printed(child))


@pytest.fixture
def nursery(repo: Path) -> Iterator[Nursery]:
    made = Nursery(repo)
    made.agent()
    yield made
    for row in made.call("child_list", state="live", limit=200)["children"]:
        try:
            made.call("child_kill", child_id=row["child_id"])
        except Exception:  # noqa: BLE001  # it ended by itself
            continue
