"""Every call that is handed on is written down: who, what, how long, with what end. Secrets are taken out before."""

from __future__ import annotations

import json
import threading
import time

from deedlog.core.entry import digest
from deedlog.core.errors import DeedlogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from deedlog.gateway.journal import Journal

    Json = dict[str, Any]

NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
MOST_ARGUMENTS = 2_000
MORE = 8_000  # characters looked at beyond that: a secret must not be cut in two before it is recognised
MOST_NAME = 300
PARKED_SECONDS = 600.0
ENCODED = json.JSONEncoder(ensure_ascii=False, default=str).encode  # made once: every call needs it


class Passing:
    """Hands calls on. One that waits for what its caller is asked is gone on with by the caller's next call.

    It is known by the keys of the questions: equal calls of two callers are two, and a wrong reply goes on with none.
    """

    def __init__(self, journal: Journal, redacted: Callable[[str, str], str]) -> None:
        self._journal = journal
        self._redacted = redacted
        self._parked: dict[str, tuple[float, str, Json]] = {}  # by key of a question: since when, which call
        self._lock = threading.Lock()

    def passed(
        self, server: str, method: str, params: Json, actor: str, *, replies: Iterable[str], ask: Callable[[], Json]
    ) -> Json:
        named_by = NAMED_BY.get(method)
        if named_by is None:
            return ask()
        passage = self._begun(server, method, str(params.get(named_by, "")), params, actor, replies)
        try:
            result = ask()
        except DeedlogError as error:
            self._journal.end(passage, _outcome(error), problem=error.message[:MOST_NAME])
            raise
        except Exception as error:
            self._journal.end(passage, "failed", problem=type(error).__name__)
            raise
        except BaseException as error:
            if hasattr(error, "requests"):  # it waits for its caller's replies
                call = (time.monotonic(), _digest(server, method, params, actor), passage)
                with self._lock:
                    self._parked |= dict.fromkeys(error.requests, call)
            else:
                self._journal.end(passage, "cancelled")
            raise
        is_error = method == "tools/call" and result.get("isError") is True
        self._journal.end(passage, "error" if is_error else "ok", _characters(result))
        return result

    def refused(self, server: str, tool: str, arguments: Json, actor: str, why: str) -> None:
        passage = self._begun(server, "tools/call", tool, {"arguments": arguments}, actor, ())
        self._journal.end(passage, "refused", problem=why[:MOST_NAME])

    def close(self) -> None:
        self._forget(time.monotonic() + PARKED_SECONDS + 1)

    def _begun(self, server: str, method: str, name: str, params: Json, actor: str, replies: Iterable[str]) -> Json:
        if self._parked:
            self._forget(time.monotonic())
            if replies and (passage := self._taken(replies, _digest(server, method, params, actor))):
                return passage
        given = params.get("arguments")
        text = ENCODED(given) if given else ""
        text = self._redacted(server, text[: MOST_ARGUMENTS + MORE])[:MOST_ARGUMENTS] if text else ""
        what = name if method == "tools/call" else f"{method} {name}"
        return self._journal.begin(server, _whole(what[:MOST_NAME]), actor, _whole(text))

    def _taken(self, replies: Iterable[str], call: str) -> Json | None:
        """The passage of the call that was asked one of these, if it is this call."""
        with self._lock:
            parked = [self._parked[key] for key in replies if key in self._parked]
            found = next((passage for _, parked_call, passage in parked if parked_call == call), None)
            if found is not None:
                self._remove(found)
        return found

    def _remove(self, passage: Json) -> None:
        self._parked = {key: each for key, each in self._parked.items() if each[2] is not passage}

    def _forget(self, now: float) -> None:
        late: list[Json] = []
        with self._lock:
            for since, _, passage in list(self._parked.values()):
                if now - since > PARKED_SECONDS and not any(passage is each for each in late):
                    late.append(passage)
                    self._remove(passage)
        for passage in late:
            self._journal.end(passage, "cancelled", problem="its caller did not reply")


def _digest(server: str, method: str, params: Json, actor: str) -> str:
    return digest([server, method, {name: value for name, value in params.items() if name != "_meta"}, actor])


def _whole(text: str) -> str:
    """Half of a surrogate pair is no character: the ledger could not have it."""
    return text.encode("utf-8", "replace").decode()


def _outcome(error: DeedlogError) -> str:
    return next((word for word in ("cancelled", "timeout") if error.data.get(word)), "failed")


def _characters(result: Json) -> int:
    """About how long an answer is, without writing it out: texts are what counts."""
    content = result.get("content") or result.get("contents") or result.get("messages") or ()
    rows = content if isinstance(content, list) else ()
    return sum(_length(row) for row in rows if isinstance(row, dict))


def _length(row: Json) -> int:
    return sum(
        len(value) if isinstance(value, str) else _length(value) if isinstance(value, dict) else 0
        for value in row.values()
    )
