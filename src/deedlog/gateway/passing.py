"""Every call that is handed on is written down: who, what, how long, with what end. Secrets are taken out before."""

from __future__ import annotations

import json
import threading
import time

from deedlog.core.entry import digest
from deedlog.core.errors import DeedlogError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
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
    """Hands calls on. One that waits for what its caller is asked is gone on with by the caller's next call."""

    def __init__(self, journal: Journal, redacted: Callable[[str, str], str]) -> None:
        self._journal = journal
        self._redacted = redacted
        self._parked: dict[str, tuple[float, Json]] = {}
        self._lock = threading.Lock()

    def passed(
        self, server: str, method: str, params: Json, actor: str, *, resumed: bool, ask: Callable[[], Json]
    ) -> Json:
        named_by = NAMED_BY.get(method)
        if named_by is None:
            return ask()
        passage = self._begun(server, method, str(params.get(named_by, "")), params, actor, resumed=resumed)
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
                with self._lock:
                    self._parked[_key(server, method, params, actor)] = (time.monotonic(), passage)
            else:
                self._journal.end(passage, "cancelled")
            raise
        is_error = method == "tools/call" and result.get("isError") is True
        self._journal.end(passage, "error" if is_error else "ok", _characters(result))
        return result

    def close(self) -> None:
        self._forget(time.monotonic() + PARKED_SECONDS + 1)

    def _begun(self, server: str, method: str, name: str, params: Json, actor: str, *, resumed: bool) -> Json:
        if self._parked:
            self._forget(time.monotonic())
            if resumed:
                with self._lock:
                    _, passage = self._parked.pop(_key(server, method, params, actor), (0.0, None))
                if passage is not None:
                    return passage
        given = params.get("arguments")
        text = ENCODED(given) if given else ""
        text = self._redacted(server, text[: MOST_ARGUMENTS + MORE])[:MOST_ARGUMENTS] if text else ""
        what = name if method == "tools/call" else f"{method} {name}"
        return self._journal.begin(server, _whole(what[:MOST_NAME]), actor, _whole(text))

    def _forget(self, now: float) -> None:
        with self._lock:
            late = [key for key, (since, _) in self._parked.items() if now - since > PARKED_SECONDS]
            passages = [self._parked.pop(key)[1] for key in late]
        for passage in passages:
            self._journal.end(passage, "cancelled", problem="its caller did not reply")


def _key(server: str, method: str, params: Json, actor: str) -> str:
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
