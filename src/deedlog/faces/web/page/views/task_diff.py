"""The diff of one file of a task, a part of it at a time, with what was said about its lines."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable
from urllib.parse import urlencode

from deedlog.core.errors import NotFound
from deedlog.core.patch import about
from deedlog.faces.web.page.diffing import layout, parsed
from deedlog.faces.web.page.diffing.files import key_of
from deedlog.faces.web.page.diffing.visible import visible
from deedlog.faces.web.page.looks import Looks
from deedlog.faces.web.page.view import Asked, Json, Shown

ADDRESS = "/part/task/{task}/diff"
WAITS = True
LAYOUTS = ("unified", "split")
MOST_BYTES = 2**26  # no kept patch is larger
LAST = 10**9
LOOKS = Looks()
ONE_SIDED = ("added", "deleted")  # beside them there is nothing


def show(asked: Asked) -> Shown:
    task, path = str(asked.named["task"]), asked.query.get("path", "")
    session = asked.query.get("session") or None
    try:
        patch = (
            about(patch_so_far(asked, task, session, asked.query["so_far"]), path) if "so_far" in asked.query else b""
        )
        patch = patch or _patch(asked, task, session, path)
    except NotFound as error:
        return Shown("task_diff.html", path, {"missing": error.hint or error.message, "files": []}, part=True)
    start = asked.count("from", 0, LAST)
    split = asked.choice("layout", LAYOUTS, LAYOUTS[0]) == "split"
    whole = "whole" in asked.query  # one line, however long it is
    comments = _comments(asked, task, path)
    files = [
        _file(file, start, split=split, whole=whole, comments=comments if at == 0 else [])
        for at, file in enumerate(parsed.parse(patch))
    ]
    address = f"/part/task/{task}/diff?" + urlencode(
        {"path": path, **({"session": session} if session else {}), "layout": LAYOUTS[split]}
    )
    filled = {
        "missing": "",
        "files": files,
        "split": split,
        "address": address,
        "path": path,
        "key": key_of(path),
        "whole": whole,
        "start": start,
    }
    return Shown("task_diff.html", path, filled, part=True)


def _patch(asked: Asked, task: str, session: str | None, path: str | None) -> bytes:
    told = asked.read("task_patch", task_id=task, session_id=session, path=path, limit=MOST_BYTES)
    return b64decode(told["patch"]) if "encoding" in told else told["patch"].encode()


def patch_so_far(asked: Asked, task: str, session: str | None, look: str) -> bytes:
    """Of work that goes on: one look at the tree, named by the list that was made before it, serves all its files."""

    def take() -> bytes:
        try:
            return _patch(asked, task, session, None)
        except NotFound:
            return b""

    return LOOKS.look((asked.base, task, session, look), take)


def _comments(asked: Asked, task: str, path: str) -> list[Json]:
    rows = asked.read("comment_list", task_id=task, status="all")["comments"]
    return [{**row, "text": visible(row["text"])} for row in rows if row.get("path") == path]


def _file(file: parsed.FilePatch, start: int, *, split: bool, whole: bool, comments: Iterable[Json]) -> Json:
    split = split and file.status not in ONE_SIDED
    longest = layout.LONGEST_SHOWN if whole else layout.LONGEST_LINE
    parts = layout.parts(file, start, 1 if whole else layout.PART, longest=longest)
    if whole:
        parts = [layout.Part("", "", part.lines[:1]) for part in parts[:1]]
    shown = [line for part in parts for line in part.lines]
    after = shown[-1].at + 1 if shown else 0
    places = {place for line in shown for place in _places(line)}
    said: dict[tuple[str, int], list[Json]] = {}
    elsewhere = []
    for row in comments:
        place = (row.get("side", "new"), row.get("line") or 0)
        if place in places:
            said.setdefault(place, []).append(row)
        elif start == 0:
            elsewhere.append(row)
    return {
        "file": file,
        "split": split,
        "parts": [
            {
                "part": part,
                "about": visible(part.about),
                "rows": layout.side_by_side(part.lines) if split else part.lines,
            }
            for part in parts
        ],
        "next": after if after < file.lines else None,
        "left": file.lines - after,
        "said": said,
        "elsewhere": elsewhere,
    }


def _places(line: layout.Shown) -> list[tuple[str, int]]:
    return [("old", line.line.old or 0), ("new", line.line.new or 0)]
