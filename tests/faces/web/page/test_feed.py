from __future__ import annotations

import asyncio
import http.client
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple, Self

import pytest

from deedlog.app import App
from deedlog.faces.web.page.live import Live
from deedlog.faces.web.page.watcher import MOST_WAITING, Watcher, told
from deedlog.faces.web.threads import Threads
from deedlog.ports import EventQuery
from tests.conftest import Call
from tests.e2e.processes import HttpServer, with_token
from tests.faces.mcp.speaking import until
from tests.faces.web.conftest import ENVIRONMENT, SERVE
from tests.faces.web.page.conftest import OnPort

WAIT_SECONDS = 60


class News(NamedTuple):
    name: str
    seq: int
    data: Any

    @property
    def seqs(self) -> list[int]:
        return [row["seq"] for row in self.data]


class Stream:
    """An open connection to the feed, as a browser has it."""

    def __init__(self, port: int, after: int | None = None, **headers: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=WAIT_SECONDS)
        self._connection.request(
            "GET", "/live" if after is None else f"/live?after={after}", headers=with_token(headers)
        )
        self.response = self._connection.getresponse()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.response.close()
        self._connection.close()

    def news(self) -> Iterator[News]:
        said: dict[str, str] = {}
        for line in iter(self.response.readline, b""):
            name, _, value = line.decode().strip().partition(": ")
            if name:
                said[name] = value
            elif said.get("event", "still") != "still":
                yield News(said["event"], int(said["id"]), json.loads(said["data"]))
                said = {}

    def until_seq(self, seq: int) -> list[int]:
        """The seqs it is told, up to one."""
        told: list[int] = []
        for news in self.news():
            assert news.name in ("here", "events"), news
            told += news.seqs if news.name == "events" else []
            if told and told[-1] >= seq:
                return told
        raise AssertionError(f"the stream ended after {told[-3:]}")


def head(server: OnPort) -> int:
    return int(server.get("/").one("#main")["data-seq"])


def write(server: OnPort, count: int = 1) -> int:
    """The seq of the log after that many events more."""
    for _ in range(count):
        server.call("workflow start", name="x")
    return head(server)


@pytest.mark.proves("page:feed:resumes")
def test_every_event_after_the_last_one_seen_is_told_once_and_in_order(page_server: OnPort) -> None:
    begun = write(page_server, 3)
    with Stream(page_server.server.port, 1) as stream, Stream(page_server.server.port, begun) as fresh:
        end = write(page_server, 20)
        assert stream.until_seq(end) == list(range(2, end + 1))
        assert fresh.until_seq(end) == list(range(begun + 1, end + 1))


@pytest.mark.proves("page:feed:resumes")
def test_a_connection_that_broke_goes_on_from_its_last_id_also_after_a_restart(repo: Path) -> None:
    with HttpServer(SERVE, repo, ENVIRONMENT) as first:
        end = write(OnPort(first), 2)
        with Stream(first.port, 0) as stream:
            assert stream.until_seq(end) == list(range(1, end + 1))
    with HttpServer(SERVE, repo, ENVIRONMENT) as second:
        further = write(OnPort(second), 3)
        with Stream(second.port, 0, **{"Last-Event-ID": str(end)}) as stream:
            assert stream.until_seq(further) == list(range(end + 1, further + 1))


@pytest.mark.proves("page:feed:resumes")
def test_who_missed_too_much_or_knows_another_store_reads_anew_and_hears_what_follows(page_server: OnPort) -> None:
    begun = write(page_server, 2)
    with Stream(page_server.server.port, begun + 1000) as stream:
        news = stream.news()
        assert [next(news).name, next(news).name] == ["here", "stale"]
        end = write(page_server)
        assert next(news).seqs == list(range(begun + 1, end + 1))


def test_each_connection_is_told_first_which_server_it_met(page_server: OnPort) -> None:
    around = page_server.get("/").one("html")
    with Stream(page_server.server.port) as stream:
        met = next(stream.news())
    assert (met.name, met.data) == ("here", {"server": around["data-server"], "edition": around["data-edition"]})


@pytest.mark.proves("page:feed:resumes")
def test_what_other_processes_write_is_told_while_pages_come_and_go(page_server: OnPort, repo: Path) -> None:
    """Streams begin and end all the time: the thread that reads for them ends and begins with them."""
    port, last = page_server.server.port, write(page_server)
    done = threading.Event()

    def write_on() -> None:
        for _ in range(40):
            page_server.call("workflow start", name="x")
        done.set()

    writer = threading.Thread(target=write_on)
    writer.start()
    told: list[int] = []
    while not done.is_set() or told[-1:] != [last]:
        with Stream(port, told[-1] if told else 0) as stream:
            for news in stream.news():
                told += news.seqs if news.name == "events" else []
                break
        with Stream(port, told[-1] if told else 0) as stream:
            news_of = stream.news()
            next(news_of)
            if (told[-1] if told else 0) < (now := head(page_server)):
                told += next(news_of).seqs
            last = now
    writer.join()
    assert told == list(range(1, told[-1] + 1))


@pytest.mark.proves("page:feed:many")
def test_two_hundred_pages_hear_the_same_event_and_do_not_keep_the_server_from_stopping(page_server: OnPort) -> None:
    begun = write(page_server)
    with ExitStack() as stack:
        streams = [stack.enter_context(Stream(page_server.server.port, begun)) for _ in range(200)]
        end = write(page_server)
        assert all(stream.until_seq(end) == list(range(begun + 1, end + 1)) for stream in streams)
        page_server.server.process.terminate()
        assert page_server.server.process.wait(WAIT_SECONDS) == 0
        assert [stream.response.read() for stream in streams] == [b""] * 200


def test_a_page_that_takes_nothing_holds_nobody_up_and_is_told_to_read_anew(page_server: OnPort) -> None:
    """It never reads: its socket fills, then what waits for it is let go."""
    begun = write(page_server)
    with socket.create_connection(("127.0.0.1", page_server.server.port)) as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.sendall(f"GET /live?after={begun} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
        with Stream(page_server.server.port, begun) as quick:
            end = write(page_server, 30)
            assert quick.until_seq(end)[-1] == end


def test_what_waits_for_a_page_is_bounded(app: App, call: Call) -> None:
    call("start_workflow", name="x")
    (event,) = app.ledger.events(EventQuery(limit=1))

    async def overflow() -> bytes:
        watcher = Watcher()
        for number in range(MOST_WAITING + 5):
            one = event.replace(seq=number + 1)
            watcher.tell([one], told([one]))
        await asyncio.sleep(0)
        return await watcher.take(1)

    data = asyncio.run(overflow())
    assert data.startswith(f"id: {MOST_WAITING + 1}\nevent: stale\n".encode())
    assert data.count(b"event: events") == 4


def test_a_question_for_the_head_of_the_feed_alone_opens_no_stream(page_server: OnPort) -> None:
    reply = page_server.fetch("HEAD", "/live")
    assert (reply.status, reply.body) == (200, b"")
    assert reply.headers["content-type"].startswith("text/event-stream")


@pytest.mark.parametrize("after", ["-1", "x", "١", "9" * 400, "1e3", ""])
def test_a_place_that_is_no_number_is_now(page_server: OnPort, after: str) -> None:
    write(page_server)
    with Stream(page_server.server.port, None, **{"Last-Event-ID": after.encode().decode("latin-1")}) as stream:
        assert next(stream.news()) == News("here", head(page_server), next_hello(page_server))


def next_hello(server: OnPort) -> dict[str, str]:
    around = server.get("/").one("html")
    return {"server": around["data-server"], "edition": around["data-edition"]}


def test_the_thread_that_reads_ends_when_nobody_watches(app: App) -> None:
    live = Live(app, Threads(app), {})

    def reading() -> list[str]:
        return [thread.name for thread in threading.enumerate() if thread.name == "deedlog-live"]

    async def watch() -> None:
        for _ in range(5):
            watcher = Watcher()
            await asyncio.to_thread(live.add, watcher, None)
            live.remove(watcher)
        watcher = Watcher()
        await asyncio.to_thread(live.add, watcher, None)
        assert reading()
        live.remove(watcher)

    asyncio.run(watch())
    until(lambda: not reading())
    live.close()
