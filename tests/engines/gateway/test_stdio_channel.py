from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from deedlog.core.errors import Unavailable
from deedlog.gateway.programs import lines, stdio
from deedlog.gateway.programs.lines import Lines, TooLong, encoded
from deedlog.gateway.programs.stdio import StdioChannel
from deedlog.gateway.wire import Undelivered
from tests.engines.gateway.stub_server import stub
from tests.engines.gateway.talking import SECONDS, Channels, lives, runs, until

Json = dict[str, Any]


def request(number: int, tool: str, **arguments: Any) -> Json:
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def structured(channels: Channels, number: int) -> Json:
    until(lambda: [each for each in channels.messages if each.get("id") == number])
    [answer] = [each for each in channels.messages if each.get("id") == number]
    found: Json = answer["result"]["structuredContent"]
    return found


def test_messages_go_to_the_process_and_come_back_as_they_are(channels: Channels) -> None:
    channel = channels.open()
    said = {"text": "Grüße 🦊\n\u2028", "half": "\ud83d", "deep": [{"a": None}], "big": 2**70}
    channel.send(request(1, "echo", **said), SECONDS)
    assert structured(channels, 1)["arguments"] == said
    assert channel.pid in [each.get("started") for each in channels.record()]


def test_it_gets_the_environment_and_the_folder_it_is_given_and_no_other(tmp_path: Path, channels: Channels) -> None:
    channels.open().send(request(1, "environment"), SECONDS)
    found = structured(channels, 1)
    assert set(found["env"]) <= {"PATH", "LC_CTYPE"}  # Python sets the latter by itself
    assert found["cwd"] == str(tmp_path)


def test_lines_that_are_no_messages_are_skipped_and_counted(channels: Channels) -> None:
    channel = channels.open("--garbage", 8)
    channel.send(request(1, "litter", lines=16), SECONDS)
    until(lambda: channels.messages)
    assert [each["id"] for each in channels.messages] == [1]
    assert channel.skipped == 7 * 3  # an empty line is none


def test_a_result_of_many_megabytes_comes_whole(channels: Channels) -> None:
    channels.open().send(request(1, "big", characters=20_000_000), SECONDS)
    until(lambda: channels.messages)
    assert len(channels.messages[0]["result"]["content"][0]["text"]) == 20_000_000


def test_a_message_of_many_megabytes_is_taken_whole(channels: Channels) -> None:
    channels.open().send(request(1, "echo", text="y" * 8_000_000), SECONDS)
    assert len(structured(channels, 1)["arguments"]["text"]) == 8_000_000


def test_messages_of_many_threads_do_not_mix(channels: Channels) -> None:
    channel = channels.open()
    texts = {number: str(number) * 50_000 for number in range(1, 41)}

    def send(number: int) -> None:
        channel.send(request(number, "echo", text=texts[number]), SECONDS)

    threads = [threading.Thread(target=send, args=[number]) for number in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    until(lambda: len(channels.messages) == len(texts))
    found = {each["id"]: each["result"]["structuredContent"]["arguments"]["text"] for each in channels.messages}
    assert found == texts


def test_a_flood_on_its_other_output_keeps_nobody_waiting_and_only_its_end_is_kept(channels: Channels) -> None:
    channel = channels.open("--secret", "s3cret")
    channel.send(request(1, "noise", lines=200_000), SECONDS)
    until(lambda: channels.messages)
    until(lambda: "noise 199999" in channel.said())
    assert len(channel.said()) < 20_000


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"status": 7}, "it exited with status 7"),
        ({"status": 0}, "it exited"),
        ({"how": "kill"}, "it was killed by SIGKILL"),
    ],
)
def test_its_end_is_told_once_with_its_status(channels: Channels, how: Json, told: str) -> None:
    channel = channels.open()
    channel.send(request(1, "die", **how), SECONDS)
    until(lambda: channels.lost)
    assert "fatal: told to die" in channel.said()
    with pytest.raises(Unavailable, match=told):
        channel.send(request(2, "echo"), SECONDS)
    channel.close()
    assert channels.lost == [told]


def test_what_it_wrote_before_it_ended_still_comes(channels: Channels) -> None:
    program = 'import os; os.write(1, b\'{"id": 1, "result": {}}\\n\' * 3000); os._exit(3)'
    channel = StdioChannel([sys.executable, "-I", "-S", "-c", program], {}, "")
    channel.open(channels.messages.append, channels.lost.append, SECONDS)
    until(lambda: channels.lost)
    assert len(channels.messages) == 3000
    assert channels.lost == ["it exited with status 3"]


@pytest.mark.proves("gate:process:nothing-left")
def test_its_end_is_noticed_although_a_process_it_started_holds_its_output(channels: Channels) -> None:
    channel = channels.open()
    channel.send(request(1, "spawn"), SECONDS)
    other = structured(channels, 1)["pid"]
    os.kill(channel.pid, signal.SIGKILL)
    until(lambda: channels.lost)
    assert channels.lost == ["it was killed by SIGKILL"]
    until(lambda: not runs(other))


def test_its_end_is_also_noticed_where_the_system_does_not_tell(
    channels: Channels, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "pidfd_open")
    channel = channels.open()
    channel.send(request(1, "spawn"), SECONDS)
    other = structured(channels, 1)["pid"]
    os.kill(channel.pid, signal.SIGKILL)
    until(lambda: channels.lost)
    assert channels.lost == ["it was killed by SIGKILL"]
    until(lambda: not runs(other))


def test_one_that_closes_its_output_and_goes_on_is_ended(channels: Channels) -> None:
    program = "import os, time; os.close(1); time.sleep(3600)"
    channel = StdioChannel([sys.executable, "-I", "-S", "-c", program], {}, "")
    channel.open(channels.messages.append, channels.lost.append, SECONDS)
    until(lambda: channels.lost)
    assert channels.lost == ["it closed its output"]
    assert not lives(channel.pid)


@pytest.mark.proves("gate:process:loss")
def test_what_it_does_not_read_keeps_nobody_waiting_and_comes_whole_when_it_reads(channels: Channels) -> None:
    go = channels.folder / "go"
    channel = channels.open("--start-after", go)
    texts = {number: str(number % 10) * 30_000 for number in range(40)}
    for number, text in texts.items():
        channel.send(request(number, "echo", text=text), 0)
    assert channel.unread
    go.touch()
    until(lambda: len(channels.messages) == len(texts))
    assert {number: structured(channels, number)["arguments"]["text"] for number in texts} == texts
    assert not channel.unread
    assert channels.lost == []


def test_what_waits_for_it_to_read_has_a_limit(channels: Channels, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdio, "MOST_UNSENT", 2_000_000)
    channel = channels.open("--deaf")
    channel.send(request(1, "echo", text="z" * 3_000_000), 0)  # one is always taken
    with pytest.raises(Unavailable, match="it does not read what it is sent"):
        channel.send(request(2, "echo"), 0)
    assert channels.lost == []


def test_closing_lets_it_end_by_itself_first(channels: Channels) -> None:
    channel = channels.open()
    channel.send(request(1, "echo"), SECONDS)
    until(lambda: channels.messages)
    channel.close()
    assert [each for each in channels.record() if "ended" in each]
    assert not lives(channel.pid)
    assert channels.lost == []
    channel.close()


@pytest.mark.proves("gate:process:nothing-left")
@pytest.mark.parametrize("switches", [("--linger",), ("--linger", "--ignore-term"), ("--deaf", "--ignore-term")])
def test_closing_ends_one_that_does_not_want_to_with_all_that_it_started(
    channels: Channels, switches: tuple[str, ...]
) -> None:
    channel = channels.open(*switches)
    other = 0
    if "--deaf" not in switches:
        channel.send(request(1, "spawn"), SECONDS)
        other = structured(channels, 1)["pid"]
    channel.close()
    assert not lives(channel.pid)
    until(lambda: not other or not runs(other))


def test_it_may_be_closed_by_the_thread_that_reads_from_it(channels: Channels) -> None:
    channel = channels.new()
    channel.open(lambda _message: channel.close(), channels.lost.append, SECONDS)
    channel.send(request(1, "echo"), SECONDS)
    until(lambda: not lives(channel.pid))
    assert channels.lost == []


def test_it_may_be_closed_by_many_threads_while_others_send(channels: Channels) -> None:
    channel = channels.open("--deaf")

    def send() -> None:
        while True:
            channel.send(request(1, "echo", text="z" * 1_000), SECONDS)

    def send_until_closed() -> None:
        with pytest.raises(Unavailable, match="it was closed"):
            send()

    threads = [threading.Thread(target=send_until_closed) for _ in range(4)]
    threads += [threading.Thread(target=channel.close) for _ in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not lives(channel.pid)


def test_one_that_was_never_opened_can_be_closed(channels: Channels) -> None:
    channels.new().close()


@pytest.mark.proves("gate:process:nothing-left")
def test_when_we_are_killed_it_sees_the_end_of_its_input(channels: Channels) -> None:
    record = channels.record.path
    program = (
        "import sys, time; from deedlog.gateway.programs.stdio import StdioChannel\n"
        "channel = StdioChannel(sys.argv[1:], {}, '')\n"
        "channel.open(print, print, 9); print(channel.pid, flush=True); time.sleep(3600)"
    )
    command = [sys.executable, "-c", program, *stub("--record", record)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        pid = int(process.stdout.readline())
        until(lambda: [each for each in channels.record() if "started" in each])
        process.kill()
    until(lambda: [each for each in channels.record() if "ended" in each])
    until(lambda: not runs(pid))


@pytest.mark.parametrize(
    ("command", "folder", "told"),
    [
        ("no-such-program", "", "there is no program no-such-program"),
        (__file__, "", "may not be run"),
        (sys.executable, "/no/such/folder", "there is no folder /no/such/folder"),
    ],
)
def test_what_cannot_be_started_is_refused_with_the_reason(
    channels: Channels, command: str, folder: str, told: str
) -> None:
    channel = StdioChannel([command], {"PATH": os.environ["PATH"]}, folder)
    with pytest.raises(Unavailable, match=told) as refused:
        channel.open(channels.messages.append, channels.lost.append, SECONDS)
    assert refused.value.hint
    channel.close()
    assert channels.lost == []


def test_what_is_no_number_in_json_becomes_nothing() -> None:
    assert Lines().take(b'{"id": 1, "result": [NaN, -Infinity]}\n') == [{"id": 1, "result": [None, None]}]


def test_lines_may_come_in_any_pieces() -> None:
    messages = [{"id": number, "result": {"text": "ü" * number}} for number in range(30)]
    data = b"".join(map(encoded, messages))
    for size in (1, 2, 3, 7, 64, len(data)):
        taker, found = Lines(), []
        for start in range(0, len(data), size):
            found += taker.take(data[start : start + size])
        assert found == messages


def test_several_messages_in_one_line_are_taken_one_by_one() -> None:
    taker = Lines()
    assert taker.take(b'[{"id": 1, "result": {}}, {"method": "x"}]\n') == [{"id": 1, "result": {}}, {"method": "x"}]
    assert taker.skipped == 0


@pytest.mark.parametrize(
    "line",
    [
        b'{"jsonrpc": "2.0", "id": 7, "result": {"deep": ' + b"[" * 100_000 + b"]" * 100_000 + b"}}",
        b'{"result":{"deep":' + b"[" * 100_000 + b"]" * 100_000 + b'},"jsonrpc":"2.0","id":7}',
        b'{"jsonrpc":"2.0","id":7,"result":{"number":' + b"9" * 10_000 + b"}}",
        b'{"jsonrpc":"2.0","id":7,"result":{"half',
    ],
)
def test_of_an_answer_that_cannot_be_read_it_is_told_whose_it_was(line: bytes) -> None:
    [found] = Lines().take(line + b"\n")
    assert isinstance(found, Undelivered)
    assert found["id"] == 7


@pytest.mark.parametrize(
    "line",
    [
        b'{"jsonrpc":"2.0","method":null}',
        b'{"jsonrpc":"2.0","id":null,"result":{}}',
        b'{"jsonrpc":"2.0","method":7}',
        b'received {"jsonrpc":"2.0","id":7,"result":{}}',
        b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"result":{"half',
        b'{"log":"done","id":7,',
    ],
)
def test_what_only_looks_like_a_message_is_skipped(line: bytes) -> None:
    taker = Lines()
    assert taker.take(line + b"\n") == []
    assert taker.skipped == 1


def test_text_in_another_encoding_does_not_lose_its_message() -> None:
    assert Lines().take(b'{"id": 1, "result": {"text": "gr\xfc\xdfe"}}\n') == [
        {"id": 1, "result": {"text": "gr\ufffd\ufffde"}}
    ]


def test_a_line_without_end_is_not_read_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LONGEST", 1000)
    taker = Lines()
    assert taker.take(b"x" * 900) == []
    with pytest.raises(TooLong):
        taker.take(b"x" * 200)
