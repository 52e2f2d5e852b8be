"""Tasks in columns by how they stand. What is asked for is in the address, so that it can be kept and told."""

from __future__ import annotations

from urllib.parse import urlencode

from deedlog.core.column import COLUMNS
from deedlog.faces.web.page import look
from deedlog.faces.web.page.view import Asked, Json, Shown

ADDRESS = "/board"
FOLLOWS = ("task", "session", "review", "milestone", "workflow")
FILTERS = {"text": 200, "label": 100, "agent": 200, "area": 200, "workflow_id": 80}  # with their longest
CARDS, MORE_CARDS, MOST_CARDS = 20, 100, 500  # of a column
ALONE = 100  # of a column that is looked at alone
BY_NUMBER = ("task_done", "task_cancel", "task_reopen", "task_release")  # what they call the task they are about
WORDS = {"blocked": "Waiting for others", "review": "Needs you", "in_progress": "In progress"}
GLYPHS = {"blocked": "◌"}


def show(asked: Asked) -> Shown:
    chosen = {name: text for name, most in FILTERS.items() if (text := asked.query.get(name, "").strip()[:most])}
    column = asked.choice("column", COLUMNS, "")
    board = asked.read("task_board", **chosen, column=column or None, limit=ALONE if column else CARDS)
    kept = {**chosen, **({"column": column} if column else {})}
    about = {
        **board,
        "columns": [_column(asked, each, kept, chosen) for each in board["columns"]],
        "chosen": {name: chosen.get(name, "") for name in FILTERS},
        "column": column,
        "is_filtered": bool(chosen),
        "all": _address({"column": column} if column else {}),
        "whole": _address(chosen),
        "count": sum(each["count"] for each in board["columns"]),
    }
    return Shown("board.html", "Board", about, follows=FOLLOWS)


def _column(asked: Asked, column: Json, kept: Json, chosen: Json) -> Json:
    """A column with as many cards as the address asks for, and the addresses of more of it and of it alone."""
    name = column["name"]
    shown = len(column["tasks"])
    wanted = asked.count(f"{name}_cards", shown, MOST_CARDS)
    if wanted > shown and column.get("more"):
        (column,) = asked.read("task_board", **chosen, column=name, limit=wanted)["columns"]
        shown = len(column["tasks"])
    open_ = {f"{each}_cards": text for each in COLUMNS if (text := asked.query.get(f"{each}_cards")) and each != name}
    more = {f"{name}_cards": min(shown + MORE_CARDS, MOST_CARDS)}
    return {
        **column,
        "title": WORDS.get(name, name.capitalize()),
        "glyph": GLYPHS.get(name) or look.glyph(name),
        "tasks": [{**card, "to": _moves(card)} for card in column["tasks"]],
        "left": column["count"] - shown,
        "show_more": _address({**kept, **open_, **more}) if column.get("more") and shown < MOST_CARDS else "",
        "alone": _address({**chosen, "column": name}),
    }


def _moves(card: Json) -> str:
    """`done=task/done=id` for each column it may be put into: by which address, and how that calls a task."""
    return " ".join(
        f"{column}={_path(operation)}={'id' if operation in BY_NUMBER else 'task_id'}"
        for column, operation in card["moves"].items()
    )


def _path(operation: str) -> str:
    noun, _, verb = operation.partition("_")
    return f"{noun}/{verb.replace('_', '-')}"


def _address(query: Json) -> str:
    return f"{ADDRESS}?{urlencode(query)}" if query else ADDRESS
