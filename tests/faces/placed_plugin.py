"""Operations that run in the project around a path."""

from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.workflow import Workflow
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context

Path = Annotated[str | None, Field("A folder of the project")]


class Place(TypedDict):
    root: str
    tree: str
    notes: int
    session_id: NotRequired[str]


def _place(ctx: Context) -> Place:
    return {"root": ctx.root, "tree": ctx.records.tree, "notes": ctx.ledger.count(Workflow)}


@operation(Effect.READ, capability="x", callers=ANYONE, at="repo_path")
def place_show(ctx: Context, *, repo_path: Path = None) -> Place:
    """Show where a call runs."""
    assert repo_path is None
    return _place(ctx)


@operation(Effect.WRITE, capability="x", callers=ANYONE, at="repo_path")
def place_begin(
    ctx: Context, *, session_id: Annotated[str | None, Field("What was begun")] = None, repo_path: Path = None
) -> Place:
    """Begin something, or go on with it."""
    assert repo_path is None
    return {**_place(ctx), "session_id": session_id or ctx.new_id("clar")}


@operation(Effect.WRITE, capability="x", callers=ANYONE, at="repo_path")
def place_note(
    ctx: Context, *, text: Annotated[str, Field("What to note", max_length=20)], repo_path: Path = None
) -> Place:
    """Note something in the store of the project."""
    assert repo_path is None
    return ctx.commit(Workflow(id=ctx.new_id("wf"), name=text, created_at=ctx.now), answer=_place(ctx))
