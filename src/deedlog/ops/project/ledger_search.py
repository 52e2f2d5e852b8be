from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.caller import ANYONE
from deedlog.core.errors import Invalid
from deedlog.core.kinds import KINDS, check_kind
from deedlog.core.moment import iso
from deedlog.core.task import Task
from deedlog.core.words import fold, query_words, snippet
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context, Hit

MOST_CANDIDATES = 500


class Found(TypedDict):
    uri: str
    kind: str
    task_id: NotRequired[str]
    title: str
    snippet: str
    at: str


class Answer(TypedDict):
    hits: list[Found]


@operation(
    Effect.READ,
    capability="ledger",
    callers=ANYONE,
    alias="search",
    examples=("deedlog search 'jwt middleware'", "deedlog search 認証 --kinds workflow"),
)
def ledger_search(
    ctx: Context,
    *,
    query: Annotated[str, Field("Words that must all occur (in any order, also as parts of words)", max_length=500)],
    kinds: Annotated[
        list[str] | None, Field("Only these kinds of things, e.g. workflow", rare=True, max_items=20)
    ] = None,
    limit: Annotated[int, Field("At most this many", minimum=1, maximum=100, rare=True)] = 20,
) -> Answer:
    """Search everything that was recorded: titles first, then the newest.

    A word of a path finds the sessions that changed it. Case and accents do not matter. Use it before starting
    work, to see what was done or decided already.
    """
    words = query_words(query)
    if not words:
        raise Invalid("query: must not be empty", data={"field": "query"})
    hits = ctx.ledger.search(words, [check_kind(kind, "kinds") for kind in kinds or ()], MOST_CANDIDATES)
    in_title = {hit.uri: sum(word in fold(hit.title) for word in words) for hit in hits}
    hits.sort(key=lambda hit: (-in_title[hit.uri], -hit.seq))
    refs: dict[str, str] = {}
    return {"hits": page.fitting([_found(ctx, hit, words, refs) for hit in hits[:limit]])}


def _found(ctx: Context, hit: Hit, words: list[str], refs: dict[str, str]) -> Found:
    found: Found = {
        "uri": hit.uri,
        "kind": hit.kind,
        "title": hit.title,
        "snippet": snippet(hit.text, words),
        "at": iso(hit.at),
    }
    if ref := _task(ctx, hit, refs):
        found["task_id"] = ref
    return found


def _task(ctx: Context, hit: Hit, refs: dict[str, str]) -> str:
    """What people call the task it belongs to, or is; `refs` are those that are known already."""
    thing = ctx.ledger.find_one(KINDS[hit.kind], hit.uri.removeprefix(f"{hit.kind}://")) if hit.kind in KINDS else None
    if thing is None:
        return ""
    if isinstance(thing, Task):
        return thing.ref
    task_id = str(thing.fields().get("task_id", ""))
    if task_id and task_id not in refs:
        task = ctx.ledger.find_one(Task, task_id)
        refs[task_id] = task.ref if task else ""
    return refs.get(task_id, "")
