"""Who wants to know of changes, and telling them: the ledger's log and the catalog become notifications."""

from __future__ import annotations

import threading

from deedlog.app import IDEMPOTENCY, PUBLISHED
from deedlog.core.errors import DeedlogError
from deedlog.core.gate.naming import uri_of
from deedlog.faces.mcp import protocol
from deedlog.ports import EventQuery

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from deedlog.app import App
    from deedlog.core.entry import Event
    from deedlog.faces.mcp.dispatch import Connection
    from deedlog.faces.mcp.listings import Listings
    from deedlog.faces.mcp.request import Request
    from deedlog.operation.define import Operation

    Json = dict[str, Any]

LISTS = ("tools", "prompts", "resources")
LIST_CHANGED = ("notifications/prompts/list_changed", "notifications/resources/list_changed")  # tools: the catalog
COMPLETED = "notifications/elicitation/complete"  # which the era that followed has no more
PRINTED = "output"  # what workers print, many times a second; only their logs tell of it
WAIT_SECONDS = 0.5  # how long closing may take
RETRY_SECONDS = 1.0


def nothing() -> None:
    """What is done when nothing needs to be."""


class Followed:
    """What events call a thing that is asked for as `task://5`, and the seq from which it is followed.

    `prints` marks the log of a worker, which is told of by what it prints and by nothing else. `told` is the last op
    that was told: one commit is one change, however many events it has.
    """

    def __init__(self, subject: str, since: int, *, prints: bool = False) -> None:
        self.subject = subject
        self.since = since
        self.prints = prints
        self.told = ""

    def is_told_by(self, event: Event) -> bool:
        if event.op_id == self.told or self.prints != (event.entity == PRINTED):
            return False
        return self.subject in event.subjects and self.since < event.seq


class Subscriber:
    """One client's wishes."""

    def __init__(self, send: Callable[[Json], None], lists: Iterable[str], meta: Json | None = None) -> None:
        self.lists = set(lists)
        self.uris: dict[str, Followed] = {}
        self.mounted: set[str] = set()  # URIs of resources of mounted servers, which tell of them themselves
        self.connection: Connection | None = None  # that is told of what belongs to no request of it
        self.listens = False  # whether it waits to be told, and may ask nothing meanwhile
        self.rows = False  # whether things that come and go are changes of the list of resources
        self._send = send
        self._meta = {"_meta": meta} if meta else {}

    def tell(self, what: str, **params: Any) -> None:
        self._send(protocol.note(f"notifications/{what}", params | self._meta))

    def list_changed(self, name: str) -> None:
        awaited = name == "tools" and self.connection is not None and self.connection.awaits_tools
        if name in self.lists and not awaited:
            self.tell(f"{name}/list_changed")

    def happened(self, event: Event) -> None:
        names = called(event)
        for uri, followed in list(self.uris.items()):
            if uri in names:  # it may have been asked for before there was such a thing
                followed.subject = event.subjects[0]
            if followed.is_told_by(event):
                followed.told = event.op_id
                self.tell("resources/updated", uri=uri)

    def updated(self, uri: str, params: Json) -> None:
        """A resource of a mounted server changed, which may be a part of one that was asked for."""
        if any(uri == one or uri.startswith(one.rstrip("/") + "/") for one in list(self.mounted)):
            self.tell("resources/updated", **{**params, "uri": uri})

    def wants_ledger(self) -> bool:
        return self.rows or bool(self.uris)


def called(event: Event) -> tuple[str, ...]:
    """The URIs with the number that an event gives a thing."""
    kind, number = event.entity, (event.after or {}).get("number")
    if not number:
        return ()
    logs = (f"sc://children/{number}/logs", f"sc://children/session-{number}/logs") if kind == "session" else ()
    return (f"{kind}://{number}", f"{kind}://{kind}-{number}", *logs)


class Feed:
    """One watch on the ledger for the whole process, and only while somebody wants it."""

    def __init__(self, app: App, listings: Listings, passing: set[Request]) -> None:
        self._app = app
        self._listings = listings
        self._passing = passing
        self._offered: dict[str, dict[str, list[Json]]] = {}  # by mounted server, what was in which list
        self._lock = threading.Lock()
        self._subscribers: list[Subscriber] = []
        self._seq = 0
        self._listed = ""  # the last op of which was told that something came or went
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._on = app.capabilities.now()
        self._lookout: threading.Thread | None = None
        app.catalog.listeners.append(self._catalog_changed)
        app.listeners.append(self._noticed)

    def notice(self) -> None:
        """Tell of capabilities that were switched since, here or by another process: costs one look at a file."""
        now = self._app.capabilities.now()
        if now == self._on:
            return
        with self._lock:
            switched, self._on = self._on ^ now, now
        every = IDEMPOTENCY in switched  # which is an input of all that change something
        changed = [op for op in self._app.catalog if switched and (every or not switched.isdisjoint(op.capabilities))]
        self._catalog_changed(changed)

    def _look_out(self) -> None:
        """Notice what other processes switch, while somebody listens."""
        while self._is_listened_to():
            self.notice()
            self._stop.wait(WAIT_SECONDS)

    def _is_listened_to(self) -> bool:
        with self._lock:
            listened = not self._stop.is_set() and any(one.listens and one.lists for one in self._subscribers)
            if not listened:
                self._lookout = None
            return listened

    def add(self, subscriber: Subscriber) -> None:
        with self._lock:
            self._add(subscriber)

    def _add(self, subscriber: Subscriber) -> None:
        if subscriber not in self._subscribers:
            self._subscribers.append(subscriber)

    def is_followed(self, uri: str) -> bool:
        """Whether anybody is told of this resource of a mounted server."""
        with self._lock:
            return any(uri in subscriber.mounted for subscriber in self._subscribers)

    def remove(self, subscriber: Subscriber) -> None:
        with self._lock:
            if subscriber in self._subscribers:
                self._subscribers.remove(subscriber)

    def follow(
        self, subscriber: Subscriber, uris: Sequence[str], *, rows: bool = False, first: Callable[[], None] = nothing
    ) -> None:
        """From now on tell `subscriber` of every event about these URIs, and with `rows` of things that come and go.

        `first` is done before anything is told, and after the moment from which everything is.
        """
        with self._lock:
            subscriber.listens = True
            subscriber.rows = subscriber.rows or rows
            head = self._app.ledger.head() if uris or rows else 0
            subscriber.uris |= {uri: self._followed(uri, head) for uri in uris}
            first()
            self._add(subscriber)
            if subscriber.lists and self._lookout is None:
                self._lookout = threading.Thread(target=self._look_out, name="deedlog-switches", daemon=True)
                self._lookout.start()
            if subscriber.wants_ledger() and self._thread is None:
                self._seq = head
                self._thread = threading.Thread(target=self._run, name="deedlog-feed", daemon=True)
                self._thread.start()

    def _followed(self, uri: str, since: int) -> Followed:
        from deedlog.core import sc  # only who subscribes needs it

        if address := sc.parsed(uri):
            prints = address.kind == sc.CHILD
            subject = self._subject(f"session://{address.name}") if prints else address.subject
            return Followed(subject, since, prints=prints)
        return Followed(self._subject(uri), since)

    def _subject(self, uri: str) -> str:
        """What events call the thing that is asked for as `task://5`."""
        from deedlog.core.kinds import KINDS  # see above

        kind, _, name = uri.partition("://")
        entity = KINDS.get(kind)
        found = self._app.ledger.find_one(entity, name) if entity and entity.numbered else None
        return found.uri if found else uri

    def close(self) -> None:
        if self._noticed in self._app.listeners:
            self._app.listeners.remove(self._noticed)
        self._stop.set()
        if thread := self._thread:
            thread.join(2 * WAIT_SECONDS)

    def _run(self) -> None:
        while self._wanted():
            try:
                self._watch()
            except Exception as error:  # noqa: BLE001  # the store is away: what happens meanwhile is read afterwards
                if not isinstance(error, DeedlogError):
                    self._app.report(error)
                self._stop.wait(RETRY_SECONDS)

    def _wanted(self) -> bool:
        with self._lock:
            wanted = not self._stop.is_set() and any(subscriber.wants_ledger() for subscriber in self._subscribers)
            if not wanted:
                self._thread = None
            return wanted

    def _watch(self) -> None:
        watch = self._app.ledger.watch()
        try:
            self._catch_up()
            while self._wanted():
                if watch.wait(WAIT_SECONDS):
                    self._catch_up()
        finally:
            watch.close()

    def _catch_up(self) -> None:
        while events := self._app.ledger.events(EventQuery(after=self._seq)):
            with self._lock:
                for event in events:
                    self._tell(event)
                self._seq = events[-1].seq

    def _tell(self, event: Event) -> None:
        for subscriber in self._subscribers:
            subscriber.happened(event)
        came_or_went = event.applied and event.entity and (event.before is None or event.after is None)
        if came_or_went and event.op_id != self._listed and self._is_listed(event.entity):
            self._listed = event.op_id
            for subscriber in self._subscribers:
                if subscriber.rows:
                    subscriber.list_changed("resources")

    def _is_listed(self, kind: str) -> bool:
        """New versions of graphs are not told: who follows a graph learns of them."""
        listing = [op for op in self._app.operations() if op.listed_by]
        if any(op.resource.startswith(f"{kind}://") for op in listing):
            return True
        from deedlog.core import sc  # see above

        return kind in sc.LISTED and any(op.templates for op in listing)

    def _catalog_changed(self, changed: list[Operation]) -> None:
        kinds = {"prompts" if op.prompt else "tools" for op in changed if op.prompt or op.is_tool}
        kinds |= {"resources" for op in changed if op.resource}
        if "tools" in kinds:
            self._listings.changed()
        self._lists_changed(kinds)

    def _lists_changed(self, kinds: set[str]) -> None:
        with self._lock:
            for subscriber in self._subscribers:
                for name in LISTS:
                    if name in kinds:
                        subscriber.list_changed(name)

    def _noticed(self, server: str, method: str, params: Json) -> None:
        """A mounted server tells something, or what it offers here has changed."""
        if method == PUBLISHED or method in LIST_CHANGED:
            self._lists_changed(self._changed_since(server))
        elif method == "notifications/resources/updated" and isinstance(uri := params.get("uri"), str):
            with self._lock:
                for subscriber in self._subscribers:
                    subscriber.updated(uri_of(server, uri), params)
        elif method == "notifications/message" and params.get("level") in protocol.LEVELS:
            self._logged(server, {**params, "logger": server})
        elif method == COMPLETED and isinstance(params.get("elicitationId"), str):
            for connection in self._connections():
                connection.tell_completed(params)

    def _changed_since(self, server: str) -> set[str]:
        """The lists in which a mounted server has something else than when this was asked last: each change once."""
        offer = self._app.mounted().get(server)
        now = {"prompts": offer.prompts, "resources": [*offer.resources, *offer.templates]} if offer else {}
        with self._lock:
            before, self._offered[server] = self._offered.get(server, {}), now
        return {kind for kind in LISTS if now.get(kind, []) != before.get(kind, [])}

    def _logged(self, server: str, message: Json) -> None:
        """To who waits for an answer of the server beside that answer, to all others by themselves."""
        told = set()
        for request in self._passing.copy():
            if request.server == server and request.connection not in told:
                told.add(request.connection)
                request.tell_log(message)
        for connection in self._connections():
            if connection not in told:
                connection.tell_log(message)

    def _connections(self) -> list[Connection]:
        with self._lock:
            return [one.connection for one in self._subscribers if one.connection]
