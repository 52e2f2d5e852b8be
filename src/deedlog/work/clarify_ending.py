"""The end of a clarification: its files and its op, all or nothing."""

from __future__ import annotations

from deedlog.core.caller import client_of
from deedlog.core.clarification import COMPLETED, Clarification, WrittenAdr
from deedlog.core.entry import digest
from deedlog.core.errors import Overtaken
from deedlog.core.records.building import plan_records
from deedlog.work.clarify_rows import Clarified, explained
from deedlog.work.clarifying import wanted
from deedlog.work.memory_bank import export
from deedlog.work.unfinished import unfinished_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.core.clarify.lexicon import Lexicon
    from deedlog.core.clarify.values import Facts, Verdict
    from deedlog.core.records.wanted import Planned, Wanted
    from deedlog.ports import Context, Json, Writing

    Architecture = dict[str, dict[str, str]]


ASKED = (
    "intention",
    "context",
    "tree",
    "force_adr",
    "waive_adr",
    "questions",
    "answers",
    "skipped",
    "proposal",
)


def given_digest(answers: Json | None) -> str:
    """By which the same final call is known again."""
    return digest(answers or {})


def completed(
    ctx: Context, session: Clarification, verdict: Verdict, known: tuple[Facts, Lexicon], said: Json
) -> Clarified:
    """Write what the session came to; `said` goes into the answer, its `given` are the answers of this call."""
    spec = wanted(ctx, session, verdict, *known)
    with ctx.records.writing() as writing:
        if earlier := ctx.earlier():
            return earlier.answer  # type: ignore[no-any-return]  # the same call, with the same key, was faster
        current = ctx.ledger.find_one(Clarification, session.id)
        if current and current.version != session.version:
            raise Overtaken(f"the clarification {session.id} has changed")
        if left := _left_by(ctx, writing.unfinished, session):
            return _adopted(ctx, writing, left)
        refuse_overtaken(spec, known[0].architecture, writing.book.architecture.plain())
        planned = plan_records(writing.book, spec, writing.uid, ctx.now)
        answer = _answer(session, planned, verdict, said)
        done = session.replace(
            status=COMPLETED,
            used_at=ctx.now,
            given=said["given"],
            result=answer,
            adr=planned.adr.uid if planned.adr else "",
        )
        note: Json = {"clarification": {"id": done.id, **done.body()}, "result": answer}
        values: list[Any] = [done]
        if planned.adr:
            adr = {"id": planned.adr.uid, "created_at": ctx.now, "clarification_id": done.id, **planned.written()}
            note["adr"] = adr
            values.append(WrittenAdr(**adr))
        if writing.unfinished:
            note["earlier"] = writing.unfinished
            values += [value for value in unfinished_values(ctx, writing.unfinished) if value.uri != done.uri]
        writing.put(planned.files, note)
        answer = ctx.commit(*values, answer=answer)
        writing.done()
    if planned.adr and (warnings := export(ctx)):
        return {**answer, "notes": [*answer.get("notes", []), *warnings]}
    return answer


def refuse_overtaken(spec: Wanted, judged: Architecture, now: Architecture) -> None:
    """What was judged before the lock was held is judged again where somebody else decided on the same meanwhile."""
    concerned = {_key(one.area, one.field) for one in (*spec.decided, *spec.removed)}
    if any(_fields(judged).get(key) != _fields(now).get(key) for key in concerned):
        raise Overtaken("the same was decided by somebody else meanwhile", hint="repeat the call")


def _fields(architecture: Architecture) -> dict[tuple[str, str], str]:
    return {_key(area, name): value for area, fields in architecture.items() for name, value in fields.items()}


def _key(area: str, field: str) -> tuple[str, str]:
    return area.casefold(), field.casefold()


def _left_by(ctx: Context, note: Json | None, session: Clarification) -> Json | None:
    """The note of this session, or of a first call that died and now comes again; its files must all be there."""
    if not note:
        return None
    left = note.get("clarification") or {}
    is_same = all(left.get(name) == getattr(session, name) for name in ASKED)
    again = not session.version and is_same and client_of(left.get("actor", "")) == client_of(session.actor)
    if note.get("whole") and (left.get("id") == session.id or (again and not _is_completed(ctx, left["id"]))):
        return note
    return _left_by(ctx, note.get("earlier"), session)


def _is_completed(ctx: Context, session_id: str) -> bool:
    """Whether the ledger has it: then whoever asks for the same begins anew."""
    known = ctx.ledger.find_one(Clarification, session_id)
    return known is not None and known.status == COMPLETED


def _adopted(ctx: Context, writing: Writing, note: Json) -> Clarified:
    """The files of this very session are there already: its call died before it could commit."""
    answer: Clarified = ctx.commit(*unfinished_values(ctx, writing.unfinished), answer=note["result"])
    writing.done()
    return answer


def _answer(session: Clarification, planned: Planned, verdict: Verdict, said: Json) -> Clarified:
    answer: Clarified = {
        "status": "completed",
        "session_id": session.id,
        "artifacts_created": planned.artifacts,  # type: ignore[typeddict-item]
        "summary": planned.summary,
    }
    if planned.adr:
        answer["adr_uid"] = planned.adr.uid
    if planned.task:
        answer["task_uid"] = planned.task.uid
    answer = explained(answer, verdict, said["notes"])
    answer.update(said["beside"])
    return answer
