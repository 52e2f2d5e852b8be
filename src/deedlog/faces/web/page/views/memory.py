"""One entry of the memory bank: what it says, how it came to say so, and the form that changes it."""

from __future__ import annotations

from deedlog.core.errors import Denied
from deedlog.faces.web.page.markdown import rendered
from deedlog.faces.web.page.off import switched_off
from deedlog.faces.web.page.view import Asked, Shown

ADDRESS = "/memory/{id}"


def show(asked: Asked) -> Shown:
    name = str(asked.named["id"])[:200]
    try:
        entry = asked.read("memory_get", id=name)
        history = asked.read("memory_history", id=name, limit=50)["history"]
    except Denied as error:
        return switched_off("Memory", error)
    about = {"entry": entry, "history": history, "html": rendered(entry["content"])}
    return Shown(
        "memory.html", entry["title"], about, follows=("memory",), subjects=(f"memory://{entry['id']}",), view="memory"
    )
