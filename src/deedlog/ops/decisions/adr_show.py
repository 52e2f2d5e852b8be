from __future__ import annotations

from typing import Annotated, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.errors import Conflict, NotFound
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context


class Shown(TypedDict):
    uid: str
    path: str
    text: str


@operation(
    Effect.READ,
    capability="clarify",
    callers=ANYONE,
    people=True,
    raw="text",
    resource="adr://{uid}",
    mime_type="text/markdown",
    listed_by="adr_list",
    resource_name="ADR {uid}",
    resource_about="{title}",
    examples=("deedlog adr show 20250108T143512.237Z-A001",),
)
def adr_show(
    ctx: Context,
    *,
    uid: Annotated[str, Field("The ADR's UID, or the name of its file", min_length=1, max_length=300)],
) -> Shown:
    """Show an ADR as its file has it."""
    sources = ctx.records.sources()
    named = [path for path, text in sources.items() if text is not None and _is_meant(path, uid)]
    if not named:
        named = [adr.path for adr in ctx.records.look(task=False).adrs if adr.uid == uid]
    if not named:
        raise NotFound("there is no such ADR here", hint="adr_list shows those there are", data={"uid": uid})
    if len(named) > 1:
        raise Conflict(f"{len(named)} ADRs have this UID", hint="name the file", data={"uid": uid, "paths": named})
    text = sources[named[0]] or ""
    return {"uid": uid, "path": named[0], "text": text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")}


def _is_meant(path: str, uid: str) -> bool:
    name = path.rpartition("/")[2].removesuffix(".md")
    return uid in {name, f"{name}.md", path} or name.startswith(f"{uid}_")
