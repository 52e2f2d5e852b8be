"""What tests of channels and conversations share: peers that are asked and told things, and what a stub received."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from deedlog.gateway.programs.stdio import StdioChannel
from deedlog.gateway.talking.conversation import Conversation
from deedlog.ports import Silent
from tests.engines.gateway.stub_server import stub

Json = dict[str, Any]
SECONDS = 60


def until(condition: Callable[[], object]) -> None:
    """Wait for a condition; the time is only there so that a failure ends."""
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, "what was waited for did not come"
        time.sleep(0.005)


def lives(pid: int) -> bool:
    """Whether there is such a process; one that is dead and waits for its parent counts as well."""
    return os.path.exists(f"/proc/{pid}")


def runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


class Received:
    """The messages that a stub got, from its record."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __call__(self, method: str = "") -> list[Json]:
        try:
            lines = self.path.read_text(encoding="utf-8").splitlines(keepends=True)
        except OSError:
            return []
        found = [json.loads(line) for line in lines if line.endswith("\n")]
        return [each for each in found if not method or each.get("method") == method]

    def wait(self, method: str, count: int = 1) -> list[Json]:
        until(lambda: len(self(method)) >= count)
        return self(method)


class Channels:
    """Opens channels to stubs, and closes them."""

    def __init__(self, folder: Path) -> None:
        self.record = Received(folder / "record.jsonl")
        self.messages: list[Json] = []
        self.lost: list[str] = []
        self.notices: list[tuple[str, Json]] = []
        self.folder = folder
        self.channel: StdioChannel
        self._open: list[StdioChannel] = []
        self._talks: list[Conversation] = []

    def new(self, *switches: object) -> StdioChannel:
        self.channel = StdioChannel(
            stub("--record", self.record.path, *switches), {"PATH": os.environ["PATH"]}, str(self.folder)
        )
        self._open.append(self.channel)
        return self.channel

    def open(self, *switches: object) -> StdioChannel:
        channel = self.new(*switches)
        channel.open(self.messages.append, self.lost.append, SECONDS)
        return channel

    def talk(self, *switches: object, **further: float) -> Conversation:
        """A conversation with a stub, not yet open."""
        channel = self.new(*switches)

        def notice(method: str, params: Json) -> None:
            self.notices.append((method, params))

        conversation = Conversation(channel, "stub", str(self.folder), notice, self.lost.append, **further)
        self._talks.append(conversation)
        return conversation

    def greeted(self, *switches: object, **further: float) -> Conversation:
        conversation = self.talk(*switches, **further)
        conversation.open(SECONDS)
        return conversation

    def close(self) -> None:
        for conversation in self._talks:
            conversation.close()
        for channel in self._open:
            channel.close()
        assert not [channel.pid for channel in self._open if channel.pid and lives(channel.pid)]


def call(conversation: Conversation, tool: str, peer: Any = None, seconds: float = SECONDS, **arguments: Any) -> Json:
    params = {"name": tool, "arguments": arguments}
    return conversation.request("tools/call", params, peer or Silent(), seconds)


class Aside:
    """Something done in a thread of its own: what it returned, or raised."""

    def __init__(self, do: Callable[[], Any]) -> None:
        self._do = do
        self.result: Any = None
        self.error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self.result = self._do()
        except BaseException as error:  # noqa: BLE001  # whatever it is, the test looks at it
            self.error = error

    def wait(self) -> Any:
        self._thread.join(SECONDS)
        assert not self._thread.is_alive(), "it did not end"
        if self.error:
            raise self.error
        return self.result


class Person(Silent):
    """A caller over a connection of its own, that can be asked. `answer` says what; None where it cannot be."""

    def __init__(self, answer: Callable[[Json], Json | None] | None = None, connection: object = None) -> None:
        self.answer = answer
        self.connection = connection or self
        self.steps: list[tuple[float, float | None, str]] = []
        self.asked: list[Json] = []
        self.gone = False

    def progress(self, done: float, total: float | None = None, message: str = "") -> None:
        self.steps.append((done, total, message))

    def ask(self, requests: dict[str, Json]) -> dict[str, Json] | None:
        self.asked.append(requests)
        if self.answer is None:
            return None
        found = {key: self.answer(asked) for key, asked in requests.items()}
        return {key: value for key, value in found.items() if value is not None}

    def cancelled(self) -> bool:
        return self.gone


class InputRequired(BaseException):
    """As the face raises it."""

    def __init__(self, requests: Json) -> None:
        super().__init__()
        self.requests = requests


class Repeating(Person):
    """A caller that goes and comes again with its answers, as the modern era has it."""

    def __init__(self, given: dict[str, Json] | None = None) -> None:
        super().__init__()
        self.given = given or {}

    def replies(self) -> dict[str, Json]:
        return self.given

    def ask(self, requests: dict[str, Json]) -> dict[str, Json]:
        if missing := {key: asked for key, asked in requests.items() if key not in self.given}:
            raise InputRequired(missing)
        return {key: self.given[key] for key in requests}
