"""Servers that send too much: Deedlog takes a part, says how much it left out, and goes on."""

from __future__ import annotations

import json
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from deedlog.core.errors import Unavailable
from deedlog.gateway.programs.stdio import StdioChannel
from deedlog.gateway.remote.http import HttpChannel
from deedlog.gateway.talking import conversation as conversing
from deedlog.gateway.talking import listing
from deedlog.gateway.talking.conversation import Conversation
from deedlog.ports import Offer, Silent
from tests.engines.gateway.http_servers import Handler, Heard, OddServer, call, greeting, talking, well_behaved

SERVER = """
    import json, sys
    def send(text): sys.stdout.write(text + "\\n")
    for line in sys.stdin:
        asked = json.loads(line)
        if "id" not in asked: continue
        if asked["method"] == "initialize":
            answer = json.dumps({GREETING})
        else:
            answer = None
            BODY
        if answer is not None:
            send('{"jsonrpc":"2.0","id":%d,"result":%s}' % (asked["id"], answer))
        sys.stdout.flush()
"""


@contextmanager
def program(body: str, heard: Heard | None = None) -> Iterator[Conversation]:
    text = textwrap.dedent(SERVER).replace("{GREETING}", repr(greeting()))
    lines = textwrap.dedent(body).strip().splitlines()
    text = text.replace("BODY", ("\n" + " " * 8).join(lines))
    heard = heard or Heard()
    channel = StdioChannel([sys.executable, "-I", "-S", "-c", text], {}, "")
    conversation = Conversation(channel, "odd", "/project", heard.notice, heard.over)
    try:
        conversation.open(60)
        yield conversation
    finally:
        conversation.close()


def listed(conversation: Conversation) -> Offer:
    found = Offer(capabilities={"tools": {}})
    return listing.listed(conversation, found, 60)


def tool(number: int, description: str = "Does it.") -> dict[str, Any]:
    return {"name": f"tool_{number}", "description": description, "inputSchema": {"type": "object"}}


class Asked:
    """Stands for a conversation: gives one page after the other."""

    def __init__(self, page: Callable[[int], dict[str, Any]]) -> None:
        self.page, self.pages = page, 0

    def request(self, _method: str, _params: Any, _peer: Any, _seconds: float) -> dict[str, Any]:
        self.pages += 1
        return self.page(self.pages)


def offer_of(asked: Asked) -> Offer:
    return listed(asked)  # type: ignore[arg-type]


@pytest.mark.proves("gate:flood:bounded")
def test_of_twenty_thousand_tools_a_part_is_taken_and_the_rest_is_counted() -> None:
    found = offer_of(Asked(lambda _: {"tools": [tool(number) for number in range(20_000)]}))
    assert len(found.tools) == listing.MOST_ROWS
    assert found.problems == [
        f"{20_000 - listing.MOST_ROWS} of its 20000 tools are left out: Deedlog takes at most 2000"
    ]


@pytest.mark.proves("gate:flood:bounded")
def test_a_list_whose_pages_never_end_is_left_and_says_so() -> None:
    asked = Asked(lambda page: {"tools": [tool(page)], "nextCursor": str(page)})
    found = offer_of(asked)
    assert asked.pages == listing.MOST_PAGES
    assert len(found.tools) == listing.MOST_PAGES
    assert found.problems == [f"its list of tools has more than {listing.MOST_PAGES} pages: the rest is left out"]


@pytest.mark.proves("gate:flood:bounded")
def test_a_list_whose_pages_go_round_in_a_circle_is_read_once() -> None:
    asked = Asked(lambda page: {"tools": [tool(page)], "nextCursor": "ab"[page % 2]})
    assert len(offer_of(asked).tools) == asked.pages == 3


@pytest.mark.proves("gate:flood:bounded")
def test_many_full_pages_are_not_asked_for_to_the_end() -> None:
    asked = Asked(
        lambda page: {"tools": [tool(page * 1_000 + number) for number in range(1_000)], "nextCursor": str(page)}
    )
    found = offer_of(asked)
    assert asked.pages <= 3
    assert len(found.tools) == listing.MOST_ROWS
    assert found.problems == ["at least 1000 further tools are left out: Deedlog takes at most 2000"]


@pytest.mark.proves("gate:flood:bounded")
def test_a_tool_that_is_too_large_is_left_out_and_the_others_are_not() -> None:
    huge = {"type": "object", "properties": {f"p{number}": {"type": "string"} for number in range(20_000)}}
    found = offer_of(Asked(lambda _: {"tools": [tool(1), {**tool(2), "inputSchema": huge}, tool(3)]}))
    assert [each["name"] for each in found.tools] == ["tool_1", "tool_3"]
    assert found.problems == ["1 of its 3 tools is left out: its definition has more than 256 KiB"]


@pytest.mark.proves("gate:flood:bounded")
def test_all_tools_together_have_a_limit() -> None:
    found = offer_of(Asked(lambda _: {"tools": [tool(number, "x" * 200_000) for number in range(100)]}))
    assert sum(len(json.dumps(each)) for each in found.tools) <= listing.LARGEST_LIST
    left = 100 - len(found.tools)
    assert found.problems == [f"{left} of its 100 tools are left out: together they have more than 8 MiB"]


NUMBERS = '{"content":[],"structuredContent":{"a":NaN,"b":[Infinity,-Infinity],"c":1e999,"d":1.5}}'
PLAIN = {"a": None, "b": [None, None], "c": None, "d": 1.5}


@pytest.mark.proves("gate:flood:numbers")
def test_numbers_that_json_does_not_have_become_null_from_a_program() -> None:
    with program(f"answer = {NUMBERS!r}") as odd:
        assert call(odd, "x")["structuredContent"] == PLAIN


@pytest.mark.proves("gate:flood:numbers")
@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
def test_numbers_that_json_does_not_have_become_null_over_http(kind: str) -> None:
    def doing(handler: Handler) -> None:
        if handler.message.get("method") != "tools/call":
            well_behaved(handler)
            return
        text = f'{{"jsonrpc":"2.0","id":{handler.message["id"]},"result":{NUMBERS}}}'
        body = text if kind == "application/json" else f"event: message\ndata: {text}\n\n"
        handler.reply(200, body.encode(), kind)

    with OddServer(doing) as server, talking(HttpChannel("http", server.url, {}, name="odd")) as odd:
        assert call(odd, "x")["structuredContent"] == PLAIN


@pytest.mark.parametrize("depth", [1_000, 100_000])
def test_an_answer_that_is_nested_too_deeply_is_refused_as_the_servers_own_fault(depth: int) -> None:
    with program(f"answer = '[' * {depth} + ']' * {depth}") as odd, pytest.raises(Unavailable, match="server"):
        call(odd, "x", 20)


@pytest.mark.parametrize("depth", [1_000, 100_000])
def test_the_same_over_http(depth: int) -> None:
    def doing(handler: Handler) -> None:
        if handler.message.get("method") != "tools/call":
            well_behaved(handler)
            return
        deep = '{"a":' * depth + "1" + "}" * depth
        handler.reply(200, f'{{"jsonrpc":"2.0","id":{handler.message["id"]},"result":{deep}}}'.encode())

    with (
        OddServer(doing) as server,
        talking(HttpChannel("http", server.url, {}, name="odd")) as odd,
        pytest.raises(Unavailable, match="odd"),
    ):
        call(odd, "x", 20)


FLOOD = """
    if asked["method"] == "tools/call":
        for number in range(50_000):
            send('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":%d}}' % number)
            send('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d,"progress":%d}}'
                 % (asked["id"], number))
        answer = '{"done":true}'
"""


class Hearing(Silent):
    def __init__(self) -> None:
        self.steps = 0

    def progress(self, done: float, total: float | None = None, message: str = "") -> None:
        self.steps += 1


@pytest.mark.proves("gate:flood:bounded")
def test_of_a_flood_of_log_lines_and_progress_a_part_is_passed_on_and_the_answer_arrives() -> None:
    heard, peer, began = Heard(), Hearing(), time.monotonic()
    with program(FLOOD, heard) as odd:
        params = {"name": "x", "arguments": {}, "_meta": {"progressToken": 1}}
        assert odd.request("tools/call", params, peer, 120) == {"done": True}
        seconds = time.monotonic() - began
        assert odd.dropped > 0
    most = conversing.BURST + conversing.PER_SECOND * (seconds + 1)
    assert 0 < len(heard.notices) + peer.steps <= most


@pytest.mark.proves("gate:flood:bounded")
def test_a_change_of_a_list_is_heard_in_a_flood() -> None:
    heard = Heard()
    flood = FLOOD.replace(
        "answer = ",
        'send(\'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\'); answer = ',
    )
    with program(flood, heard) as odd:
        call(odd, "x", 120)
    assert heard.notices[-1][0] == "notifications/tools/list_changed"


@pytest.mark.proves("gate:flood:bounded")
def test_a_flood_over_http_does_not_pile_up_before_who_reads_slowly() -> None:
    def doing(handler: Handler) -> None:
        if handler.message.get("method") != "tools/call":
            well_behaved(handler)
            return
        handler.begin_stream()
        note = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "x" * 1_000}}
        for _ in range(100):
            handler.write(f"event: message\ndata: {json.dumps(note)}\n\n".encode() * 100)
        handler.event({"jsonrpc": "2.0", "id": handler.message["id"], "result": {"done": True}})

    behind: list[int] = []
    channel = HttpChannel("http", "", {}, name="odd")

    class Slow(Heard):
        def notice(self, method: str, params: Any) -> None:
            behind.append(channel._coming.qsize())
            super().notice(method, params)

    with OddServer(doing) as server:
        channel._url = server.url
        with talking(channel, Slow()) as odd:
            assert call(odd, "x", 120) == {"done": True}
    assert max(behind) <= 1_100
