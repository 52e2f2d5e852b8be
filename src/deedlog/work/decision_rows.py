"""All decisions as one list: those of ADRs, and those logged on tasks."""

from __future__ import annotations

from heapq import merge
from itertools import islice
from typing import NotRequired, TypedDict

from deedlog.core.clarification import WrittenAdr
from deedlog.core.memory import ARCHIVED, DRAFT
from deedlog.core.moment import iso, moment_of
from deedlog.core.records.values import REMOVED
from deedlog.core.remark import Decision
from deedlog.core.standing import OWN_FORMS, Standing, known_as, standings
from deedlog.core.task import Task
from deedlog.core.value import Value
from deedlog.core.words import fold, one_line
from deedlog.work.deciding import CATEGORIES, is_candidate, why_of
from deedlog.work.lookup import PAGE, every
from deedlog.work.promoting import promoted_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from deedlog.core.page import Key
    from deedlog.core.records.values import Adr
    from deedlog.ports import Context
    from deedlog.work.records import Recorded

CLARIFICATION, PROMOTION, HISTORY, TASK = "clarification", "promotion", "history", "task"
STATUS = {ARCHIVED: "superseded", DRAFT: "proposed"}
LONGEST = 300


class DecisionRow(TypedDict):
    id: str
    origin: str
    created_at: str
    category: str
    title: str
    chosen: str
    status: str
    candidate: NotRequired[bool]
    why: NotRequired[str]
    task_id: NotRequired[str]
    decision_id: NotRequired[str]
    adr: NotRequired[str]
    path: NotRequired[str]
    supersedes: NotRequired[list[str]]
    superseded_by: NotRequired[list[str]]


class Found(Value):
    """One decision, where it stands in the list, and what a search looks through."""

    key: Key
    row: DecisionRow
    text: str
    task_id: str = ""
    areas: list[str] = []  # noqa: RUF012  # values are never changed in place


class Sought(Value):
    """Which decisions are asked for: those that match everything given."""

    origin: str = ""
    category: str = ""
    words: list[str] = []  # noqa: RUF012
    task_id: str = ""
    candidates: bool = False

    def fits(self, found: Found) -> bool:
        if self.origin and found.row["origin"] != self.origin:
            return False
        if self.task_id and found.task_id != self.task_id:
            return False
        if self.candidates and not found.row.get("candidate"):
            return False
        if self.category and fold(self.category) not in map(fold, found.areas):
            return False
        text = fold(found.text) if self.words else ""
        return all(word in text for word in self.words)


def decisions(ctx: Context, recorded: Recorded, sought: Sought, before: Key | None, most: int) -> list[Found]:
    """The first of the decisions asked for that come after a place in the list, newest first.

    A logged decision whose ADR is in this tree is told once, as that ADR.
    """
    adrs = _of_adrs(ctx, recorded)
    told = {found.row.get("decision_id", "") for found in adrs} | {""}
    recorded_here = [found for found in adrs if before is None or found.key < before]
    recorded_here.sort(key=lambda found: found.key, reverse=True)
    logged = (found for found in _logged(ctx, recorded, sought, before) if found.row["id"] not in told)
    both = merge(recorded_here, logged, key=lambda found: found.key, reverse=True)
    return [*islice((found for found in both if sought.fits(found)), most)]


def _of_adrs(ctx: Context, recorded: Recorded) -> list[Found]:
    standing = standings(recorded.adrs)
    written = {adr.id: adr for adr in every(ctx.ledger, WrittenAdr, {})} if recorded.adrs else {}
    return [_of_adr(ctx, adr, standing[adr.path], written.get(adr.uid)) for adr in recorded.adrs]


def _of_adr(ctx: Context, adr: Adr, standing: Standing, written: WrittenAdr | None) -> Found:
    at = max(0, moment_of(adr.uid) or moment_of(adr.date) or 0)
    origin, decision = _origin(ctx, adr, written)
    task = ctx.ledger.find_one(Task, decision.task_id) if decision else None
    areas = list(dict.fromkeys(filter(None, [adr.area, *(change.area for change in adr.changes)])))
    row: DecisionRow = {
        "id": known_as(adr),
        "origin": origin,
        "created_at": iso(at) if at else "",
        "category": ", ".join(areas),
        "title": one_line(adr.title, LONGEST),
        "chosen": one_line(_chosen(adr), LONGEST),
        "status": STATUS.get(standing.status, "active"),
        "path": adr.path,
    }
    if decision:
        row["decision_id"] = decision.id
    if task:
        row["task_id"] = task.ref
    if standing.supersedes:
        row["supersedes"] = standing.supersedes
    if standing.superseded_by:
        row["superseded_by"] = standing.superseded_by
    said = [adr.uid, adr.title, adr.context, adr.decision, adr.rationale, *adr.alternatives, *adr.consequences]
    logged_as = [decision.category] if decision else []
    return Found(
        key=(at, known_as(adr)),
        row=row,
        text=" ".join([*said, row["chosen"]]),
        task_id=decision.task_id if decision else "",
        areas=[*areas, *logged_as],
    )


def _chosen(adr: Adr) -> str:
    return "; ".join(f"{change.field}: {change.value or REMOVED}" for change in adr.changes) or adr.decision


def _origin(ctx: Context, adr: Adr, written: WrittenAdr | None) -> tuple[str, Decision | None]:
    """Where an ADR came from, and the logged decision it was made of, if this store has it."""
    if adr.form not in OWN_FORMS:
        return HISTORY, None
    logged = promoted_from(adr, written)
    return (PROMOTION, ctx.ledger.find_one(Decision, logged)) if logged else (CLARIFICATION, None)


def _logged(ctx: Context, recorded: Recorded, sought: Sought, before: Key | None) -> Iterator[Found]:
    if sought.origin not in ("", TASK):
        return
    where = {"task_id": sought.task_id} if sought.task_id else {}
    refs: dict[str, str] = {}
    while found := ctx.ledger.find(Decision, where, limit=PAGE, before=before):
        for decision in found:
            yield _of_logged(ctx, decision, recorded, refs)
        before = ctx.ledger.sort_key(found[-1])


def _of_logged(ctx: Context, decision: Decision, recorded: Recorded, refs: dict[str, str]) -> Found:
    if decision.task_id not in refs:
        task = ctx.ledger.find_one(Task, decision.task_id)
        refs[decision.task_id] = task.ref if task else ""
    row: DecisionRow = {
        "id": decision.id,
        "origin": TASK,
        "created_at": iso(decision.created_at),
        "category": decision.category,
        "title": one_line(decision.question, LONGEST),
        "chosen": one_line(decision.chosen, LONGEST),
        "status": "promoted" if decision.adr else "logged",
        "task_id": refs[decision.task_id],
    }
    if decision.adr:
        row["adr"] = decision.adr
    if decision.category in CATEGORIES and is_candidate(ctx, decision, recorded.architecture):
        row |= {"candidate": True, "status": "candidate", "why": why_of(ctx, decision, recorded.architecture)}
    said = (decision.id, decision.question, decision.chosen, decision.reasoning, decision.trade_offs)
    return Found(
        key=ctx.ledger.sort_key(decision),
        row=row,
        text=" ".join([*said, *decision.options_considered]),
        task_id=decision.task_id,
        areas=[decision.category],
    )
