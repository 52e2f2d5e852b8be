"""The result of a tool of another server, for people: its texts, and of everything else that it is there."""

from __future__ import annotations

from deedlog.core.words import one_line
from deedlog.faces.cli.output import show_answer, write
from deedlog.faces.cli.refusal import OK, STATE, tell
from deedlog.faces.cli.terminal import clean

LONGEST = 500

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.core.errors import DeedlogError

    Json = dict[str, Any]


def show_result(result: Json, *, as_json: bool) -> int:
    """Show it; a tool that says that it failed ends the command with another exit code."""
    lines = [_line(part) for part in result.get("content") or () if isinstance(part, dict)]
    if as_json or not lines:
        show_answer(result if as_json else result.get("structuredContent", result), as_json=as_json)
    for line in () if as_json else lines:
        write(clean(line))
    return STATE if result.get("isError") is True else OK


def tell_why(server: str, error: DeedlogError) -> None:
    """What the server itself said when it refused, beside our own words for it."""
    rpc = error.data.get("rpc")
    if isinstance(rpc, dict) and (said := one_line(clean(str(rpc.get("message", ""))), LONGEST)):
        tell(f"{server} said: {said}")


def _line(part: Json) -> str:
    kind, data = str(part.get("type")), part.get("data")
    inner: Json = found if isinstance(found := part.get("resource"), dict) else part
    if isinstance(text := inner.get("text"), str):
        return text
    told = [str(inner[name]) for name in ("name", "uri", "mimeType") if isinstance(inner.get(name), str)]
    size = f"{len(data)} characters of base64" if isinstance(data, str) else ""
    return f"[{', '.join(filter(None, [kind, *told, size]))}]"
