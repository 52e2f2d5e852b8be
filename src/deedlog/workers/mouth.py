"""Writing to the standard input of a worker, as fast as it reads and never waiting for it."""

from __future__ import annotations

import os

from deedlog.workers.inbox import Said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.workers.inbox import Inbox


class Mouth:
    """The end of a pipe; `first` is what the worker is told before anything else."""

    def __init__(self, file: int, inbox: Inbox, first: bytes) -> None:
        self.file = file
        self.is_open = True
        self._inbox = inbox
        self._now: Said | None = Said(id="", data=first) if first else None
        self._written = 0
        os.set_blocking(file, False)

    def has_something(self) -> bool:
        """Whether there is something to write."""
        if not self.is_open:
            return False
        if self._now is None:
            self._now, self._written = self._inbox.next(), 0
        return self._now is not None

    def write(self) -> bool:
        """Write what fits into the pipe; whether a message was completed by that."""
        assert self._now is not None
        try:
            self._written += os.write(self.file, self._now.data[self._written :]) if self._now.data else 0
        except BlockingIOError:
            return False
        except OSError:  # nobody reads it any more
            self.close()
            return False
        if self._written < len(self._now.data):
            return False
        self._completed(self._now)
        return True

    def _completed(self, said: Said) -> None:
        self._now = None
        if said.id:
            self._inbox.delivered(said)
        if said.closes:
            self.close()

    def close(self) -> None:
        if self.is_open:
            self.is_open = False
            os.close(self.file)
            self._inbox.input_closed()

    def let_go(self) -> None:
        """The worker has ended."""
        if self.is_open:
            self.is_open = False
            os.close(self.file)
