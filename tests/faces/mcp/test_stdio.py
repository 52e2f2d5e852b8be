"""The stdio server as the process a client starts."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import termios
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from deedlog.app import App
from deedlog.faces.mcp.lines import LONGEST_LINE, Lines, Skipped
from deedlog.faces.mcp.stdio import Stdio
from deedlog.faces.mcp.workers import Workers
from tests.faces.mcp.speaking import envelope, until

ROOT = Path(__file__).parent.parent.parent.parent
COMMAND = [sys.executable, "-m", "deedlog", "mcp", "serve"]
WAIT_SECONDS = 30


@pytest.fixture
def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "DEEDLOG_PLUGINS": "tests.faces.mcp.plugin"}


class Server:
    def __init__(self, repo: Path, environment: dict[str, str]) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(COMMAND, cwd=repo, env=environment, stdin=pipe, stdout=pipe, stderr=pipe)

    @property
    def input(self) -> IO[bytes]:
        assert self.process.stdin
        return self.process.stdin

    @property
    def output(self) -> IO[bytes]:
        assert self.process.stdout
        return self.process.stdout

    def send(self, *messages: Any) -> None:
        for message in messages:
            self.input.write(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")
        self.input.flush()

    def hear(self) -> Any:
        return json.loads(self.output.readline())

    def rest(self) -> tuple[list[Any], str]:
        """What it still says once its input has ended, and what it wrote for people."""
        output, errors = self.process.communicate(timeout=WAIT_SECONDS)
        return [json.loads(line) for line in output.splitlines()], errors.decode()


@pytest.fixture
def server(repo: Path, environment: dict[str, str]) -> Iterator[Server]:
    started = Server(repo, environment)
    yield started
    started.process.kill()
    started.process.communicate()


def asked(number: int, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def call(number: int, tool: str, **arguments: Any) -> dict[str, Any]:
    return asked(number, "tools/call", name=tool, arguments=arguments)


@pytest.mark.proves("face:mcp:stdout")
def test_only_messages_leave_on_stdout(server: Server) -> None:
    server.send(call(1, "print_lines"))
    said, errors = server.rest()
    assert [message["id"] for message in said] == [1]
    assert errors == "a stray line\nanother\n"
    assert server.process.returncode == 0


@pytest.mark.proves("face:mcp:stdout")
def test_the_end_of_input_ends_it_after_its_answers(server: Server) -> None:
    """Also of calls that wait, and of a last line without an end."""
    server.send(
        call(1, "event_list", wait_ms=60_000),
        call(2, "wait_for_end"),
        call(3, "start_workflow", name="x"),
        json.dumps(asked(4, "ping")).encode(),
    )
    said, errors = server.rest()
    assert {message["id"] for message in said if "id" in message} == {1, 2, 3, 4}
    assert all("result" in message for message in said if "id" in message)
    assert (server.process.returncode, errors) == (0, "")


def test_ordinary_calls_are_answered_in_order_while_another_waits(server: Server) -> None:
    server.send(call(0, "wait_for_end"), *(call(n, "workflow_list") for n in range(1, 50)))
    heard: list[int] = []
    while len(heard) < 49:
        message = server.hear()
        heard += [message["id"]] if "id" in message else []
    assert heard == list(range(1, 50))


@pytest.mark.proves("face:mcp:cancel")
def test_a_cancellation_right_behind_its_request_is_heeded(server: Server) -> None:
    for number in range(20):
        cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}
        server.send(call(number, "wait_for_end"), cancelled)
    said, _ = server.rest()
    assert [message for message in said if "id" in message] == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_after_its_answers(server: Server, number: signal.Signals) -> None:
    server.send(call(1, "wait_for_end"))
    assert server.hear()["params"]["data"] == "waiting"
    server.process.send_signal(number)
    assert server.hear()["result"]["structuredContent"] == {"text": "over"}
    assert server.process.wait(WAIT_SECONDS) == 0


def test_a_signal_ends_it_although_it_does_not_interrupt_the_wait_for_input(server: Server) -> None:
    server.send(call(1, "wait_for_end"))
    assert server.hear()["params"]["data"] == "waiting"
    server.send(call(2, "block_signals"))
    assert server.hear()["result"]["structuredContent"] == {"text": "blocked"}
    server.process.terminate()
    assert server.hear()["result"]["structuredContent"] == {"text": "over"}
    assert server.process.wait(WAIT_SECONDS) == 0


def test_it_ends_when_nobody_reads_any_more(server: Server) -> None:
    server.send(asked(1, "ping"))
    assert server.hear()["result"] == {}
    server.output.close()
    server.send(asked(2, "ping"))
    assert server.process.wait(WAIT_SECONDS) == 0


@pytest.mark.parametrize("beside", [False, True])
def test_a_signal_ends_it_although_nobody_reads(server: Server, *, beside: bool) -> None:
    """Whichever thread writes: only the main one is interrupted."""
    server.send(asked(0, "ping"))
    server.hear()
    server.send(*([call(1, "say_much")] if beside else [asked(number, "tools/list") for number in range(1, 100)]))
    waiting: list[int] = []

    def stuck() -> bool:
        waiting.append(int.from_bytes(fcntl.ioctl(server.output, termios.FIONREAD, b"\0" * 4), sys.byteorder))
        return waiting[-1] > 0 and waiting[-40:] == waiting[-1:] * 40

    until(stuck)
    server.process.terminate()
    assert server.process.wait(WAIT_SECONDS) == 0


def test_what_breaks_one_request_does_not_end_the_others(server: Server) -> None:
    state = asked(1, "tools/call", name="ask_name", requestState="a.\ud800", _meta=envelope())
    server.send(state, *(call(n, ("say_nan", "say_object", "leave")[n % 3]) for n in range(2, 62)))
    server.send(call(62, "workflow_list"), call(63, "event_list", wait_ms=1))
    said, errors = server.rest()
    codes = {message["id"]: message.get("error", {}).get("code") for message in said}
    assert codes == {1: -32602} | dict.fromkeys(range(2, 62), -32603) | {62: None, 63: None}
    assert (server.process.returncode, errors) == (0, "")


def test_a_long_answer_is_written_without_being_copied_again_and_again(app: App) -> None:
    """By parts that are copies it would take minutes, in which nobody else were answered."""
    reading, wire = os.pipe()
    stdio = Stdio(app, "", wire)
    message = {"text": "x" * 60_000_000}
    sending = threading.Thread(target=stdio.send, args=[message], daemon=True)
    sending.start()
    with open(reading, "rb") as pipe:
        assert json.loads(pipe.readline()) == message
    sending.join(WAIT_SECONDS)
    os.close(wire)


def test_a_thread_outlives_whatever_its_task_does() -> None:
    reported: list[BaseException] = []
    workers = Workers(reported.append, lambda: None)

    def fail() -> None:
        raise SystemExit

    done: list[int] = []
    workers.run(fail)
    until(lambda: workers._free)
    workers.run(lambda: done.append(1))
    workers.close()
    assert (len(reported), done, len(workers._threads)) == (1, [1], 1)


@pytest.mark.parametrize("closed", [0, 1])
def test_it_ends_when_it_is_started_without_a_client(repo: Path, environment: dict[str, str], closed: int) -> None:
    started = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}>&-', "sh", *COMMAND],
        cwd=repo,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=WAIT_SECONDS,
    )
    assert (started.returncode, started.stderr) == (0, b"")


@pytest.mark.proves("face:mcp:hostile-lines")
def test_a_line_that_is_too_long_is_skipped_as_it_comes(server: Server) -> None:
    server.send(asked(1, "ping"))
    server.hear()
    before = memory(server)
    for _ in range(100):
        server.send(b"x" * 1024 * 1024)
    server.send(b"\n", asked(2, "ping"))
    assert server.hear()["error"]["code"] == -32600
    assert server.hear()["id"] == 2
    assert memory(server) - before < 40 * 1024


def memory(server: Server) -> int:
    """The most it ever used, in KiB."""
    (line,) = [
        line for line in Path(f"/proc/{server.process.pid}/status").read_text().splitlines() if line.startswith("VmHWM")
    ]
    return int(line.split()[1])


@pytest.mark.proves("face:mcp:subscriptions")
@pytest.mark.parametrize("database", ["sqlite", "postgres"])
def test_it_tells_of_what_another_process_changed(
    request: pytest.FixtureRequest, repo: Path, environment: dict[str, str], database: str
) -> None:
    if database == "postgres":
        environment |= {"DEEDLOG_DATABASE_URL": request.getfixturevalue("postgres_url"), "DEEDLOG_PROJECT": "told"}
    server, other = Server(repo, environment), Server(repo, environment)
    server.send(call(1, "start_workflow", name="x"))
    workflow_id = server.hear()["result"]["structuredContent"]["workflow_id"]
    server.send(asked(2, "resources/subscribe", uri=f"workflow://{workflow_id}"))
    assert server.hear()["result"] == {}
    other.send(call(1, "complete_workflow", workflow_id=workflow_id), call(2, "ledger_undo"))
    said, _ = other.rest()
    assert ["isError" in reply["result"] for reply in said] == [False, False]
    told = {"jsonrpc": "2.0", "method": "notifications/resources/updated"}
    for _ in range(2):
        assert server.hear() == {**told, "params": {"uri": f"workflow://{workflow_id}"}}
    assert server.rest() == ([], "")


def test_bytes_become_lines_however_they_come() -> None:
    text = b"one\n\ntwo\r\n" + b"y" * (LONGEST_LINE + 1) + b"\n" + b"z" * LONGEST_LINE + b"\nlast"
    expected = [b"one", b"", b"two\r", None, b"z" * LONGEST_LINE, b"last"]
    for size in (7_000_001, 65_536, len(text)):
        lines = Lines()
        found = [line for start in range(0, len(text), size) for line in lines.feed(text[start : start + size])]
        assert [None if isinstance(line, Skipped) else line for line in [*found, *lines.last()]] == expected


LONG = {
    "method": "tools/call",
    "params": {"name": "start_workflow", "arguments": {"id": 7, "name": "x" * LONGEST_LINE}},
}
CUT = {
    "method": "tools/call",
    "params": {"arguments": {"name": "x" * LONGEST_LINE, "say": ',"id":8}'}},
    "jsonrpc": "2.0",
}


@pytest.mark.proves("face:mcp:hostile-lines")
@pytest.mark.parametrize(
    ("message", "named"),
    [
        ({"jsonrpc": "2.0", "id": 3, **LONG}, 3),
        ({**LONG, "jsonrpc": "2.0", "id": 'a "b'}, 'a "b'),
        ({**CUT, "id": -4}, -4),
        (CUT, None),
        ({"jsonrpc": "2.0", "id": 9, "result": {"content": {"x": "x" * LONGEST_LINE}}}, None),
        (["x" * LONGEST_LINE, {"method": "ping", "id": 1}], None),
        ("x" * LONGEST_LINE, None),
    ],
    ids=["id first", "id last", "id last, with texts like it", "notification", "reply", "batch", "text"],
)
@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")], ids=["narrow", "wide"])
def test_a_request_that_is_too_long_is_refused_under_its_own_id(
    message: Any, named: str | int | None, separators: tuple[str, str]
) -> None:
    data = json.dumps(message, separators=separators).encode() + b"\n"
    for size in (65_536, 1_000, len(data)):
        lines = Lines()
        (line,) = [found for start in range(0, len(data), size) for found in lines.feed(data[start : start + size])]
        assert isinstance(line, Skipped)
        assert line.request_id == named


@pytest.mark.proves("face:mcp:hostile-lines")
def test_a_client_hears_that_its_request_was_too_long(server: Server) -> None:
    server.send(call(5, "start_workflow", name="x" * LONGEST_LINE), asked(6, "ping"))
    refusal = server.hear()
    assert (refusal["id"], refusal["error"]["code"]) == (5, -32600)
    assert server.hear() == {"jsonrpc": "2.0", "id": 6, "result": {}}


@pytest.mark.proves("face:mcp:ask")
def test_a_reply_that_is_too_long_is_none(server: Server) -> None:
    client = {
        "protocolVersion": "2025-11-25",
        "capabilities": {"elicitation": {}},
        "clientInfo": {"name": "x", "version": "1"},
    }
    server.send(asked(1, "initialize", **client))
    server.hear()
    server.send(call(2, "ask_name"))
    question = server.hear()
    content = {"name": "x" * LONGEST_LINE}
    server.send({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": content}})
    heard = [server.hear(), server.hear()]
    assert [message.get("id") for message in heard] == [None, 2]
    assert heard[1]["result"]["structuredContent"] == {"text": "nobody"}
