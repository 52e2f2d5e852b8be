from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.errors import DeedlogError
from deedlog.core.records.markdown import cut, flat
from deedlog.core.records.uid import is_uid
from deedlog.core.records.values import Adr
from deedlog.core.records.verifying import readable
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context

WIDTH = 200


class AdrRow(TypedDict):
    uid: str
    title: str
    category: str
    date: str
    form: str
    changes: list[str]
    path: str


class Listed(TypedDict):
    adrs: list[AdrRow]
    next_cursor: NotRequired[str]
    warnings: NotRequired[list[str]]


@operation(
    Effect.READ,
    capability="clarify",
    callers=ANYONE,
    people=True,
    columns=("uid", "title", "category", "form"),
    examples=("deedlog adr list",),
)
def adr_list(
    ctx: Context, *, cursor: Annotated[str | None, Field("next_cursor of the page before", max_length=1200)] = None
) -> Listed:
    """List the ADRs of this work tree, newest first; those without a UID come last."""
    seen = page.opened(cursor)
    found, warnings = _readable(ctx)
    adrs = [adr for adr in reversed(found) if seen is None or _place(adr) < seen]
    rows = [_row(adr) for adr in adrs]
    kept = page.fitting(rows)
    answer: Listed = {"adrs": kept}
    if len(kept) < len(rows):
        answer["next_cursor"] = page.cursor(_place(adrs[len(kept) - 1]))
    if warnings:
        answer["warnings"] = warnings
    return answer


def _readable(ctx: Context) -> tuple[list[Adr], list[str]]:
    """Those that can be read, and why others cannot: a damaged one must not hide the rest, here and among resources."""
    try:
        return ctx.records.look(task=False).adrs, []
    except DeedlogError:
        pass
    try:
        return readable(ctx.records.sources())
    except DeedlogError as error:
        return [], [error.message]


def _place(adr: Adr) -> page.Key:
    """Files may have one UID, by mistake; each is a row."""
    return int(is_uid(adr.uid)), f"{adr.uid} {adr.path}" if is_uid(adr.uid) else adr.uid


def _row(adr: Adr) -> AdrRow:
    return {
        "uid": adr.uid,
        "title": cut(flat(adr.title), WIDTH),
        "category": cut(flat(adr.area), WIDTH),
        "date": cut(flat(adr.date), WIDTH),
        "form": adr.form,
        "changes": [cut(flat(change.said), WIDTH) for change in adr.changes],
        "path": adr.path,
    }
