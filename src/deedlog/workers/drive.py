"""The driver of one run: it asks what comes next and does it, until the run is over or shall rest.

Nothing is remembered here that is not in the store. Killed at any line, another driver asks the same question, gets
the same actions under the same keys, and goes on.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from deedlog.core.errors import DeedlogError, Overtaken, Part, Unavailable
from deedlog.core.plan.values import DISCARD, MERGE, START, STOP
from deedlog.workers.telling import AWAY, FIRST_PAUSE, LONGEST_PAUSE, GivenUp, Refused, told
from deedlog.workers.traces import RUNS, Held, Traces

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    class Call(Protocol):
        """Calls an operation; `stop` is asked by those that wait."""

        def __call__(self, name: str, arguments: Json, stop: Callable[[], bool]) -> Any: ...

    Json = dict[str, Any]

NOT_YET = 1.0  # seconds in which the run may still appear
LONGEST_WAIT = 30.0
PIECE = 65_536
HANDS = 8  # actions at once
TRIES = 5  # of what may be in the way for a moment only


def drive(run_id: str, store: str, host: str, open_call: Callable[[], Call]) -> int:
    """Drive a run, once standard input ends; say on standard output that we are here."""
    traces = Traces(store, RUNS)
    held = Held(traces, run_id, host)
    _say_ready(held)
    while os.read(0, PIECE):
        pass
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)
    driver = Driver(run_id, held.trace.process, open_call())
    try:
        driver.run()
    except Refused:
        pass
    except GivenUp as error:
        sys.stderr.write(f"{error}\n")
        return 1
    held.drop()
    traces.clean_up(run_id)
    return 0


def _say_ready(held: Held) -> None:
    try:
        os.write(1, held.trace.process.encode() + b"\n")
    except BrokenPipeError:
        pass  # whoever started us is dead already, and so is the run unless it was committed
    os.dup2(2, 1)


class Driver:
    def __init__(self, run_id: str, process: str, call: Call) -> None:
        self._run_id = run_id
        self._who = {"run_id": run_id, "process": process}
        self._call = call
        self._hands = ThreadPoolExecutor(HANDS)
        self._lock = threading.Lock()
        self._doing: set[str] = set()
        self._refused: list[Json] = []
        self._in_the_way: dict[tuple[str, str, int], float] = {}  # since when, by the action
        self._something_ended = threading.Event()
        self._is_over = False

    def run(self) -> None:
        """From the first question to the last."""
        answer = self._find()
        try:
            while not answer["over"]:
                for action in answer["actions"]:
                    self._begin(action)
                self._wait(answer)
                answer = self._advance()
        finally:
            self._is_over = True
            self._hands.shutdown(wait=True, cancel_futures=True)

    def _find(self) -> Json:
        """The first question. A commit may come a moment after whoever made it has died: another machine does it."""
        end = time.monotonic() + NOT_YET
        while True:
            try:
                return self._advance()
            except Refused:
                if time.monotonic() >= end:
                    raise
            time.sleep(FIRST_PAUSE)

    def _advance(self) -> Json:
        with self._lock:
            refused, self._refused = self._refused, []
            doing = sorted(self._doing)
            self._something_ended.clear()
        found: Json = self._tell("plan_advance", {**self._who, "refused": refused, "doing": doing})
        return found

    def _wait(self, answer: Json) -> None:
        seconds = min(LONGEST_WAIT, answer["wake_ms"] / 1_000) if answer["wake_ms"] else LONGEST_WAIT
        said = {"run_id": self._run_id, "after": answer["seq"], "seconds": seconds}
        self._tell("plan_news", said, self._something_ended.is_set)

    def _tell(self, name: str, arguments: Json, stop: Callable[[], bool] = lambda: False) -> Any:
        return told(name, lambda: self._call(name, arguments, stop))

    def _begin(self, action: Json) -> None:
        """One action on a node at a time: what comes next is asked for again when it has ended."""
        with self._lock:
            if action["node"] in self._doing:
                return
            self._doing.add(action["node"])
        self._hands.submit(self._do, action)

    def _do(self, action: Json) -> None:
        refusal: Json | None = None
        try:
            refusal = self._done(action)
        except BaseException as error:  # noqa: BLE001  # it is asked for again: the loop must learn that it ended
            sys.stderr.write(f"{action['do']} {action['node']}: {type(error).__name__}: {error}\n")
            time.sleep(FIRST_PAUSE)
        with self._lock:
            self._doing.discard(action["node"])
            if refusal:
                self._refused.append({**refusal, "node": action["node"], "attempt": action["attempt"]})
            self._something_ended.set()

    def _done(self, action: Json) -> Json | None:
        """Do it; what it was refused with, where the run must know."""
        for name, arguments in self._calls(action):
            refusal = self._try(name, arguments)
            if refusal and name == _main_call(action):
                is_told = action["do"] != STOP and not self._may_pass(action, refusal)
                return refusal if is_told else None
        self._in_the_way.pop(_place(action), None)
        return None

    def _may_pass(self, action: Json, refusal: Json) -> bool:
        """Whether something is only in the way, such as a store that is away: then it is asked for again, later."""
        if not refusal["passes"]:
            return False
        now = time.monotonic()
        seconds = now - self._in_the_way.setdefault(_place(action), now)
        time.sleep(min(LONGEST_PAUSE, seconds))
        return seconds < AWAY

    def _calls(self, action: Json) -> list[tuple[str, Json]]:
        if action["do"] == START:
            start = {**self._who, "node": action["node"], "attempt": action["attempt"]}
            before = [_discard(action["previous"])] if "previous" in action else []
            return [*before, ("plan_start", start)]
        if action["do"] == STOP:
            reason = action["why"] or f"{self._run_id} does not need it any more"
            return [("worker_stop", {"sessionId": action["session"], "reason": reason[:500], **_forced(action)})]
        if action["do"] == DISCARD:
            return [_discard(action["session"])]
        assert action["do"] == MERGE
        return [("worker_done", {"sessionId": action["session"], **_forced(action)})]

    def _try(self, name: str, arguments: Json) -> Json | None:
        """Call it, again where something was in the way for a moment; what it was refused with."""
        pause = FIRST_PAUSE
        for left in range(TRIES, -1, -1):
            try:
                self._call(name, arguments, lambda: self._is_over)
            except DeedlogError as error:
                passes = _passes(error)
                if not left or not passes:
                    return {"kind": error.kind, "message": error.message, "hint": error.hint, "passes": passes}
            else:
                return None
            time.sleep(pause)
            pause *= 2
        return None


def _passes(error: DeedlogError) -> bool:
    if isinstance(error, Unavailable):
        return error.part in (Part.DATABASE, Part.GIT)
    return isinstance(error, Overtaken) or bool(error.data.get("passes"))


def _place(action: Json) -> tuple[str, str, int]:
    return action["do"], action["node"], action["attempt"]


def _forced(action: Json) -> Json:
    return {"force": True} if action.get("force") else {}


def _discard(session: int) -> tuple[str, Json]:
    return "worker_done", {"sessionId": session, "how": "discard", "force": True}


def _main_call(action: Json) -> str:
    return {START: "plan_start", STOP: "worker_stop"}.get(action["do"], "worker_done")
