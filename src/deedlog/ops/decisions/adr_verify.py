from __future__ import annotations

from typing import TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.clarification import WrittenAdr
from deedlog.core.errors import NotFound
from deedlog.core.records.values import PROMPT_FILE, STATE_FILE, TASK_FILE
from deedlog.core.records.verifying import Evidence, problems
from deedlog.operation.define import Effect, operation
from deedlog.ports import Context
from deedlog.work.lookup import every


class Verified(TypedDict):
    adrs: int
    problems: list[str]


@operation(
    Effect.READ, capability="clarify", callers=ANYONE, people=True, fails="problems", examples=("deedlog adr verify",)
)
def adr_verify(ctx: Context) -> Verified:
    """Check every ADR against git and the ledger, and what the ADRs say of each other.

    The command ends with exit code 6 when something is wrong.
    """
    sources = ctx.records.sources()
    evidence = Evidence(
        sources=sources,
        state=_text(ctx, STATE_FILE),
        task=_text(ctx, TASK_FILE),
        prompt=_text(ctx, PROMPT_FILE),
        written={adr.id: adr.digest for adr in every(ctx.ledger, WrittenAdr, {})} if sources else {},
        committed=ctx.records.committed(),
    )
    return {"adrs": len(sources), "problems": problems(evidence)}


def _text(ctx: Context, path: str) -> str | None:
    try:
        return ctx.records.text(path)
    except NotFound:
        return None
