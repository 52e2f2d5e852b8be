"""One decision: an ADR as its file has it, or what was logged on a task."""

from __future__ import annotations

from typing import Any

from deedlog.core.errors import Denied
from deedlog.faces.web.page.markdown import rendered
from deedlog.faces.web.page.off import switched_off
from deedlog.faces.web.page.view import Answer, Asked, Elsewhere, Shown

ADDRESS = "/decision/{uid}"
LOGGED = "dec-"
Json = dict[str, Any]


def show(asked: Asked) -> Answer:
    uid = str(asked.named["uid"])[:300]
    try:
        return _logged(asked, uid) if uid.startswith(LOGGED) else _adr(asked, uid)
    except Denied as error:
        return switched_off("Decision", error)


def _adr(asked: Asked, uid: str) -> Answer:
    adr = asked.read("adr_show", uid=uid)
    row = _row(asked, uid)
    about = {
        "adr": adr,
        "row": row,
        "html": rendered(_without_title(adr["text"])),
        "title_of": {each: _title(asked, each) for each in [*row.get("supersedes", []), *row.get("superseded_by", [])]},
    }
    return Shown("decision.html", row.get("title") or adr["path"], about, follows=("adr", "decision"), view="decisions")


def _logged(asked: Asked, uid: str) -> Answer:
    found = asked.read("ledger_get", uri=f"decision://{uid}")
    if found["uri"] != f"decision://{uid}":
        return Elsewhere("/decisions")
    fields = found["fields"]
    row = _row(asked, uid, task=fields.get("task_id"))
    about = {"fields": fields, "found": found, "row": row, "uid": uid}
    return Shown(
        "decision_logged.html",
        fields.get("question") or uid,
        about,
        follows=("decision", "adr"),
        view="decisions",
    )


def _row(asked: Asked, uid: str, task: str | None = None) -> Json:
    """What the list says of it; one that is told as its ADR is found under that."""
    found = asked.read_if_on("decision_list", text=uid, task_id=task, limit=20) or {"decisions": []}
    listed = found["decisions"]
    return next((row for row in listed if uid in (row["id"], row.get("decision_id"))), {})


def _title(asked: Asked, uid: str) -> str:
    return str(_row(asked, uid).get("title", ""))


def _without_title(text: str) -> str:
    """The first heading is the page's own."""
    lines = text.splitlines()
    first = next((place for place, line in enumerate(lines) if line.startswith("# ")), None)
    return "\n".join(lines if first is None else [*lines[:first], *lines[first + 1 :]])
