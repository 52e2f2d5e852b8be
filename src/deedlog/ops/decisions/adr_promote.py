from __future__ import annotations

from typing import Annotated, NotRequired, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.clarification import WrittenAdr
from deedlog.core.records.building import plan_records
from deedlog.core.records.values import STATE_FILE, Adr
from deedlog.core.remark import Decision
from deedlog.core.task import Task
from deedlog.core.words import one_line
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context, Writing
from deedlog.work.lookup import repeated
from deedlog.work.memory_bank import export
from deedlog.work.promoting import promoted_from, wanted
from deedlog.work.unfinished import unfinished_values

LONGEST = 300


class Promoted(TypedDict):
    decision_id: str
    uid: str
    path: str
    title: str
    artifacts_created: list[dict[str, str]]
    supersedes: NotRequired[list[dict[str, str]]]
    warnings: NotRequired[list[str]]


@operation(
    Effect.WRITE,
    capability="clarify",
    callers=ANYONE,
    further=True,
    waits=True,
    only_changes=True,
    examples=(
        "deedlog adr promote dec-1j9x2k3m4n5p6q7r",
        "deedlog adr promote dec-1j9x2k3m4n5p6q7r --title 'Validation: Zod'",
    ),
)
def adr_promote(
    ctx: Context,
    *,
    decision_id: Annotated[str, Field("As log_decision returned it", min_length=1, max_length=80)],
    title: Annotated[str | None, Field("The ADR's title, if not from the choice", min_length=1, max_length=200)] = None,
) -> Promoted:
    """Make a logged decision an ADR, when log_decision warns that it deserves one.

    The architecture follows. Repeating it returns the same ADR.
    """
    answer = repeated(lambda: _promoted(ctx, decision_id, title or ""))
    if warnings := [*answer.get("warnings", []), *export(ctx)]:  # the files of the memory bank follow
        answer = {**answer, "warnings": warnings}
    return answer


def _promoted(ctx: Context, decision_id: str, title: str) -> Promoted:
    ctx.ledger.get(Decision, decision_id)  # refused before anybody waits for the only writer
    with ctx.records.writing() as writing:
        decision = ctx.ledger.get(Decision, decision_id)
        values = {value.uri: value for value in unfinished_values(ctx, writing.unfinished)}
        answer = _before(ctx, writing, decision)
        if answer is None:
            answer, written = _put(ctx, writing, decision, title)
            values[written.uri] = written
        if decision.adr != answer["uid"]:
            values[decision.uri] = decision.replace(adr=answer["uid"])
        if values:
            answer = ctx.commit(*values.values(), answer=answer)
        writing.done()
        return answer


def _before(ctx: Context, writing: Writing, decision: Decision) -> Promoted | None:
    """What was made of it already: its file tells, whoever wrote it and wherever that was committed."""
    for adr in writing.book.adrs:
        if adr.uid == decision.adr or (decision.id in adr.context and _source(ctx, adr) == decision.id):
            return _over(_answer(decision, adr.uid, adr.path, adr.title), adr)
    if not decision.adr:
        return None
    written = ctx.ledger.find_one(WrittenAdr, decision.adr)
    answer = _answer(decision, decision.adr, written.path if written else "", written.title if written else "")
    elsewhere = "its file is not in this work tree: another branch may have it; if it is gone, log the decision anew"
    return {**answer, "warnings": [elsewhere]}


def _source(ctx: Context, adr: Adr) -> str:
    return promoted_from(adr, ctx.ledger.find_one(WrittenAdr, adr.uid))


def _put(ctx: Context, writing: Writing, decision: Decision, title: str) -> tuple[Promoted, WrittenAdr]:
    task = ctx.ledger.find_one(Task, decision.task_id)
    spec = wanted(decision, task, title, ctx.survey.lexicon(), writing.book)
    planned = plan_records(writing.book, spec, writing.uid, ctx.now)
    assert planned.adr is not None, "an ADR was wanted"
    adr = planned.adr
    fields = {"decision_id": decision.id, "created_at": ctx.now, **planned.written()}
    note = {"decision_id": decision.id, "adr": {"id": adr.uid, **fields}}
    writing.put(planned.files, note | ({"earlier": writing.unfinished} if writing.unfinished else {}))
    return _over(_answer(decision, adr.uid, adr.path, adr.title), adr), WrittenAdr(id=adr.uid, **fields)


def _over(answer: Promoted, adr: Adr) -> Promoted:
    """The answer with what was decided otherwise before: whoever decided that should hear of it."""
    over = [change for change in adr.changes if change.was_uid and change.was != change.value]
    if not over:
        return answer
    warnings = [
        one_line(f"{c.area}.{c.field} was {c.was} (ADR {c.was_uid}) and is {c.value} now: tell the user", LONGEST)
        for c in over
    ]
    rows = [{"field": f"{c.area}.{c.field}", "was": c.was, "adr": c.was_uid} for c in over]
    return {**answer, "supersedes": rows, "warnings": [*answer.get("warnings", []), *warnings]}


def _answer(decision: Decision, uid: str, path: str, title: str) -> Promoted:
    written = [{"path": path, "type": "adr", "uid": uid}, {"path": STATE_FILE, "type": "projection"}]
    return {"decision_id": decision.id, "uid": uid, "path": path, "title": title, "artifacts_created": written}
