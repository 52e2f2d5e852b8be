"""The terminal somebody is asked on: what is asked goes to standard error, answers come from standard input."""

from __future__ import annotations

import sys

from deedlog.faces.cli.style import Style
from deedlog.faces.cli.terminal import USUAL_COLUMNS, colourful, columns, is_terminal, wrapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

WIDEST = 100
UNREADABLE = "\ufffd"


class Left(Exception):
    """Whoever is asked pressed Ctrl-C or Ctrl-D."""


class Screen:
    def __init__(self) -> None:
        self.style = Style(columns(sys.stderr), colour=colourful(sys.stderr))
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]

    @property
    def room(self) -> int:
        return min(self.style.columns or USUAL_COLUMNS, WIDEST)

    def show(self, lines: Iterable[str] = ("",)) -> None:
        for line in lines:
            sys.stderr.write(line.rstrip() + "\n")
        sys.stderr.flush()

    def say(self, text: str) -> None:
        self.show(wrapped(text, self.room))

    def read(self, prompt: str) -> str:
        """The line that is typed; whoever leaves instead ends the conversation, not what it was about."""
        while True:
            try:
                sys.stderr.write(prompt)
                sys.stderr.flush()
                line = sys.stdin.readline()
            except KeyboardInterrupt:
                line = ""
            if not line.endswith("\n"):  # Ctrl-C, Ctrl-D, or the terminal is gone
                self.show()
                raise Left
            if UNREADABLE not in line:
                return line.rstrip("\n")
            self.say("that was no UTF-8 text; type it again")


def can_ask() -> bool:
    return is_terminal(sys.stdin) and is_terminal(sys.stderr)
