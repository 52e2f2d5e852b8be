"""Progress on standard error, for work one may have to wait for."""

from __future__ import annotations

import sys

from deedlog.faces.cli.terminal import clean, columns, cut, is_terminal
from deedlog.ports import Silent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    Json = dict[str, Any]

STEP = 500
ERASE = "\r\x1b[K"


class Counter:
    """Passes items on and counts them, for the eye where somebody looks."""

    def __init__(self, word: str) -> None:
        self.count = 0
        self._word = word
        self._shown = False

    def passing(self, items: Iterable[str]) -> Iterator[str]:
        try:
            for item in items:
                self.count += 1
                if self.count % STEP == 0:
                    self._show(f"{ERASE}{self._word} {self.count}")
                yield item
        finally:
            if self._shown:
                self._show(ERASE)

    def _show(self, text: str) -> None:
        if is_terminal(sys.stderr):
            self._shown = True
            sys.stderr.write(text)
            sys.stderr.flush()


class Watching(Silent):
    """Somebody who waits at a terminal: shown how far their call is, on a line that goes when it is over."""

    def __init__(self) -> None:
        self._shown = False

    def progress(self, done: float, total: float | None = None, message: str = "") -> None:
        if is_terminal(sys.stderr):
            self._shown = True
            text = message or (f"{done:g} of {total:g}" if total else f"{done:g}")
            sys.stderr.write(ERASE + cut(clean(text), (columns(sys.stderr) or 80) - 1))
            sys.stderr.flush()

    def log(self, level: str, data: Any) -> None:  # noqa: ARG002
        """What people have to know at once; it stays, whether or not a terminal is there."""
        self.over()
        sys.stderr.write(f"{clean(str(data))}\n")
        sys.stderr.flush()

    def ask(self, requests: dict[str, Json]) -> dict[str, Json] | None:
        from deedlog.faces.cli.choice import replies  # few calls ask

        self.over()
        return replies(requests)

    def over(self) -> None:
        if self._shown:
            self._shown = False
            sys.stderr.write(ERASE)
            sys.stderr.flush()
