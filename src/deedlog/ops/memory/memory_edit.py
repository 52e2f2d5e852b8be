from __future__ import annotations

from typing import Annotated, Literal

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Invalid
from deedlog.core.slug import checked
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.lookup import repeated
from deedlog.work.memory_drafts import drafted, refuse_of_person
from deedlog.work.memory_found import changeable
from deedlog.work.memory_rows import MemoryWritten, committed, written


@operation(
    Effect.WRITE,
    capability="authoring",
    callers=ANYONE,
    further=True,
    camel=True,
    alias="memory update",
    examples=("deedlog memory edit linter --status active", "deedlog memory edit linter --summary 'Biome only'"),
)
def memory_edit(
    ctx: Context,
    *,
    id: Annotated[str, Field("The entry's id", min_length=1, max_length=200)],  # noqa: A002
    title: Annotated[str | None, Field("Its new title", min_length=1, max_length=200)] = None,
    summary: Annotated[str | None, Field("Its new summary", max_length=500)] = None,
    category: Annotated[str | None, Field("Its new category", min_length=1, max_length=200)] = None,
    status: Annotated[
        Literal["draft", "active", "archived"] | None, Field("active: workers are told of it from now on")
    ] = None,
    content: Annotated[str | None, Field("Its new content, in Markdown", max_length=20_000)] = None,
) -> MemoryWritten:
    """Change a Memory Bank entry: what is given; the rest stays.

    An agent changes drafts of agents alone, and activates none: it asks a person to.
    """
    given = {"title": title, "summary": summary, "category": category, "status": status, "content": content}
    changes = {name: value for name, value in given.items() if value is not None}
    if not changes:
        raise Invalid("nothing to change was given", hint=f"give one of: {', '.join(given)}")
    if category is not None:
        checked(category, "category")
    return repeated(lambda: _changed(ctx, id, changes))


def _changed(ctx: Context, entry_id: str, changes: dict[str, str]) -> MemoryWritten:
    before = changeable(ctx, entry_id)
    refuse_of_person(ctx, before)
    entry = before.replace(**changes)
    if entry == before:
        return ctx.commit(answer=written(before, "Changed nothing of"))
    return committed(ctx, *drafted(ctx, entry.replace(updated_at=ctx.now)), did="Changed")
