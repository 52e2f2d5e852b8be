"""Where HEAD went: the log git keeps of it in every work tree."""

from __future__ import annotations

import os
import re

from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    Position = tuple[int, bytes]  # how long the log was, and its last line

STASH = "logs/refs/stash"  # in what all work trees of a repository share
LINE = re.compile(rb"([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [^\t]*? ?(\d+) [+-]\d+(?:\t(.*))?$")
COMMITS = ("commit:", "commit (amend)", "commit (initial)")
WORD = re.compile(r"[^ :]*")
STEPS = (
    "start|pick|reword|edit|squash|fixup|drop|exec|merge|reset|continue|skip|finish|abort"
    "|amend|initial|cherry-pick|rebase"
)
# After the step comes somebody's text. Before it may be what a pull was given: addresses, names of branches.
OWN_STEP = re.compile(rf"[^ :]+(?: -[^ :]+)* \(({STEPS})\)(?::|$)")
ANY_STEP = re.compile(rf".*? \(({STEPS})\)(?::|$)")
WITHOUT_ARGUMENTS = ("commit", "cherry-pick", "revert", "am", "checkout", "reset", "rebase")


class Move(Value):
    """HEAD went from one commit to another. `said` is git's own word for why."""

    old: str
    new: str
    at: int
    said: str

    @property
    def is_commit(self) -> bool:
        return self.said.startswith(COMMITS)

    @property
    def action(self) -> str:
        """The command, as its first word."""
        found = WORD.match(self.said)
        return found[0] if found else ""

    @property
    def step(self) -> str:
        """Which part of the command it was, where git tells."""
        pattern = OWN_STEP if self.action in WITHOUT_ARGUMENTS else ANY_STEP
        found = pattern.match(self.said)
        return found[1] if found else ""

    @property
    def starts_rebase(self) -> bool:
        return self.step == "start"

    @property
    def leaves_no_branch(self) -> bool:
        """Whether a checkout left a commit that HEAD was at without a branch."""
        return self.said.startswith(f"checkout: moving from {self.old} ")


class Reflog:
    """The log as it is now. `head` is the commit it leads to; "" where there is no log."""

    def __init__(self, path: str) -> None:
        try:
            with open(path, "rb") as file:
                self._text = file.read()
        except OSError:
            self._text = b""
        whole = self._text[: self._text.rfind(b"\n") + 1]  # git may be writing the last line
        self._text = whole
        last = whole.rstrip(b"\n").rpartition(b"\n")[2]
        self.position: Position = (len(whole), last)
        move = _move(last)
        self.head = move.new if move else ""

    def since(self, position: Position) -> list[Move] | None:
        """The moves after a position; None where the log no longer tells."""
        length, last = position
        if not self._text[:length].endswith(last + b"\n" if last else b""):
            place = self._text.find(last + b"\n") if last else -1  # it was shortened
            if place < 0:
                return None
            length = place + len(last) + 1
        if length > len(self._text):
            return None
        moves = [_move(line) for line in self._text[length:].splitlines()]
        return [move for move in moves if move is not None]


def _move(line: bytes) -> Move | None:
    found = LINE.match(line)
    if not found:
        return None
    old, new, at, said = found.groups()
    return Move(old=_oid(old), new=_oid(new), at=int(at), said=os.fsdecode(said or b"").strip())


def _oid(text: bytes) -> str:
    return "" if not text.strip(b"0") else text.decode()
