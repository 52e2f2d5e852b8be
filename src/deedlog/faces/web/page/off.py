"""A view whose module is switched off says so, and how it is switched on."""

from __future__ import annotations

from deedlog.core.capability import summary_of
from deedlog.core.errors import Denied
from deedlog.faces.web.page.view import Shown


def switched_off(title: str, error: Denied) -> Shown:
    """What a person is told instead; a refusal for another reason is refused as it is."""
    capability = error.data.get("capability") if error.data else None
    if not isinstance(capability, str):
        raise error
    about = {"capability": capability, "summary": summary_of(capability), "hint": error.hint}
    return Shown("off.html", title, about, follows=("capability",))
