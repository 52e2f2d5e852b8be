"""One mounted server and its supervision: started when it is needed, again when it died, stopped when it is idle.

Everything of one server happens under its own lock, which is never held while anything is waited for.
"""

from __future__ import annotations

import threading

from deedlog.core.errors import DeedlogError, Denied, Unavailable
from deedlog.core.gate.beside import asked_for, is_key, things, without
from deedlog.gateway.relisting import Relisting
from deedlog.gateway.starting import Slot, Starting
from deedlog.gateway.talking.listing import listed
from deedlog.gateway.talking.said import end_of, hint_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Protocol

    from deedlog.core.gate.server import Server
    from deedlog.gateway.talking.conversation import Conversation
    from deedlog.gateway.timers import Timer, Timers
    from deedlog.gateway.wire import Channel
    from deedlog.ports import Offer, Peer

    Json = dict[str, Any]

    class Surroundings(Protocol):
        """What the engine does for its upstreams."""

        timers: Timers
        starts: threading.Semaphore  # how many may start at once
        start_seconds: float
        idle_seconds: float  # 0 for never

        def connect(
            self,
            server: Server,
            notice: Callable[[str, Json], None],
            lost: Callable[[str], None],
            spent: dict[str, float],
        ) -> tuple[Conversation, Channel]:
            """A conversation with the server, not yet open, and what carries it.

            `spent` is told how long its process took to start.
            """

        def changed(self, name: str, *, wait: bool) -> bool:
            """What it offers, or whether it runs, is other than before: compare, hold back, offer anew.

            Who waits is told whether that was done.
            """

        def noticed(self, name: str, method: str, params: Json) -> None: ...
        def gave_up(self, name: str, reason: str) -> None: ...


DELAYS = (0.2, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0)  # seconds before it is started again, by failures in a row
MOST_FAILURES = 6  # in a row; then it is not mounted any more
STEADY_SECONDS = 60.0  # one that ran so long and dies has not failed in a row
FIRST_RETRY, LAST_RETRY = 1.0, 30.0  # seconds until it is tried again to compare what it offers
CHANGES = {
    "notifications/tools/list_changed",
    "notifications/resources/list_changed",
    "notifications/prompts/list_changed",
}


class Upstream:
    """Of the `server` as it was configured when it was mounted: what is configured since may be another program."""

    def __init__(self, server: Server, around: Surroundings, offer: Offer | None = None) -> None:
        self.server = server
        self.name = server.name
        self.offer = offer
        self.held: frozenset[str] = frozenset()
        self.mounted = False
        self._around = around
        self._lock = threading.Lock()
        self._conversation: Conversation | None = None
        self._starting: Starting | None = None
        self._closed = False
        self._calls = 0
        self._used = around.timers.now()
        self._began = 0.0
        self._failures = 0
        self._problem = ""
        self._due: Timer | None = None
        self._idle: Timer | None = None
        self._subscribed: dict[str, Json] = {}
        self._level: Json | None = None
        self._doubtful: frozenset[str] = frozenset()  # tools that are other than before and were not compared yet
        self._retry_seconds = 0.0
        self._relisting = Relisting(around.timers, self._relist)
        self._teller: Starting | None = None  # the start whose server said last that something changed

    @property
    def runs(self) -> bool:
        return self._conversation is not None

    @property
    def state(self) -> str:
        """What is wrong with it right now; nothing while it runs, or waits for the next call to start it."""
        with self._lock:
            if not self._problem or self._conversation is not None:
                return ""
            return f"not running: {self._problem}{self._when()}"

    @property
    def warnings(self) -> list[str]:
        found = [f"{self.name}: {problem}" for problem in (self.offer.problems if self.offer else ())]
        if (running := self._conversation) is not None and running.dropped:
            found.append(f"{self.name} floods Deedlog with messages: {running.dropped} of them were dropped")
        if self._relisting.is_restless:
            found.append(
                f"{self.name} says again and again that what it offers has changed: it is listed anew only now and then"
            )
        return found

    def start(self, peer: Peer) -> Offer:
        """Start it unless it runs, and say what it offers."""
        self._reach(peer)
        assert self.offer is not None
        return self.offer

    def let_through(self) -> Offer:
        """What it offers but for what is held back."""
        offer = self.offer
        assert offer is not None
        kept_back = self.held | self._doubtful
        found: Offer = without(offer, kept_back) if kept_back else offer
        return found

    def request(self, method: str, params: Json, peer: Peer, seconds: float) -> Json:
        with self._lock:
            self._calls += 1
        try:
            conversation = self._reach(peer, seconds)
            if method == "tools/call":
                self._relisting.wait(peer, seconds)
            self._let(asked_for(method, params))
            return self._answered(conversation, method, params, peer, seconds)
        finally:
            with self._lock:
                self._calls -= 1
                self._used = self._around.timers.now()

    def _let(self, asked: str) -> None:
        what = "something" if is_key(asked) else "a tool"
        if asked in self.held:
            hint = f"a person decides: `deedlog mcp accept {self.name}` shows what it is and why"
            raise Denied(f"{what} of {self.name} is held back until a person accepts it", hint=hint)
        if asked in self._doubtful:
            hint = "the ledger cannot be reached; call again later"
            raise Unavailable(f"{what} of {self.name} has changed, and could not yet be compared", hint=hint)

    def _answered(self, conversation: Conversation, method: str, params: Json, peer: Peer, seconds: float) -> Json:
        try:
            result = conversation.request(method, params, peer, seconds)
        except Unavailable as error:
            if "rpc" in error.data:  # a refusal is an answer, too
                self._failures = 0
            raise
        self._failures = 0
        self._remember(method, params)
        return result

    def keep(self, offer: Offer) -> None:
        """It is mounted from now on: supervise it, also where it has died since it was started."""
        with self._lock:
            now, was_mounted, self.mounted = self.offer, self.mounted, True
            self.offer = now if was_mounted and now is not None else offer
            is_other = now is not None and self._offers(now)
            told = self._put_off(self._problem) if self._problem and self._conversation is None else ""
        self._tell(told)
        if is_other:  # since it was listed for whoever agreed to it
            threading.Thread(target=self._compare, name=f"compare-{self.name}", daemon=True).start()

    def close(self) -> None:
        """Stop it for good."""
        with self._lock:
            self._closed = True
            conversation, self._conversation = self._conversation, None
            starting = self._starting
            self._call_off()
        for each in (conversation, starting.conversation if starting else None):
            if each is not None:
                each.close()

    def _reach(self, peer: Peer, seconds: float | None = None) -> Conversation:
        with self._lock:
            if self._conversation is not None:
                return self._conversation
            starting = self._starting or self._begin(urgent=True)
        return starting.wait(self.name, peer, seconds)

    def _begin(self, *, urgent: bool) -> Starting:
        """Start it in a thread of its own. A caller does not wait for the first restart, only for later ones."""
        if self._closed:
            raise Unavailable(f"{self.name} was unmounted", hint=f"mount it anew with `mcp_activate {self.name}`")
        if urgent and self._due is not None and self._failures > 1:
            hint = "call again then; mcp_environment tells how it is"
            raise Unavailable(f"{self.name} is not running: {self._problem}{self._when()}", hint=hint)
        if self._due is not None:
            self._due.off = True
            self._due = None
        self._starting = starting = Starting()
        threading.Thread(target=self._start, args=(starting,), name=f"start-{self.name}", daemon=True).start()
        return starting

    def _when(self) -> str:
        if self._due is None:
            return ""
        left = max(self._due.at - self._around.timers.now(), 0)
        return f"; it is started again in {left:.0f} s" if left >= 1 else "; it is being started again"

    def _start(self, starting: Starting) -> None:
        try:
            with Slot(self._around.starts, self._around.timers):
                offer = self._opened(starting)
        except DeedlogError as error:
            self._failed(starting, error)
        except BaseException as error:
            self._failed(starting, Unavailable(f"{self.name} could not be started: {type(error).__name__}"))
            raise
        else:
            self._started(starting, offer)

    def _opened(self, starting: Starting) -> Offer:
        """Greet it and ask what it offers; where that fails nothing of it is left."""
        timers, seconds = self._around.timers, self._around.start_seconds
        spent: dict[str, float] = {}

        def lost(reason: str) -> None:
            self._lost(starting, reason)

        def notice(method: str, params: Json) -> None:
            self._notice(starting, method, params)

        conversation, channel = self._around.connect(self.server, notice, lost, spent)
        starting.conversation = conversation
        try:
            began = timers.now()
            if self._closed:
                raise Unavailable(f"{self.name} was unmounted while it started")
            greeting = conversation.open(seconds)
            greeted = timers.now()
            spent["handshake"] = max(greeted - began - spent.get("spawn", 0), 0)
            offer = listed(conversation, greeting, max(seconds - (greeted - began), 1))
            spent["listing"] = timers.now() - greeted
            self._restore(conversation, greeting.capabilities)
        except BaseException as error:
            conversation.close()
            if isinstance(error, DeedlogError):
                raise self._not_started(error, channel.said()) from error
            raise
        return offer.replace(spent={name: round(each, 4) for name, each in spent.items()})

    def _not_started(self, error: DeedlogError, said: str) -> DeedlogError:
        message, hint, data = error.message, error.hint, error.data
        if "lost" in data:
            message = f"{self.name} did not start: {data['lost']}"
        if "lost" in data or "timeout" in data:  # what is said of calls does not hold here
            hint = "See its command, its arguments and its keys."
        further = {"said": end_of(said)} if said else {}
        return type(error)(message, hint=f"{hint}{hint_of(said)}".strip(), part=error.part, data={**data, **further})

    def _restore(self, conversation: Conversation, capabilities: Json) -> None:
        """Subscribe again to what was subscribed to, as far as it lets us."""
        from deedlog.ports import Silent

        wanted: list[tuple[str, Json]] = [("resources/subscribe", params) for params in self._subscribed.values()]
        if self._level is not None and "logging" in capabilities:
            wanted.append(("logging/setLevel", self._level))
        for method, params in wanted:
            try:
                conversation.request(method, params, Silent(), self._around.start_seconds)
            except Unavailable as error:
                if "rpc" not in error.data:
                    raise

    def _started(self, starting: Starting, offer: Offer) -> None:
        """Let calls through; but if it is mounted and offers other things than were agreed to, compare first."""
        with self._lock:
            is_other = self._offers(offer)
        if is_other and self.mounted:
            self._compare()
        with self._lock:
            gone = "it was unmounted while it started" if self._closed else starting.lost
            if not gone:
                was_marked, self._problem = bool(self._problem), ""
                self._starting = None
                self._conversation = starting.conversation
                self._began = self._used = self._around.timers.now()
                self._watch_idle()
        if gone:
            if starting.conversation is not None:
                starting.conversation.close()
            self._failed(starting, Unavailable(f"{self.name} did not stay: {gone}"))
            return
        starting.over.set()
        if was_marked and self.mounted:
            self._around.changed(self.name, wait=False)

    def _failed(self, starting: Starting, error: DeedlogError) -> None:
        with self._lock:
            if self._starting is starting:
                self._starting = None
            starting.error = error
            told = self._put_off(error.message)
        starting.over.set()
        self._tell(told)

    def _lost(self, starting: Starting, reason: str) -> None:
        """It ended by itself."""
        with self._lock:
            if self._starting is starting:  # who starts it looks before it is let through
                starting.lost = reason or "it ended"
                return
            if self._conversation is None or self._conversation is not starting.conversation:
                return
            self._conversation = None
            if self._around.timers.now() - self._began >= STEADY_SECONDS:
                self._failures = 0
            told = self._put_off(reason)
        starting.conversation.close()
        self._tell(told)

    def _put_off(self, problem: str) -> str:
        """Have a mounted one started again later, or give it up; says which, for `_tell`."""
        self._problem = problem
        if self._closed or not self.mounted:
            return ""
        self._failures += 1
        if self._failures >= MOST_FAILURES:
            self._closed = True
            self._call_off()
            return "gave up"
        delay = DELAYS[min(self._failures, len(DELAYS)) - 1]
        self._due = self._around.timers.after(delay, self._restart)
        return "changed"

    def _tell(self, told: str) -> None:
        if told == "gave up":
            self._around.gave_up(self.name, f"failed {MOST_FAILURES} times in a row: {self._problem}")
        elif told:
            self._around.changed(self.name, wait=False)

    def _restart(self) -> None:
        with self._lock:
            if not self._closed and self._conversation is None and self._starting is None:
                self._begin(urgent=False)

    def _call_off(self) -> None:
        for timer in (self._due, self._idle):
            if timer is not None:
                timer.off = True
        self._due = self._idle = None

    def _watch_idle(self) -> None:
        seconds = self._around.idle_seconds
        if self._idle is not None:
            self._idle.off = True
        if seconds > 0:
            left = max(self._used + seconds - self._around.timers.now(), 0)
            self._idle = self._around.timers.after(left or seconds, self._look_idle)

    def _look_idle(self) -> None:
        """Stop it if nobody has called it for so long. Its tools stay offered: the next call starts it."""
        with self._lock:
            conversation = self._conversation
            if self._closed or conversation is None:
                return
            waited = self._around.timers.now() - self._used
            if self._calls or self._subscribed or conversation.busy or waited < self._around.idle_seconds:
                self._watch_idle()
                return
            self._conversation = None
        conversation.close()

    def _remember(self, method: str, params: Json) -> None:
        if method == "resources/subscribe":
            self._subscribed[str(params.get("uri"))] = params
        elif method == "resources/unsubscribe":
            self._subscribed.pop(str(params.get("uri")), None)
        elif method == "logging/setLevel":
            self._level = params

    def _notice(self, starting: Starting, method: str, params: Json) -> None:
        """What it tells unasked; called by the thread that reads from it, which must not wait for anything."""
        if method not in CHANGES:
            self._around.noticed(self.name, method, params)
            return
        self._teller = starting
        self._relisting.wanted(method)

    def _relist(self, methods: list[str]) -> None:
        """Ask again what it offers, and have it compared before anybody is told."""
        starting = self._teller
        assert starting is not None
        starting.over.wait()
        before = self.offer
        if self._closed or starting.conversation is None or starting.error or before is None:
            return
        try:
            offer = listed(starting.conversation, before, self._around.start_seconds)
        except DeedlogError:
            return  # it died meanwhile, or does not answer: a restart lists anew
        with self._lock:
            is_other = self._offers(offer)
        if is_other:
            if self.mounted:
                self._compare()
            for method in methods:
                self._around.noticed(self.name, method, {})

    def _offers(self, offer: Offer) -> bool:
        """It offers this now; says whether that is other than before. Of a mounted one other tools are then doubted."""
        before, self.offer = self.offer, offer
        is_other = _things(before) != _things(offer)
        if is_other and self.mounted:
            known = _by_name(before) if before else {}
            self._doubtful |= {name for name, row in _by_name(offer).items() if known.get(name) != row}
        return is_other

    def _compare(self) -> None:
        """Have what it offers compared with what was agreed to, again and again until that could be done."""
        if self._closed:
            return
        doubtful = self._doubtful
        is_done = self._around.changed(self.name, wait=True)
        with self._lock:
            if is_done and self._doubtful is doubtful:
                self._doubtful, self._retry_seconds = frozenset(), 0.0
            elif not self._closed:
                self._retry_seconds = min(max(2 * self._retry_seconds, FIRST_RETRY), LAST_RETRY)
                self._around.timers.after(self._retry_seconds, self._compare)


def _by_name(offer: Offer) -> Json:
    return {**{tool["name"]: tool for tool in offer.tools}, **dict(things(offer))}


def _things(offer: Offer | None) -> Sequence[Any]:
    return () if offer is None else (offer.tools, offer.resources, offer.templates, offer.prompts, offer.instructions)
