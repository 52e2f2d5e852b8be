"""Any recorded thing, by its URI: things with a view of their own are shown there."""

from __future__ import annotations

from deedlog.faces.web.page import look
from deedlog.faces.web.page.view import Answer, Asked, Elsewhere, Shown

ADDRESS = "/thing"


def show(asked: Asked) -> Answer:
    uri = asked.query.get("uri", "")
    if uri.partition("://")[0] in look.PLACES:
        return Elsewhere(look.place(uri))
    found = asked.read("ledger_get", uri=uri)
    return Shown("thing.html", found["text"], {"found": found}, follows=(found["kind"],), subjects=(found["uri"],))
