"""Lines no honest client sends, the same ones every time. None of them may write anything."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from tests.faces.mcp.speaking import envelope

Line = tuple[bytes, int | None]

MOST_DEEP = 10_000
SURELY_READ = 200  # as deep as this a line is still JSON everywhere
METHODS = ["tools/list", "tools/call", "resources/read", "prompts/get", "initialize", "ping", "no/such", "", "rpc.x"]
SCALARS: list[Any] = [None, True, 0, -1, 2**70, 1e308, "", "x" * 300, "\u0000", "\ud800", [], {}, [[]], {"a": None}]
RAW_VALUES = ["NaN", "Infinity", "-Infinity", "1e400", "-0", "00", "0x1", "1.", "'x'", "tru", "[" * 50, '{"a":1,"a":2}']
STATES: list[Any] = [*SCALARS, ".", "a.b", "a.\ud800", "\ud800.a", "é.é", "=.=", "x." + "0" * 64]


def lines(count: int, seed: int = 7) -> Iterator[Line]:
    """Lines with the id each must be answered by; None where no id can be read out of it for certain."""
    chance = random.Random(seed)
    makers = [_bytes, _cut, _raw_value, _wrong_shape, _wrong_params, _unknown, _deep, _batch, _reply, _duplicate]
    for number in range(count):
        yield makers[number % len(makers)](chance, number + 1)


def _call(chance: random.Random, number: int, tool: str = "", arguments: Any = None) -> dict[str, Any]:
    """A call that changes something or one that reads, in either era; the one that changes lacks what it needs."""
    params: dict[str, Any] = {"name": tool or chance.choice(["start_workflow", "workflow_list"])}
    params["arguments"] = {} if arguments is None else arguments
    if chance.random() < 0.5:
        params["_meta"] = envelope({"elicitation": {}}, progressToken=chance.choice(SCALARS))
        params |= {"requestState": chance.choice(STATES)} if chance.random() < 0.5 else {}
        params |= {"inputResponses": chance.choice(SCALARS)} if chance.random() < 0.5 else {}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def _valid(chance: random.Random, number: int) -> dict[str, Any]:
    """A call that would write, to be spoilt by something else than its arguments."""
    return _call(chance, number, "start_workflow", {"name": "x"})


def _line(message: Any) -> bytes:
    return json.dumps(message).encode() + b"\n"


def _bytes(chance: random.Random, _number: int) -> Line:
    noise = bytes(chance.randrange(256) for _ in range(chance.randrange(1, 200)))
    return b"\xff" + noise.replace(b"\n", b"") + b"\n", None


def _cut(chance: random.Random, number: int) -> Line:
    line = _line(_valid(chance, number))
    return line[: chance.randrange(1, len(line) - 2)] + b"\n", None


def _raw_value(chance: random.Random, number: int) -> Line:
    tool, name = chance.choice([("workflow_list", "limit"), ("start_workflow", "name")])
    text = json.dumps(_call(chance, number, tool, {name: "HERE"})).replace('"HERE"', chance.choice(RAW_VALUES))
    return text.encode() + b"\n", None


def _wrong_shape(chance: random.Random, number: int) -> Line:
    message = _valid(chance, number)
    message[chance.choice(["jsonrpc", "method", "params"])] = chance.choice(SCALARS)
    return _line(message), number


def _wrong_params(chance: random.Random, number: int) -> Line:
    broken = {chance.choice(["name", "limit", "status", "cursor", "nope", "__proto__"]): chance.choice(SCALARS)}
    too_much = {
        "name": "x",
        chance.choice(["description", "plan", "nope"]): chance.choice([5, "x" * 20_000, [0], True]),
    }
    message = _call(chance, number, "", chance.choice([broken, chance.choice(SCALARS)]))
    if chance.random() < 0.5:
        message = _call(chance, number, "start_workflow", chance.choice([broken, too_much]))
    if chance.random() < 0.5:
        message["params"]["_meta"] = chance.choice([{"progressToken": chance.choice(SCALARS)}, chance.choice(SCALARS)])
    return _line(message), number


def _unknown(chance: random.Random, number: int) -> Line:
    params = _call(chance, number, chance.choice(["nope", "../start_workflow", "x" * 500]))["params"] | {"uri": "a://b"}
    return _line({"jsonrpc": "2.0", "id": number, "method": chance.choice(METHODS), "params": params}), number


def _deep(chance: random.Random, number: int) -> Line:
    """Mostly shallow enough to be read; some as deep as a reader can just bear; some never closed."""
    depth = chance.choice([chance.randrange(30, SURELY_READ), chance.randrange(SURELY_READ, MOST_DEEP)])
    opened, closed = chance.choice([("[", "]"), ('{"a":', "}")])
    value = opened * depth + "1" + closed * depth * (chance.random() < 0.9)
    message = _call(chance, number, "start_workflow", {"name": "x"})
    if chance.random() < 0.5:
        message["params"]["arguments"]["plan"] = "HERE"
    else:
        message["params"] |= {"arguments": {}, "inputResponses": {"name": "HERE"}}
    read = depth < SURELY_READ and value.endswith(closed)
    return _line(message).replace(b'"HERE"', value.encode()), number if read else None


def _batch(chance: random.Random, number: int) -> Line:
    return _line([_valid(chance, number)] * chance.randrange(0, 4)), None


def _reply(chance: random.Random, number: int) -> Line:
    """Answers to questions nobody asked, and notifications: nothing is owed."""
    without_id = _valid(chance, number)
    del without_id["id"]
    unasked: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": number, "result": chance.choice(SCALARS)},
        {"jsonrpc": "2.0", "id": "deedlog-1", "error": {"code": 1, "message": "x"}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": chance.choice(SCALARS)}},
        {"jsonrpc": "2.0", "method": "notifications/nope", "params": chance.choice(SCALARS)},
        without_id,
    ]
    return _line(chance.choice(unasked)), None


def _duplicate(chance: random.Random, number: int) -> Line:
    line = _line(_call(chance, number))
    return line.replace(b'{"jsonrpc"', b'{"jsonrpc":"1.0","jsonrpc"', 1), None
