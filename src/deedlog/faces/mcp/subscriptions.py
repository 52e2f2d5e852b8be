"""What one client wants to be told: by subscribing, in the old era, or by a stream it opens, in the new."""

from __future__ import annotations

from threading import Thread

from deedlog.core.errors import DeedlogError
from deedlog.faces.mcp import mounted, protocol, resources
from deedlog.faces.mcp.feed import LISTS, Subscriber
from deedlog.faces.mcp.protocol import INVALID_PARAMS, Failure
from deedlog.ports import Silent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from deedlog.faces.mcp.dispatch import Connection, Dispatcher
    from deedlog.faces.mcp.request import Request
    from deedlog.ports import Gateway

    Json = dict[str, Any]

FILTERS = {"toolsListChanged": "tools", "promptsListChanged": "prompts", "resourcesListChanged": "resources"}
MOST_STREAMS = 64
MOST_URIS = 1_000


class Subscriptions:
    def __init__(self, dispatcher: Dispatcher, send: Callable[[Json], None], connection: Connection) -> None:
        self._app = dispatcher.app
        self._feed = dispatcher.feed
        self._own = Subscriber(send, LISTS)
        self._own.connection = connection
        self._streams: dict[str | int, Subscriber] = {}

    def open(self) -> None:
        """A legacy client is told of changed lists without asking."""
        self._feed.add(self._own)

    def subscribe(self, request: Request) -> Json:
        uri = request.text("uri")
        if len(self._own.uris) + len(self._own.mounted) >= MOST_URIS:
            raise Failure(protocol.BUSY, f"{MOST_URIS} resources are subscribed already")
        if found := mounted.resource_at(self._app, uri):
            result = mounted.passed_on(request, found[0], "resources/subscribe", {"uri": found[1]})
            self._own.mounted.add(uri)
            self._feed.add(self._own)
            return result
        if resources.found(self._app, uri) is None:
            raise resources.missing(request, uri)
        self._feed.follow(self._own, [uri])
        return {}

    def unsubscribe(self, request: Request) -> Json:
        """Where nobody else is told of a resource of a mounted server, that server is told, too."""
        uri = request.text("uri")
        self._own.uris.pop(uri, None)
        if uri in self._own.mounted:
            self._own.mounted.discard(uri)
            if not self._feed.is_followed(uri) and (found := mounted.resource_at(self._app, uri)):
                return mounted.passed_on(request, found[0], "resources/unsubscribe", {"uri": found[1]})
        return {}

    def listen(self, request: Request) -> None:
        """Open a stream of notifications; its result is sent when it ends."""
        wishes = request.mapping("notifications")
        uris = wishes.get("resourceSubscriptions", [])
        if not isinstance(uris, list) or len(uris) > MOST_URIS or not all(isinstance(uri, str) for uri in uris):
            raise Failure(INVALID_PARAMS, f"resourceSubscriptions: must be a list of at most {MOST_URIS} URIs")
        if len(self._streams) >= MOST_STREAMS or request.id in self._streams:
            raise Failure(protocol.BUSY, f"a stream with this id is open, or {MOST_STREAMS} are")
        granted: Json = {name: True for name in FILTERS if wishes.get(name) is True}
        subscriber = Subscriber(request.send, [FILTERS[name] for name in granted], {protocol.SUBSCRIPTION: request.id})
        rows = "resourcesListChanged" in granted
        foreign = {uri for _, uri in mounted.followed(self._app, wishes)}
        subscriber.mounted = {uri for uri in foreign if self._is_told(request, uri)}
        uris = [uri for uri in uris if uri not in foreign or uri in subscriber.mounted]
        granted |= {"resourceSubscriptions": uris} if uris else {}

        def acknowledge() -> None:
            subscriber.tell("subscriptions/acknowledged", notifications=granted)

        self._feed.follow(subscriber, [uri for uri in uris if uri not in foreign], rows=rows, first=acknowledge)
        self._streams[request.id] = subscriber
        if request.cancelled():  # the client left meanwhile
            self.cancel(request.id)

    def _is_told(self, request: Request, uri: str) -> bool:
        """Whether the mounted server agrees to tell of a resource; what it does not is not granted."""
        server, original = mounted.resource_at(self._app, uri) or ("", "")
        try:
            mounted.passed_on(request, server, "resources/subscribe", {"uri": original})
        except Failure:
            return False
        return True

    def _remove(self, subscriber: Subscriber) -> None:
        """Mounted servers are told what nobody follows any more; a client that goes does not wait for them."""
        self._feed.remove(subscriber)
        left = {uri: found for uri in subscriber.mounted if (found := mounted.resource_at(self._app, uri))}
        if left:
            run = Thread(target=self._unfollow, args=(self._app.gateway, left), name="unfollow", daemon=True)
            run.start()

    def _unfollow(self, gateway: Gateway, left: dict[str, tuple[str, str]]) -> None:
        for uri, (server, original) in left.items():
            if self._feed.is_followed(uri):
                continue
            try:
                gateway.ask(server, "resources/unsubscribe", {"uri": original}, Silent())
            except DeedlogError:
                continue  # it is gone, or does not mind

    def cancel(self, request_id: str | int) -> None:
        if subscriber := self._streams.pop(request_id, None):
            self._remove(subscriber)

    def close(self) -> list[tuple[str | int, Json]]:
        """Tell nothing more; returns the results that the open streams are owed."""
        self._remove(self._own)
        owed = [(request_id, {"_meta": {protocol.SUBSCRIPTION: request_id}}) for request_id in list(self._streams)]
        for request_id, _ in owed:
            self.cancel(request_id)
        return owed
