"""Any recorded thing, by its URI: things with a view of their own are shown there."""

from __future__ import annotations

import re
from typing import Any

from deedlog.core.errors import DeedlogError
from deedlog.core.kinds import KINDS
from deedlog.faces.web.page import look, tail
from deedlog.faces.web.page.view import Answer, Asked, Elsewhere, Json, Shown

ADDRESS = "/thing"
URI = re.compile(r"[a-z]+://\S+")
EVENTS = 20
LATER = ("number", "version", "id")  # is told above the fields


def show(asked: Asked) -> Answer:
    uri = asked.query.get("uri", "").strip()
    if uri.partition("://")[0] in look.PLACES:
        return Elsewhere(look.place(uri))
    found = asked.read("ledger_get", uri=uri)
    if found["kind"] in look.PLACES:
        return Elsewhere(look.place(found["uri"]))
    names = Names(asked)
    about = {
        "found": found,
        "fields": [_field(name, value, names) for name, value in found["fields"].items() if name not in LATER],
        "belongs": [names.link(other) for other in found["subjects"] if other != found["uri"]],
        "rows": _events(asked, found["uri"]),
        "wanted": tail.Filter(asked),
    }
    return Shown("thing.html", found["text"], about, follows=(found["kind"],), subjects=(found["uri"],))


class Names:
    """What things are called, each read once."""

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._known: dict[str, str] = {}

    def link(self, uri: str) -> Json:
        if uri not in self._known:
            self._known[uri] = self._name(uri)
        return {"uri": uri, "text": self._known[uri]}

    def _name(self, uri: str) -> str:
        try:
            return str(self._asked.read("ledger_get", uri=uri)["text"])
        except DeedlogError:  # gone, or no thing of ours
            return uri


def _field(name: str, value: Any, names: Names) -> Json:
    """A field with what it names as links."""
    if uris := _uris(name, value):
        return {"name": name, "form": "links", "links": [names.link(uri) for uri in uris]}
    if name.endswith("_at") and isinstance(value, str):
        return {"name": name, "form": "moment", "value": value}
    if isinstance(value, list) and all(isinstance(part, str | int | float) for part in value):
        return {"name": name, "form": "list", "value": value}
    if isinstance(value, str | int | float):
        return {"name": name, "form": "text", "value": value}
    return {"name": name, "form": "data", "value": value}


def _uris(name: str, value: Any) -> list[str]:
    """The things a field names: by their URIs, or by ids in a field called after their kind."""
    given = value if isinstance(value, list) else [value]
    if not given or not all(isinstance(part, str) for part in given):
        return []
    if all(URI.fullmatch(part) and part.partition("://")[0] in KINDS for part in given):
        return given
    kind = re.fullmatch(r"(?:\w+_)?([a-z]+)_ids?", name)
    return [f"{kind[1]}://{part}" for part in given] if kind and kind[1] in KINDS else []


def _events(asked: Asked, uri: str) -> list[Json]:
    rows = asked.read("event_list", subject=uri, last=True, limit=EVENTS, brief=True)["events"]
    return [tail.told(row) for row in reversed(rows)]
