"""Resources and prompts of mounted servers: listed beside ours, and handed on to the server whose they are.

Nothing here opens the gateway: where nothing is mounted, there is nothing to hand on.
"""

from __future__ import annotations

from deedlog.core.errors import DeedlogError
from deedlog.core.gate.naming import mounted_names, origin, server_id, uri_of
from deedlog.faces.mcp.protocol import INTERNAL_ERROR, INVALID_PARAMS, Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from deedlog.app import App
    from deedlog.faces.mcp.request import Request
    from deedlog.ports import Offer

    Json = dict[str, Any]

PASSED_ON = {
    "resources/read",
    "resources/subscribe",
    "resources/unsubscribe",
    "prompts/get",
    "completion/complete",
    "subscriptions/listen",
}
ELICITATION_NEEDED = -32042  # its data is what the client goes on with, so it is handed on as it is


def offers(app: App) -> list[tuple[str, Offer]]:
    """The mounted servers by name, always in the same order."""
    return sorted(app.mounted().items())


def resources(app: App) -> list[Json]:
    return _rows(app, "resources", "uri")


def templates(app: App) -> list[Json]:
    return _rows(app, "templates", "uriTemplate")


def _rows(app: App, part: str, field: str) -> list[Json]:
    return [
        {**row, field: uri_of(server, row[field]), "name": str(row.get("name", row[field]))}
        for server, offer in offers(app)
        for row in offer.fields()[part]
        if isinstance(row.get(field), str)
    ]


def prompts(app: App) -> list[Json]:
    return [{**row, "name": ours} for _, ours, row in _prompts(app)]


def _prompts(app: App) -> Iterator[tuple[str, str, Json]]:
    for server, offer in offers(app):
        rows = [row for row in offer.prompts if isinstance(row.get("name"), str)]
        names = mounted_names(server, (row["name"] for row in rows))
        yield from ((server, names[row["name"]], row) for row in rows)


def prompt_named(app: App, name: str) -> tuple[str, str] | None:
    """The server of a prompt, and what that server calls it."""
    return next(((server, row["name"]) for server, ours, row in _prompts(app) if ours == name), None)


def resource_at(app: App, uri: str) -> tuple[str, str] | None:
    """The server of a resource or a template, and what that server calls it."""
    found = origin(uri)
    return (
        next(((server, found[1]) for server in app.mounted() if server_id(server) == found[0]), None) if found else None
    )


def referred(app: App, reference: Json) -> tuple[str, Json] | None:
    """The server of what a completion is asked for, and the reference as that server knows it."""
    if isinstance(name := reference.get("name"), str) and (prompt := prompt_named(app, name)):
        return prompt[0], {**reference, "name": prompt[1]}
    if isinstance(uri := reference.get("uri"), str) and (resource := resource_at(app, uri)):
        return resource[0], {**reference, "uri": resource[1]}
    return None


def server_of(app: App, method: str, params: Json) -> str:
    """The mounted server that a request is about. Asked before the request is known to be well formed."""
    if method not in PASSED_ON or not app.mounted():
        return ""
    found: tuple[str, Any] | None = None
    if method in ("resources/read", "resources/subscribe", "resources/unsubscribe"):
        found = resource_at(app, str(params.get("uri")))
    elif method == "prompts/get":
        found = prompt_named(app, str(params.get("name")))
    elif method == "completion/complete":
        found = referred(app, reference) if isinstance(reference := params.get("ref"), dict) else None
    elif method == "subscriptions/listen":
        found = next(followed(app, params.get("notifications")), None)
    return found[0] if found else ""


def followed(app: App, wishes: object) -> Iterator[tuple[str, str]]:
    """The resources of mounted servers that a client wants to be told of: the server, and our URI."""
    uris = wishes.get("resourceSubscriptions") if isinstance(wishes, dict) else None
    for uri in uris if isinstance(uris, list) else ():
        if isinstance(uri, str) and (found := resource_at(app, uri)):
            yield found[0], uri


def passed_on(request: Request, server: str, method: str, params: Json) -> Json:
    """What the server answers, with our URIs in it."""
    from deedlog.work.consent import RECORD
    from deedlog.work.letting import let_beside  # only what is mounted needs it
    from deedlog.work.mounted_tools import with_meta, with_our_uris

    try:
        app, actor = request.dispatcher.app, request.caller().actor
        gateway = app.gateway
        if approval := let_beside(gateway, gateway.standing(server).server, method, params, request, actor):
            app.aside(RECORD, approval)
        result = gateway.ask(server, method, with_meta(params, request.meta), request, actor)
    except DeedlogError as error:
        raise refusal_of(error) or Failure(
            INVALID_PARAMS if error.kind in ("invalid", "not_found") else INTERNAL_ERROR,
            error.message,
            {"kind": error.kind, "hint": error.hint},
        ) from error
    return with_our_uris(server, result)


def refusal_of(error: DeedlogError) -> Failure | None:
    """The JSON-RPC error with which a mounted server refused a request: its code, our words, its own beside them."""
    rpc = error.data.get("rpc")
    if not isinstance(rpc, dict):
        return None
    code = rpc.get("code")
    code = code if isinstance(code, int) and not isinstance(code, bool) else INTERNAL_ERROR
    needed = rpc.get("data") if code == ELICITATION_NEEDED else None
    return Failure(code, error.message, {**(needed if isinstance(needed, dict) else {}), "rpc": rpc})
