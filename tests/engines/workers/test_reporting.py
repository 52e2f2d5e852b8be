"""The socket of a worker, with a real store behind it and hostile clients before it."""

from __future__ import annotations

import json
import os
import socket
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from deedlog import settings
from deedlog.app import App
from deedlog.core.errors import Unavailable
from deedlog.core.worker_calls import CALLS, LONGEST_LINE, SOCKET, SOCKET_PROOF
from deedlog.operation import catalog
from deedlog.operation.define import Effect
from deedlog.testing import app_in, caller
from deedlog.worker_app import worker_app
from deedlog.workers import reporting
from deedlog.workers.proofs import answer_proof, request_proof
from deedlog.workers.reporting import Reports, Worker
from deedlog.workers.traces import Held, Traces, remove_socket
from tests.engines.workers.conftest import until

Json = dict[str, Any]
SECONDS = 30


class Wire(socket.socket):
    """A connection of a worker, or of one that knows no good secret."""

    def __init__(self, path: str, secret: str) -> None:
        super().__init__(socket.AF_UNIX, socket.SOCK_STREAM)
        self.settimeout(SECONDS)
        self.connect(path)
        self.lines = self.makefile("rb")
        self.secret = secret
        self.challenge = ""
        self.asked: list[str] = []

    def close(self) -> None:
        self.lines.close()
        super().close()

    def read(self) -> Json:
        """The next line but for the challenge."""
        if not self.challenge:
            self.challenge = json.loads(self.lines.readline())["challenge"]
        found: Json = json.loads(self.lines.readline())
        return found

    def ask(self, request: Json) -> bytes:
        """Send a request; the line that was sent."""
        if not self.challenge:
            self.challenge = json.loads(self.lines.readline())["challenge"]
        body = json.dumps(request)
        self.asked.append(request_proof(self.secret, self.challenge, len(self.asked), body))
        line = json.dumps({"proof": self.asked[-1], "body": body}).encode() + b"\n"
        self.sendall(line)
        return line

    def answer(self) -> Json:
        """The answer, whose proof is good; or a refusal without one."""
        said = self.read()
        if "body" not in said:
            return said
        assert said["proof"] == answer_proof(self.secret, self.asked[-1], said["body"])
        found: Json = json.loads(said["body"])
        return found


class Line:
    """A socket with a worker at one end."""

    def __init__(self, app: App, folder: Path) -> None:
        self.app = app
        self.folder = folder
        self.own = self._task("Own")
        self.other = self._task("Other")
        worker = Worker(task=self.own, session=self._session(self.own), epoch=0, actor="hand/s1")
        self.reports = Reports(app, worker, str(folder))
        self.reports.listen()
        self.reports.start()
        self.path, self.secret = (self.reports.environment[name] for name in (SOCKET, SOCKET_PROOF))

    def call(self, name: str, **arguments: object) -> Any:
        return self.app.call(name, arguments, caller())

    def _task(self, title: str) -> int:
        return int(self.call("task_create", title=title)["id"])

    def _session(self, task: int) -> int:
        return int(self.call("session_start", taskId=task, agent="coder")["sessionId"])

    def connect(self) -> Wire:
        return Wire(self.path, self.secret)

    def send(self, data: bytes) -> Json:
        """The answer to bytes."""
        with self.connect() as wire:
            wire.sendall(data)
            return wire.read()

    def ask(self, name: object, arguments: object = None, **more: object) -> Json:
        with self.connect() as wire:
            wire.ask({"id": 1, "name": name, "arguments": {} if arguments is None else arguments, **more})
            return wire.answer()

    def milestones(self, task: int) -> list[Json]:
        found: list[Json] = self.call("task_report", task_id=str(task)).get("milestones", [])
        return found


@pytest.fixture
def line(tmp_path: Path) -> Iterator[Line]:
    (tmp_path / "tree").mkdir()
    app = app_in(str(tmp_path / "store"), tree=str(tmp_path / "tree"))
    made = Line(app, tmp_path / "s")
    yield made
    made.reports.close()
    app.close()


@pytest.mark.proves("worker:report:own")
def test_a_report_is_recorded_on_the_worker_s_task_in_its_name(line: Line) -> None:
    assert "milestone_id" in line.ask("log_milestone", {"message": "left out"})["result"]
    for named in (line.own, str(line.own), f"task-{line.own}", f"task://{line.own}"):
        assert "result" in line.ask("log_milestone", {"task_id": named, "message": "named"})
    rows = line.milestones(line.own)
    assert len(rows) == 5
    assert {row["actor"] for row in rows} == {"hand/s1"}
    assert line.ask("task_get")["result"]["id"] == line.own
    assert line.reports.heard > 0


@pytest.mark.proves("worker:report:only")
@pytest.mark.parametrize("spelling", ["task_id", "taskId"])
def test_no_other_task_can_be_named(line: Line, spelling: str) -> None:
    for value in (line.other, str(line.other), f"task-{line.other}", f"task://{line.other}", [line.other], True, 1.5):
        refused = line.ask("log_milestone", {spelling: value, "message": "x"})["error"]
        assert (refused["kind"], refused["data"]["field"]) == ("denied", spelling)
    both = {"task_id": line.own, "taskId": line.other, "message": "x"}
    assert line.ask("log_milestone", both)["error"]["kind"] in ("denied", "invalid")
    assert line.ask("task_get", {"id": line.other})["error"]["kind"] == "denied"
    assert line.ask("task_get", {"task_id": line.other})["error"]["kind"] == "invalid"
    assert line.ask("question_ask", {"question": "x", "session_id": "99"})["error"]["kind"] == "denied"
    assert line.ask("task_heartbeat", {"epoch": 7})["error"]["kind"] == "denied"
    assert line.milestones(line.other) == line.milestones(line.own) == []


@pytest.mark.proves("worker:report:only")
def test_a_question_of_another_task_cannot_be_read(line: Line) -> None:
    asked = line.call("question_ask", task_id=str(line.other), question="Secret?")["question_id"]
    assert line.ask("question_get", {"question_id": asked})["error"]["kind"] == "not_found"


@pytest.mark.proves("worker:report:only")
def test_nothing_but_reports_is_called(line: Line) -> None:
    head = line.app.ledger.head()
    changing = [op.name for op in catalog.load() if op.effect is not Effect.READ]
    for name in [*changing, "event_list", "ledger_search", "no_such", "", None, 5, ["log_milestone"]]:
        if isinstance(name, str) and name in CALLS:
            continue
        refused = line.ask(name)["error"]
        assert refused["kind"] == "denied"
        assert refused["hint"]
    assert line.app.ledger.head() == head


@pytest.mark.proves("worker:report:only")
def test_ending_the_session_is_refused_with_what_to_do(line: Line) -> None:
    refused = line.ask("complete_task", {"status": "success"})["error"]
    assert "ends when it exits" in refused["message"]
    assert "commit your work" in refused["hint"]


@pytest.mark.proves("worker:report:only")
@pytest.mark.parametrize("proof", ["", "x", None, 5, "\ud800", ["a"]])
@pytest.mark.parametrize("body", ["{}", '{"name": "log_milestone", "arguments": {"message": "x"}}', None, 5, "\ud800"])
def test_a_caller_without_the_proof_is_refused(line: Line, proof: object, body: object) -> None:
    said = line.send(json.dumps({"proof": proof, "body": body}).encode() + b"\n")
    assert said["error"]["kind"] == "denied"
    assert "proof" not in said
    assert line.milestones(line.own) == []
    assert line.reports.heard == 0


@pytest.mark.proves("worker:report:hostile")
@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xfe\x00\n",
        b"null\n",
        b"[]\n",
        b"[" * 100_000 + b"\n",
        b'{"a":' * 20_000 + b"\n",
        b'{"id": NaN}\n',
        b'{"id": ' + b"9" * 10_000 + b"}\n",
        b'{"id": {"a": 1}, "proof": {}, "body": {}}\n',
        b'"\\ud800"\n',
        b"x" * (LONGEST_LINE + 1) + b"\n",
        b"x" * (LONGEST_LINE + 1),
    ],
    ids=lambda data: repr(data[:12]),
)
def test_garbage_is_refused_and_the_next_call_is_heard(line: Line, data: bytes) -> None:
    assert line.send(data)["error"]["message"]
    assert "result" in line.ask("log_milestone", {"message": "still here"})


@pytest.mark.proves("worker:report:hostile")
def test_a_line_of_a_hundred_megabytes_is_not_kept(line: Line) -> None:
    with line.connect() as wire, suppress(BrokenPipeError, ConnectionResetError):
        wire.sendall(b"x" * 100_000_000)
    assert "result" in line.ask("log_milestone", {"message": "still here"})


@pytest.mark.proves("worker:report:hostile")
def test_half_a_line_and_a_client_that_goes_change_nothing(line: Line) -> None:
    with line.connect() as wire:
        wire.sendall(b'{"id": 1, "name": "log_mile')
    with line.connect() as wire:
        wire.ask({"id": 1, "name": "task_get"})
    assert "result" in line.ask("log_milestone", {"message": "still here"})
    assert len(line.milestones(line.own)) == 1


@pytest.mark.proves("worker:report:hostile")
def test_connections_are_bounded_and_free_again_when_they_close(line: Line) -> None:
    held = [line.connect() for _ in range(reporting.MOST_CONNECTIONS)]
    until(lambda: len(line.reports._open) == reporting.MOST_CONNECTIONS)
    assert threading.active_count() < reporting.MOST_CONNECTIONS + 10
    for wire in held:
        wire.close()
    assert "result" in line.ask("log_milestone", {"message": "still here"})


@pytest.mark.proves("worker:report:hostile")
def test_a_worker_can_report_only_so_much(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reporting, "MOST_WRITES", 3)
    said = [line.ask("log_milestone", {"message": "flood"}) for _ in range(5)]
    assert ["result" in one for one in said] == [True, True, True, False, False]
    assert said[-1]["error"]["kind"] == "conflict"
    assert "result" in line.ask("task_get")
    monkeypatch.setattr(reporting, "MOST_WRITES", 100)
    monkeypatch.setattr(reporting, "MOST_WRITTEN", 1)
    assert "error" in line.ask("log_milestone", {"message": "flood"})


def test_the_keys_of_a_worker_are_its_own(line: Line) -> None:
    first = line.ask("log_milestone", {"message": "once"}, idempotency_key="k")["result"]
    assert line.ask("log_milestone", {"message": "once"}, idempotency_key="k")["result"] == first
    assert len(line.milestones(line.own)) == 1
    line.app.call("log_milestone", {"task_id": str(line.own), "message": "x"}, caller(idempotency_key="theirs"))
    taken = line.ask("log_milestone", {"message": "x"}, idempotency_key="theirs")["result"]
    assert len(line.milestones(line.own)) == 3
    assert taken["milestone_id"] != first["milestone_id"]
    assert line.ask("log_milestone", {"message": "x"}, idempotency_key="x" * 500)["error"]["kind"] == "invalid"


@pytest.mark.proves("worker:report:answer")
def test_a_call_that_waits_does_not_keep_the_others_and_ends_with_the_answer(line: Line) -> None:
    asked = line.ask("question_ask", {"question": "Which?", "choices": ["a", "b"]})["result"]["question_id"]
    request = {
        "id": 2,
        "name": "question_get",
        "arguments": {"question_id": asked, "wait_seconds": 60},
    }
    with line.connect() as wire:
        wire.ask(request)
        assert "result" in line.ask("log_milestone", {"message": "meanwhile"})
        before = line.reports.heard
        until(lambda: line.reports.heard > before)  # who waits for a person is not silent
        line.call("review_answer", review_id=asked, text="b")
        assert wire.answer()["result"]["answer"] == "b"


@pytest.mark.proves("worker:report:hostile")
def test_closing_ends_calls_that_wait_and_takes_the_socket_away(line: Line) -> None:
    asked = line.ask("question_ask", {"question": "Which?"})["result"]["question_id"]
    request = {"name": "question_get", "arguments": {"question_id": asked, "wait_seconds": 600}}
    with line.connect() as wire:
        wire.ask(request)
        until(lambda: line.reports._open)
        line.reports.close()
        assert not line.reports._threads
    assert not line.folder.exists()


def test_only_its_user_can_reach_the_socket(line: Line) -> None:
    assert stat.S_IMODE(os.stat(line.path).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(line.folder).st_mode) == 0o700


@pytest.mark.proves("worker:report:hostile")
def test_a_link_in_place_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other/socket").write_text("precious")
    (tmp_path / "s").symlink_to(tmp_path / "other")
    remove_socket(str(tmp_path / "s"))
    assert (tmp_path / "other/socket").read_text() == "precious"


@pytest.mark.proves("worker:report:hostile")
def test_the_socket_of_a_dead_supervisor_goes_with_its_trace(tmp_path: Path) -> None:
    traces = Traces(str(tmp_path / "store"))
    held = Held(traces, 7, "here")
    folder = tmp_path / "s"
    held.listen(str(folder))
    folder.mkdir()
    (folder / "socket").touch()
    os.close(held._file)  # as the system does for a process that dies
    traces.remove(7)
    assert not folder.exists()
    assert traces.free() == []


def test_a_connection_that_begins_while_the_socket_is_closed_does_not_harm_the_supervisor(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures: list[BaseException] = []
    start = threading.Thread.start

    def close() -> None:
        try:
            line.reports.close()
        except BaseException as error:  # noqa: BLE001  # whatever it is
            failures.append(error)

    closer = threading.Thread(target=close)

    def start_late(thread: threading.Thread) -> None:
        """Let the socket be closed before the connection's thread runs."""
        monkeypatch.setattr(threading.Thread, "start", start)
        start(closer)
        closer.join(1)
        start(thread)

    monkeypatch.setattr(reporting, "CLOSING_SECONDS", 0.0)  # it does not wait for those that run
    monkeypatch.setattr(threading.Thread, "start", start_late)
    with line.connect():
        until(lambda: closer.ident is not None)
        closer.join(SECONDS)
    assert failures == []
    assert not closer.is_alive()


@pytest.mark.proves("worker:report:mutual")
def test_the_secret_is_not_sent_and_no_request_can_be_repeated(line: Line) -> None:
    with line.connect() as wire:
        caught = wire.ask({"id": 1, "name": "log_milestone", "arguments": {"message": "once"}})
        assert "result" in wire.answer()
        wire.sendall(caught)
        assert wire.read()["error"]["kind"] == "denied"
    assert line.secret.encode() not in caught
    assert line.send(caught)["error"]["kind"] == "denied"
    assert len(line.milestones(line.own)) == 1


@pytest.mark.proves("worker:report:mutual")
def test_a_request_that_was_changed_on_its_way_is_refused(line: Line) -> None:
    with line.connect() as wire:
        wire.challenge = json.loads(wire.lines.readline())["challenge"]
        proof = request_proof(line.secret, wire.challenge, 0, '{"name": "task_get"}')
        wire.sendall(json.dumps({"proof": proof, "body": '{"name": "memory_list"}'}).encode() + b"\n")
        assert wire.read()["error"]["kind"] == "denied"


class Impostor:
    """Another program at the place of a worker's socket; it does with a request what it likes."""

    def __init__(self, path: Path, answered: Callable[[bytes], bytes]) -> None:
        self.path = path
        self.heard: list[bytes] = []
        self._answered = answered
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(path))
        self._listener.listen()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        wire, _ = self._listener.accept()
        with wire, wire.makefile("rwb") as file, suppress(OSError):
            file.write(json.dumps({"challenge": "ab" * 16}).encode() + b"\n")
            file.flush()
            self.heard.append(file.readline())
            file.write(self._answered(self.heard[-1]))
            file.flush()

    def close(self) -> None:
        self._thread.join(SECONDS)
        self._listener.close()


@pytest.mark.proves("worker:report:mutual")
@pytest.mark.parametrize(
    "said",
    [
        {"id": 1, "result": {"forged": True}},
        {"error": {"kind": "denied", "message": "forged"}},
        {"proof": "0" * 64, "body": '{"id": 1, "result": {"forged": true}}'},
        {"proof": answer_proof("", "x", "{}"), "body": "{}"},
        [],
        None,
    ],
)
@pytest.mark.parametrize("secret", ["5" * 64, ""])
def test_a_worker_believes_no_answer_of_another_program(tmp_path: Path, said: object, secret: str) -> None:
    impostor = Impostor(tmp_path / "socket", lambda _: json.dumps(said).encode() + b"\n")
    variables = {SOCKET: str(impostor.path), SOCKET_PROOF: secret}
    app = worker_app(settings.load(str(tmp_path), variables, {}), str)
    try:
        with pytest.raises(Unavailable) as refused:
            app.call("task_get", {}, caller())
    finally:
        impostor.close()
    assert "supervisor" in refused.value.message
    assert not secret or secret.encode() not in impostor.heard[0]


def test_a_socket_with_a_long_path_is_made_and_reached(line: Line, tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 120)
    deep.mkdir()
    reports = Reports(line.app, Worker(task=line.own, session=1, epoch=0, actor="hand/s1"), str(deep / "s"))
    reports.listen()
    reports.start()
    try:
        app = worker_app(settings.load(str(tmp_path), reports.environment, {}), str)
        assert app.call("task_get", {}, caller())["id"] == line.own
    finally:
        reports.close()
    assert not (deep / "s").exists()
