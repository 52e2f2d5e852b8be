"""What the 2026-07-28 revision repeats in headers must agree with the body: a proxy must see what happens."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator
from typing import Any

from starlette.datastructures import Headers

from deedlog.faces.mcp.protocol import HEADER_MISMATCH, VERSION, Failure

Json = dict[str, Any]
NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
ONCE = ("mcp-protocol-version", "mcp-method", "mcp-name")
MARK = "x-mcp-header"
ENCODED = re.compile(r"=\?base64\?(.*)\?=")
DECIMAL = re.compile(r"-?[0-9]+(\.0+)?")


def mismatch(message: str) -> Failure:
    return Failure(HEADER_MISMATCH, message)


def check(headers: Headers, message: Json, input_schema: Json | None) -> None:
    """Refuse a request whose headers say something else than its body. `input_schema` is the called tool's."""
    params = message.get("params")
    params = params if isinstance(params, dict) else {}
    for name in ONCE:
        if len(headers.getlist(name)) > 1:
            raise mismatch(f"{name}: the header is there more than once")
    meta = params.get("_meta")
    if isinstance(meta, dict) and VERSION in meta and headers.get("mcp-protocol-version") != meta[VERSION]:
        raise mismatch(f"mcp-protocol-version: the header must be there and equal {VERSION}")
    if headers.get("mcp-method") != message["method"]:
        raise mismatch("mcp-method: the header must be there and equal the method")
    field = NAMED_BY.get(message["method"])
    if field and isinstance(params.get(field), str) and decoded(headers.get("mcp-name")) != params[field]:
        raise mismatch(f"mcp-name: the header must be there and equal {field!r}")
    arguments = params.get("arguments")
    for path, header, kind in marked(input_schema or {}):
        _check_argument(headers, f"mcp-param-{header}".lower(), kind, _at(arguments, path))


def decoded(value: str | None) -> str | None:
    """The text of a header that may be wrapped as `=?base64?…?=`; None when it is no such thing."""
    if value is None or not (match := ENCODED.fullmatch(value)):
        return value
    try:
        return b64decode(match[1], validate=True).decode()
    except ValueError:
        return None


def marked(schema: Json, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """Where a tool's schema asks for an argument to be repeated in a header."""
    for name, part in schema.get("properties", {}).items():
        if isinstance(part, dict):
            if isinstance(part.get(MARK), str):
                yield (*path, name), part[MARK], str(part.get("type"))
            yield from marked(part, (*path, name))


def _at(arguments: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        arguments = arguments.get(name) if isinstance(arguments, dict) else None
    return arguments


def _check_argument(headers: Headers, name: str, kind: str, value: Any) -> None:
    given = headers.getlist(name)
    if value is None and not given:
        return
    if value is None or len(given) != 1 or not _equal(decoded(given[0]), kind, value):
        raise mismatch(f"{name}: the header must be there once and equal the argument")


def _equal(text: str | None, kind: str, value: Any) -> bool:
    if isinstance(value, bool):
        return text == ("true" if value else "false")
    if kind == "integer" and isinstance(value, int | float) and text is not None and DECIMAL.fullmatch(text):
        return int(text.partition(".")[0]) == value
    return text == str(value)
