"""Lines no honest client sends, the same ones every time."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

DEPTH = 10_000
METHODS = ["tools/list", "tools/call", "resources/read", "prompts/get", "initialize", "ping", "no/such", "", "rpc.x"]
SCALARS: list[Any] = [None, True, 0, -1, 2**70, 1e308, "", "x" * 300, "\u0000", "\ud800", [], {}, [[]], {"a": None}]
RAW_VALUES = ["NaN", "Infinity", "-Infinity", "1e400", "-0", "00", "0x1", "1.", "'x'", "tru", "[" * 50, '{"a":1,"a":2}']


def lines(count: int, seed: int = 7) -> Iterator[tuple[bytes, int | None]]:
    """Lines with the id each must be answered by; None where no id can be read out of it for certain."""
    chance = random.Random(seed)
    makers = [_bytes, _cut, _raw_value, _wrong_shape, _wrong_params, _unknown, _deep, _batch, _reply, _duplicate]
    for number in range(count):
        yield makers[number % len(makers)](chance, number + 1)


def _call(number: int, arguments: Any = None, **more: Any) -> dict[str, Any]:
    params = {"name": "workflow_list", "arguments": {} if arguments is None else arguments}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params, **more}


def _line(message: Any) -> bytes:
    return json.dumps(message).encode() + b"\n"


def _bytes(chance: random.Random, _number: int) -> tuple[bytes, int | None]:
    noise = bytes(chance.randrange(256) for _ in range(chance.randrange(1, 200)))
    return b"\xff" + noise.replace(b"\n", b"") + b"\n", None


def _cut(chance: random.Random, number: int) -> tuple[bytes, int | None]:
    line = _line(_call(number))
    return line[: chance.randrange(1, len(line) - 2)] + b"\n", None


def _raw_value(chance: random.Random, number: int) -> tuple[bytes, int | None]:
    text = json.dumps(_call(number, {"limit": "HERE"})).replace('"HERE"', chance.choice(RAW_VALUES))
    return text.encode() + b"\n", None


def _wrong_shape(chance: random.Random, number: int) -> tuple[bytes, int | None]:
    message = _call(number)
    message[chance.choice(["jsonrpc", "method", "params"])] = chance.choice(SCALARS)
    return _line(message), number


def _wrong_params(chance: random.Random, number: int) -> tuple[bytes, int | None]:
    arguments = {chance.choice(["limit", "status", "cursor", "nope", "__proto__"]): chance.choice(SCALARS)}
    message = _call(number, chance.choice([arguments, chance.choice(SCALARS)]))
    message["params"]["_meta"] = chance.choice([{}, {"progressToken": chance.choice(SCALARS)}, chance.choice(SCALARS)])
    return _line(message), number


def _unknown(chance: random.Random, number: int) -> tuple[bytes, int | None]:
    params = {"name": chance.choice(["", "nope", "../start_workflow", "x" * 500]), "uri": "a://b", "arguments": {}}
    return _line({"jsonrpc": "2.0", "id": number, "method": chance.choice(METHODS), "params": params}), number


def _deep(chance: random.Random, number: int) -> tuple[bytes, int | None]:
    if number % 100:
        depth = chance.randrange(30, 200)
        return _line(_call(number, {"cursor": json.loads("[" * depth + "]" * depth)})), number
    return b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":' + b'{"a":' * DEPTH + b"1\n", None


def _batch(chance: random.Random, number: int) -> tuple[bytes, int | None]:
    return _line([_call(number)] * chance.randrange(0, 4)), None


def _reply(chance: random.Random, number: int) -> tuple[bytes, int | None]:
    """Answers to questions nobody asked, and notifications: nothing is owed."""
    unasked: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "id": number, "result": chance.choice(SCALARS)},
        {"jsonrpc": "2.0", "id": "deedlog-1", "error": {"code": 1, "message": "x"}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": chance.choice(SCALARS)}},
        {"jsonrpc": "2.0", "method": "notifications/nope", "params": chance.choice(SCALARS)},
    ]
    return _line(chance.choice(unasked)), None


def _duplicate(_chance: random.Random, number: int) -> tuple[bytes, int | None]:
    line = _line(_call(number))
    return line.replace(b'{"jsonrpc"', b'{"jsonrpc":"1.0","jsonrpc"', 1), None
