from __future__ import annotations

from typing import Annotated, TypedDict

from deedlog.core import page
from deedlog.core.errors import Invalid
from deedlog.core.kinds import check_kind
from deedlog.core.words import fold, query_words, snippet
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context

MOST_CANDIDATES = 500


class Found(TypedDict):
    uri: str
    kind: str
    title: str
    snippet: str


class Answer(TypedDict):
    hits: list[Found]


@operation(
    Effect.READ,
    capability="ledger",
    alias="search",
    examples=("deedlog search 'jwt middleware'", "deedlog search 認証 --kinds workflow"),
)
def ledger_search(
    ctx: Context,
    *,
    query: Annotated[str, Field("Words that must all occur, in any order, also as parts of words", max_length=500)],
    kinds: Annotated[list[str] | None, Field("Only these kinds of things, e.g. workflow", max_items=20)] = None,
    limit: Annotated[int, Field("At most this many", minimum=1, maximum=100)] = 20,
) -> Answer:
    """Search everything that was recorded: titles first, then the newest.

    Case and accents do not matter. Use it before starting work, to see what was done or decided already.
    """
    words = query_words(query)
    if not words:
        raise Invalid("query: must not be empty", data={"field": "query"})
    hits = ctx.ledger.search(words, [check_kind(kind, "kinds") for kind in kinds or ()], MOST_CANDIDATES)
    in_title = {hit.uri: sum(word in fold(hit.title) for word in words) for hit in hits}
    hits.sort(key=lambda hit: (-in_title[hit.uri], -hit.seq))
    found: list[Found] = [
        {"uri": hit.uri, "kind": hit.kind, "title": hit.title, "snippet": snippet(hit.text, words)}
        for hit in hits[:limit]
    ]
    return {"hits": page.fitting(found)}
