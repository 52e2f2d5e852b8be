"""What needs a person: the question first, how long it waits, what there is to judge it by, and what can be done."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlencode

from deedlog.core.errors import NotFound
from deedlog.core.terminal import plain
from deedlog.faces.web.page.view import Asked, Json, Shown

ADDRESS = "/review"
ROWS = 30
WARNING = "\u26a0\ufe0f "  # the sign that questions of earlier releases begin with
LONG = 420  # of a question, from where on its rest is folded
WHOLE = ("permission", "memory")  # a person approves exactly this text: nothing of it is folded
FOLLOWS = ("review", "task", "session", "clarification", "comment")
KINDS = {  # in the order of their tabs: what it is called, its sign, how loud it is
    "review": ("Question", "?", "tone-asks"),
    "question": ("Asked by an agent", "?", "tone-asks"),
    "permission": ("Permission", "?", "tone-asks"),
    "memory": ("Memory draft", "?", "tone-asks"),
    "clarification": ("To be answered", "?", "tone-asks"),
    "scope": ("Out of scope", "!", "tone-warns"),
    "checks": ("Checks failed", "✕", "tone-fails"),
    "conflict": ("Merge conflict", "✕", "tone-fails"),
    "worker_failed": ("Worker failed", "✕", "tone-fails"),
    "budget": ("Budget used", "!", "tone-warns"),
    "changes_unknown": ("Changes unknown", "!", "tone-warns"),
    "lease": ("Claim lapsed", "!", "tone-warns"),
    "merge": ("To be merged", "✓", "tone-ready"),
    "trust": ("To be approved", "!", "tone-warns"),
}
LABELS = {
    "approve": "Approve",
    "send_back": "Send back",
    "widen_scope": "Widen the scope",
    "answer": "Answer",
    "release": "Give it to others",
    "retry": "Try again",
    "merge": "Merge",
    "choose": "Compare and choose",
    "note": "Only note it",
    "trust": "Approve this value",
}
OTHERWISE = {  # where the same action is another thing to do
    ("scope", "approve"): "Approve once",
    ("permission", "approve"): "Allow once",
    ("permission", "note"): "Do not allow",
    ("memory", "approve"): "Activate",
    ("memory", "note"): "Leave it a draft",
    ("checks", "merge"): "Check and merge again",
    ("conflict", "merge"): "Merge again",
    ("worker_failed", "merge"): "Merge what it did",
    ("budget", "merge"): "Merge what it did",
    ("changes_unknown", "merge"): "Merge it anyway",
}


def show(asked: Asked) -> Shown:
    kind = asked.choice("kind", tuple(KINDS), "")
    workflow = asked.query.get("workflow", "")
    where = {"kind": kind or None, "workflow_id": workflow or None}
    gone = ""
    try:
        found = asked.read("attention_list", **where, limit=ROWS, cursor=asked.query.get("cursor") or None)
    except NotFound as error:
        gone, found = error.message, {"items": [], "counts": {}, "total": 0}
    about: Json = {
        "items": [_item(row) for row in found["items"]],
        "total": found["total"],
        "tabs": _tabs(found["counts"], found["total"], kind, workflow),
        "kind": kind,
        "workflow": workflow,
        "workflows": _workflows(found["items"]),
        "everything": _address(kind=kind),
        "more": _address(kind=kind, workflow=workflow, cursor=found["next_cursor"]) if "next_cursor" in found else "",
        "later": bool(asked.query.get("cursor")),
        "gone": gone,
    }
    return Shown("review.html", f"({found['total']}) Review" if found["total"] else "Review", about, follows=FOLLOWS)


def _item(row: Json) -> Json:
    """What waits, with the words and the numbers its forms need."""
    name, sign, tone = KINDS[row["kind"]]
    question = " ".join(plain(line) for line in row["question"].split("\n")).strip().removeprefix(WARNING)
    first, _, whole = row["question"].partition("\n") if row["kind"] in WHOLE else ("", "", "")
    question = first or question
    cut = question.rfind(" ", 0, LONG) if len(question) > LONG and not first else -1
    return {
        "paths": [],
        "detail": {},
        **row,
        "place": row["id"].replace(":", "-"),
        "kind_name": name,
        "sign": sign,
        "tone": tone,
        "question": question[:cut] if cut > 0 else question,
        "rest": question[cut:] if cut > 0 else "",
        "whole": whole,
        "task_number": _number(row.get("task_id", "")),
        "session_number": _number(row.get("session_id", "")),
        "choices": [_choice(row["kind"], action, at) for at, action in enumerate(row["actions"])],
        "evidence": _evidence(row),
        "comparison": _comparison(row),
        "brought": json.dumps(row["detail"]["value"], indent=2) if row["kind"] == "trust" else "",
    }


def _choice(kind: str, action: str, at: int) -> Json:
    return {"action": action, "label": OTHERWISE.get((kind, action), LABELS[action]), "decisive": at == 0}


def _number(ref: str) -> str:
    digits = ref.rpartition("-")[2]
    return digits if digits.isascii() and digits.isdigit() else ""


def _evidence(row: Json) -> str:
    """Where there is more to judge it by."""
    if "task_id" not in row or row["kind"] == "lease" or "attempts" in row.get("detail", {}):
        return ""
    query = urlencode({"kind": row["kind"], **({"session": row["session_id"]} if "session_id" in row else {})})
    return f"/part/evidence/{row['task_id']}?{query}"


def _comparison(row: Json) -> str:
    """Where the last of several attempts stand beside each other."""
    last = [one["session_id"] for one in row.get("detail", {}).get("attempts", [])][-2:]
    return (
        f"/task/{row['task_id']}/compare?{urlencode(dict(zip(('left', 'right'), last, strict=True)))}" if last else ""
    )


def _tabs(counts: Json, total: int, kind: str, workflow: str) -> list[Json]:
    kept = [name for name in KINDS if name in counts or name == kind]
    rows = [("", "Everything", total), *((name, KINDS[name][0], counts.get(name, 0)) for name in kept)]
    return [
        {"kind": name, "name": label, "count": count, "address": _address(kind=name, workflow=workflow)}
        for name, label, count in rows
    ]


def _workflows(items: list[Json]) -> list[Json]:
    names = {row["workflow_id"]: row.get("workflow_name", "") for row in items if "workflow_id" in row}
    return [{"workflow_id": id_, "name": name or id_} for id_, name in names.items()]


def _address(**query: Any) -> str:
    given = urlencode({name: value for name, value in query.items() if value})
    return f"{ADDRESS}?{given}" if given else ADDRESS
