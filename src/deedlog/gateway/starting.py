"""A start that several may wait for, beside a few others."""

from __future__ import annotations

import threading
import time

from deedlog.core.errors import DeedlogError, Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from deedlog.gateway.talking.conversation import Conversation
    from deedlog.gateway.timers import Timers
    from deedlog.ports import Peer

SLOT_SECONDS = 5.0  # for which a start counts among those that run at once
LOOK_SECONDS = 0.05  # between looks at whether a caller has given up


class Starting:
    """A start that several callers may wait for."""

    def __init__(self) -> None:
        self.over = threading.Event()
        self.conversation: Conversation | None = None
        self.error: DeedlogError | None = None
        self.lost = ""  # why, where it ended again before it was let through

    def wait(self, name: str, peer: Peer, seconds: float | None) -> Conversation:
        """Who calls it waits as long as for an answer; who starts it as long as that takes."""
        end = None if seconds is None else time.monotonic() + seconds
        while not self.over.wait(LOOK_SECONDS):
            if peer.cancelled():
                raise Unavailable(f"the call was cancelled while {name} started", data={"cancelled": True})
            if end is not None and time.monotonic() >= end:
                told = f"{name} did not start within {round(seconds or 0, 1):g} seconds"
                raise Unavailable(told, hint="It may be starting still: call again.", data={"timeout": True})
        if self.error is not None:
            raise again(self.error)
        assert self.conversation is not None
        return self.conversation


class Slot:
    """The right to start beside a few others. One that takes long loses it: those that hang must not stall the rest."""

    def __init__(self, starts: threading.Semaphore, timers: Timers) -> None:
        self._starts, self._timers = starts, timers
        self._lock = threading.Lock()
        self._held = False

    def __enter__(self) -> None:
        self._starts.acquire()
        self._held = True
        self._timer = self._timers.after(SLOT_SECONDS, self._free)

    def __exit__(self, *_: object) -> None:
        self._timer.off = True
        self._free()

    def _free(self) -> None:
        with self._lock:
            held, self._held = self._held, False
        if held:
            self._starts.release()


def again(error: DeedlogError) -> DeedlogError:
    """The same refusal for another caller: one exception object has one traceback."""
    return type(error)(error.message, hint=error.hint, part=error.part, data=dict(error.data))
