"""How many things wait for a person, beside the menu."""

from __future__ import annotations

from deedlog.faces.web.page.view import Asked, Shown

ADDRESS = "/part/waiting"


def show(asked: Asked) -> Shown:
    count = asked.read("attention_list", limit=1)["total"]
    return Shown("waiting.html", "Waiting", {"count": count}, part=True)
