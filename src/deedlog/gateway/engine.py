"""Other MCP servers, as this process reaches them: which there are, which are mounted, and their calls.

What must be recorded goes through `aside`, by operations of ours: the engine knows no ledger.
"""

from __future__ import annotations

import os
import threading
from contextlib import contextmanager
from queue import SimpleQueue

from deedlog.core.errors import DeedlogError, Denied, NotFound, Unavailable
from deedlog.core.gate.readiness import unapproved
from deedlog.core.gate.server import Standing, Status, called
from deedlog.core.words import did_you_mean
from deedlog.gateway.configuration.policies import Policies
from deedlog.gateway.connecting import Connections
from deedlog.gateway.journal import Journal
from deedlog.gateway.passing import Passing
from deedlog.gateway.refreshing import Refreshing
from deedlog.gateway.starting import LOOK_SECONDS
from deedlog.gateway.timers import Timers
from deedlog.gateway.upstream import Upstream
from deedlog.process import this_process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from deedlog.core.gate.server import Server
    from deedlog.gateway.places import Places
    from deedlog.gateway.talking.conversation import Conversation
    from deedlog.gateway.wire import Channel
    from deedlog.ports import Offer, Peer

    Json = dict[str, Any]

CLI = "cli"
STARTS_AT_ONCE = 4
FOLDER = "gateway"


class LocalGateway:
    def __init__(
        self,
        places: Places,
        settings: Mapping[str, Any],
        *,
        serving: bool,
        aside: Callable[[str, Json], bool],
        report: Callable[[BaseException], str],
        own: tuple[str, ...] = (),
        timers: Timers | None = None,
    ) -> None:
        self.process = this_process()
        self.principal = _principal(self.process) if serving else CLI
        self.listeners: list[Callable[[str, str, Json], None]] = []
        self.timers = timers or Timers()
        self.starts: threading.Semaphore = threading.BoundedSemaphore(STARTS_AT_ONCE)
        self.start_seconds = float(settings["gateway_start_seconds"])
        self.idle_seconds = float(settings["gateway_idle_seconds"]) if serving else 0.0
        self._call_seconds = float(settings["gateway_call_seconds"])
        self._report = report
        self._connections = Connections(
            places, own, direct=settings["gateway_direct"] == "yes", boot=settings["gateway_boot"]
        )
        self._policies = Policies(places, self._connections.configured)
        folder = os.path.join(places.store, FOLDER)
        self._journal = Journal(folder, self.principal, holds=serving, record=lambda told: aside("mcp_record", told))
        self._passing = Passing(self._journal, self.redacted)
        self._refreshing = Refreshing(lambda name: aside("mcp_refresh", {"server": name}))
        self._lock = threading.Lock()
        self._upstreams: dict[str, Upstream] = {}
        self._failed: dict[str, str] = {}
        self._given: dict[str, list[str]] = {}  # the secrets that each server was given
        self._alone: dict[str, threading.Lock] = {}
        self._closed = False
        self._journal.look()

    # which there are

    def standings(self) -> list[Standing]:
        found = self._connections.standings()
        names = {each.server.name for each in found}
        with self._lock:
            removed = [each for each in self._upstreams.values() if each.mounted and each.name not in names]
        return [*map(self._as_it_is, found), *map(self._running, removed)]

    def standing(self, name: str) -> Standing:
        upstream = self._mounted(name) or self._mounted(called(name))
        return self._running(upstream) if upstream else self._as_it_is(self._connections.standing(self._server(name)))

    def configured(self, name: str) -> Standing | None:
        found = next((server for server in self._connections.servers() if server.name == name), None)
        return self._connections.standing(found) if found is not None else None

    def _as_it_is(self, found: Standing) -> Standing:
        """How it stands, with what this process knows of it."""
        if (upstream := self._mounted(found.server.name)) is not None:
            return self._running(upstream, found.server)
        failed = self._failed.get(found.server.name)
        return found.replace(reason=failed) if failed and found.status is Status.AVAILABLE else found

    def _running(self, upstream: Upstream, configured: Server | None = None) -> Standing:
        """How a mounted server stands. One whose login is worth nothing any more waits for somebody to log in."""
        server = upstream.server
        if server.transport != "stdio" and self._connections.logins.lacks(server):
            return self._connections.standing(server)
        return _active(upstream, configured)

    def _server(self, name: str) -> Server:
        servers = {server.name: server for server in self._connections.servers()}
        found = servers.get(name) or servers.get(called(name))
        if found is None:
            hint = did_you_mean(name[:80], servers, "mcp_environment lists them, mcp_discover finds one for an intent")
            raise NotFound(f"there is no MCP server {name[:80]!r}", hint=hint, data={"server": name[:80]})
        return found

    def _approved(self, name: str) -> Server:
        """A server that may be run or reached: whoever wants to start one comes by here."""
        server = self._server(name)
        if not server.trusted:
            raise Denied(f"no person has approved {server.name}", hint=unapproved(server), data={"server": server.name})
        return server

    # mounting

    def start(self, name: str, peer: Peer) -> Offer:
        upstream = self._upstream(name)
        try:
            offer = upstream.start(peer)
        except BaseException as error:
            if not upstream.mounted:
                self._drop(name, upstream)
                if isinstance(error, DeedlogError) and not error.data.get("cancelled"):
                    self._failed[name] = error.message
            if isinstance(error, Unavailable):
                raise self._without_secrets(name, error) from None
            raise
        self._failed.pop(name, None)
        return offer

    def start_all(self, names: Sequence[str], peer: Peer) -> Iterator[str]:
        told: SimpleQueue[tuple[str, bool]] = SimpleQueue()

        def start(name: str) -> None:
            try:
                self.start(name, peer)
            except Exception:  # noqa: BLE001  # why, is known of it from now on
                told.put((name, False))
            else:
                told.put((name, True))

        for name in names:
            threading.Thread(target=start, args=(name,), name=f"boot-{name}", daemon=True).start()
        for _ in names:
            name, runs = told.get()
            if runs:
                yield name

    def probe(self, name: str, peer: Peer) -> Offer:
        self._journal.open()
        upstream = Upstream(self._approved(name), self)
        try:
            return upstream.start(peer)
        except Unavailable as error:
            raise self._without_secrets(name, error) from None
        finally:
            upstream.close()

    @contextmanager
    def alone(self, name: str, peer: Peer) -> Iterator[None]:
        with self._lock:
            lock = self._alone.setdefault(name, threading.Lock())
        while not lock.acquire(timeout=LOOK_SECONDS):
            if peer.cancelled():
                raise Unavailable(
                    f"the call was cancelled while others were busy with {name}", data={"cancelled": True}
                )
        try:
            yield
        finally:
            lock.release()

    def mount(self, name: str, offer: Offer) -> None:
        upstream = self._upstream(name)
        self._failed.pop(name, None)
        upstream.keep(offer)

    def _upstream(self, name: str) -> Upstream:
        self._journal.open()
        server = self._approved(name)
        with self._lock:
            if self._closed:
                raise Unavailable("Deedlog is about to end")
            return self._upstreams.setdefault(server.name, Upstream(server, self))

    def unmount(self, name: str) -> None:
        with self._lock:
            upstream = self._upstreams.get(name)
        if upstream is not None:
            self._drop(name, upstream)

    def _drop(self, name: str, upstream: Upstream) -> None:
        with self._lock:
            if self._upstreams.get(name) is upstream:
                del self._upstreams[name]
        upstream.close()

    def mounted(self) -> dict[str, Offer]:
        with self._lock:
            found = [each for each in self._upstreams.values() if each.mounted]
        return {each.name: each.let_through() for each in found}

    def offered(self, name: str) -> Offer | None:
        upstream = self._mounted(name)
        return upstream.offer if upstream is not None else None

    def restrict(self, name: str, held: Sequence[str]) -> None:
        if (upstream := self._mounted(name)) is not None:
            upstream.held = frozenset(held)

    def _mounted(self, name: str) -> Upstream | None:
        upstream = self._upstreams.get(name)
        return upstream if upstream is not None and upstream.mounted else None

    # calling

    def ask(self, name: str, method: str, params: Json, peer: Peer, actor: str = "") -> Json:
        upstream = self._mounted(name)
        if upstream is None:
            raise self._not_mounted(name)
        seconds = upstream.server.call_seconds or self._call_seconds

        def asked() -> Json:
            return upstream.request(method, params, peer, seconds)

        try:
            return self._passing.passed(name, method, params, actor, replies=peer.replies(), ask=asked)
        except Unavailable as error:
            raise self._without_secrets(name, error) from None

    def refused(self, name: str, tool: str, arguments: Json, actor: str, why: str) -> None:
        self._passing.refused(name, tool, arguments, actor, why)

    def _not_mounted(self, name: str) -> Unavailable:
        reason = self._failed.get(name, "")
        hint = f"mount it with `mcp_activate {name}`"
        return Unavailable(
            f"{name} is not active" + (f": {reason}" if reason else ""), hint=hint, data={"server": name}
        )

    # for upstreams; see `Surroundings`

    def connect(
        self,
        server: Server,
        notice: Callable[[str, Json], None],
        lost: Callable[[str], None],
        spent: dict[str, float],
    ) -> tuple[Conversation, Channel]:
        self._given[server.name] = self._connections.given(server)
        return self._connections.conversation(server, notice, lost, self._journal, spent)

    def changed(self, name: str, *, wait: bool) -> bool:
        return not self._closed and self._refreshing.refresh(name, wait=wait)

    def noticed(self, name: str, method: str, params: Json) -> None:
        for listener in list(self.listeners):
            try:
                listener(name, method, params)
            except Exception as error:  # noqa: BLE001  # of a listener: the server has nothing to do with it
                self._report(error)

    def gave_up(self, name: str, reason: str) -> None:
        self._failed[name] = reason
        with self._lock:
            self._upstreams.pop(name, None)
        self.changed(name, wait=False)

    # configuration and keys

    def policy(self, server: Server) -> Mapping[str, str]:
        return self._policies.of(server)

    def redacted(self, name: str, text: str) -> str:
        from deedlog.core.gate.redaction import redacted

        if name not in self._given:
            self._given[name] = self._connections.given(self._server(name))
        return redacted(text, dict.fromkeys([*self._given[name], *self._connections.secrets.kept()]))

    def _without_secrets(self, name: str, error: Unavailable) -> Unavailable:
        """The same refusal; what the server said is freed of what it was given."""
        data = {key: self._cleaned(name, value) for key, value in error.data.items()}
        hint = self.redacted(name, error.hint)
        return type(error)(error.message, hint=hint, part=error.part, data=data)

    def _cleaned(self, name: str, value: Any) -> Any:
        if isinstance(value, str):
            return self.redacted(name, value)
        if isinstance(value, dict):
            return {key: self._cleaned(name, each) for key, each in value.items()}
        return [self._cleaned(name, each) for each in value] if isinstance(value, list) else value

    def environment(self) -> Mapping[str, str]:
        return self._connections.secrets.known()

    def warnings(self) -> list[str]:
        with self._lock:
            upstreams = list(self._upstreams.values())
        return [*self._connections.warnings(), *(warning for each in upstreams for warning in each.warnings)]

    def candidates(self, name: str) -> list[Server]:
        return self._connections.configured.candidates(name)

    def write(self, change: Callable[[Json], Json], *, project: bool = False) -> str:
        return self._connections.write(change, project=project)

    def found_elsewhere(self, path: str = "") -> list[Server]:
        return self._connections.configured.elsewhere(path)

    def login(self, name: str, tell: Callable[[str], None], cancelled: Callable[[], bool]) -> bool:
        return self._connections.logins.login(self._approved(name), self._connections.secrets.look_up, tell, cancelled)

    def forget(self, name: str) -> bool:
        return self._connections.logins.forget(name)

    def close(self) -> None:
        """Stop everything, all at once; then record what has ended."""
        with self._lock:
            self._closed = True
            upstreams = list(self._upstreams.values())
            self._upstreams.clear()
        self.timers.close()
        closing = [threading.Thread(target=each.close, daemon=True) for each in upstreams]
        for thread in closing:
            thread.start()
        for thread in closing:
            thread.join()
        self._passing.close()
        self._connections.close()
        self._journal.close()


def _active(upstream: Upstream, configured: Server | None = None) -> Standing:
    reason = upstream.state
    if not reason and configured is not None and configured.launch != upstream.server.launch:
        reason = "it runs as it was configured when it was mounted; to use the new configuration, mount it anew"
    return Standing(server=upstream.server, status=Status.ACTIVE, reason=reason)


def _principal(mark: str) -> str:
    """Of its own for every engine: what one left is over, whatever another one of the same process has mounted."""
    pid, _, space = mark.split(" ", 2)
    return f"{space.split(' ')[0]}-{pid}-{os.urandom(3).hex()}"
