"""What a task changed: its own files with their diffs, then whatever else changed in its tree, folded."""

from __future__ import annotations

from hashlib import blake2b
from time import time_ns
from urllib.parse import urlencode

from deedlog.core.account import MINE
from deedlog.core.errors import DeedlogError
from deedlog.core.patch import paths_of, pieces
from deedlog.faces.web.page.diffing.files import files_of, tree_of
from deedlog.faces.web.page.view import Asked, Json, Shown
from deedlog.faces.web.page.views.task_diff import patch_so_far

ADDRESS = "/part/task/{task}/changes"
WAITS = True
UNKNOWN = "its attempt ended although nobody could tell what it changed"
FILES = 60  # on one page
OTHERS = ("shared", "other", "arrived", "deedlog")
FILTERS = (*MINE, *OTHERS, "out")
WORDS = {
    "task": "this task",
    "subtask": "subtasks",
    "shared": "shared",
    "other": "other tasks",
    "arrived": "arrived",
    "deedlog": "Deedlog's own",
    "out": "out of scope",
}


def show(asked: Asked) -> Shown:
    task = str(asked.named["task"])
    about = changes(asked, task, asked.query.get("session"))
    return Shown("task_changes.html", "Changes", {"changes": about}, part=True)


def changes(asked: Asked, task: str, session: str | None) -> Json:
    """All that the list of changes is filled with, or why nobody can tell; `session` narrows it to one attempt."""
    try:
        return _changes(asked, task, session)
    except DeedlogError as error:
        return {"task": task, "problem": error.message, "hint": error.hint, "counts": {}}


def _changes(asked: Asked, task: str, session: str | None) -> Json:
    only = asked.choice("by", FILTERS, "")
    first = asked.query.get("from", "")
    told = asked.read(
        "task_changes",
        task_id=task,
        session_id=session,
        by=list(MINE) if only in ("", "out") else [only],
        scope="out" if only == "out" else None,
        limit=FILES,
        cursor=first or None,
    )
    files = files_of(told["changes"])
    look = str(time_ns()) if told.get("so_far") else ""
    whose = told.get("whose", {})
    kept = {"session": session} if session else {}
    return {
        "task": task,
        "session": session or "",
        "problem": UNKNOWN if told.get("changes_unknown") else "",
        "hint": "",
        "so_far": told.get("so_far", False),
        "look": look,
        "digests": digests(patch_so_far(asked, task, session, look)) if look else {},
        "counts": _counts(told.get("counts", {})),
        "files": files,
        "tree": tree_of(files),
        "only": only,
        "filters": _filters(whose, told.get("counts", {}), only, kept),
        "others": [] if only else [{"by": by, "count": whose[by], "word": WORDS[by]} for by in OTHERS if by in whose],
        "words": WORDS,
        "first": f"?{urlencode({**kept, 'by': only})}#changes" if first else "",
        "next": f"?{urlencode({**kept, 'by': only, 'from': told['next_cursor']})}#changes"
        if "next_cursor" in told
        else "",
        "query": urlencode({**kept, "by": only, "from": first}),
    }


def _counts(told: Json) -> Json:
    """A renamed file is one of them, neither added nor deleted."""
    renamed = told.get("renamed", 0)
    by_word = {"modified": told.get("modified", 0), "renamed": renamed}
    by_word |= {word: told.get(word, 0) - renamed for word in ("added", "deleted")}
    return {**told, **by_word, "files": sum(by_word.values())}


def digests(patch: bytes) -> dict[str, str]:
    """What the diff of each file is called: another name, another diff."""
    found: dict[str, str] = {}
    for piece in pieces(patch):
        name = paths_of(piece)[1]
        found[name] = found.get(name, "") + blake2b(piece, digest_size=6).hexdigest()
    return found


def _filters(whose: Json, counts: Json, only: str, kept: Json) -> list[Json]:
    mine = sum(whose.get(by, 0) for by in MINE)
    found = [{"by": "", "word": "its own", "count": mine}] if mine else []
    told = (*(MINE if all(by in whose for by in MINE) else ()), *OTHERS)
    found += [{"by": by, "word": WORDS[by], "count": whose[by]} for by in told if by in whose]
    if counts.get("unexpected"):
        found.append({"by": "out", "word": WORDS["out"], "count": counts["unexpected"]})
    if len(found) <= 1 and not only:
        return []
    return [
        {
            **row,
            "address": f"?{urlencode({**kept, **({'by': row['by']} if row['by'] else {})})}#changes",
            "on": row["by"] == only,
        }
        for row in found
    ]
