from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from deedlog.core.agent import Agent
from deedlog.core.caller import ANYONE
from deedlog.core.column import COLUMNS
from deedlog.core.task import Task
from deedlog.core.workflow import IN_PROGRESS, Workflow
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.cards import Board, Wanted

MOST_CHOICES = 50

Column = Literal["ready", "blocked", "in_progress", "review", "done", "failed", "cancelled"]


class Card(TypedDict):
    task_id: str
    name: str
    status: str
    priority: str
    type: str
    labels: NotRequired[list[str]]
    areas: NotRequired[list[str]]
    assignee: NotRequired[str]
    holder: NotRequired[str]
    awaits: NotRequired[str]
    retry: NotRequired[bool]
    workflow_id: NotRequired[str]
    workflow_name: NotRequired[str]
    waits_for: NotRequired[list[str]]
    attention: NotRequired[str]
    question: NotRequired[str]
    agent: NotRequired[str]
    progress: NotRequired[int]
    milestone: NotRequired[str]
    files: NotRequired[int]
    added: NotRequired[int]
    deleted: NotRequired[int]
    updated_at: str
    moves: dict[str, str]


class Stack(TypedDict):
    name: Column
    count: int
    at_least: NotRequired[bool]
    tasks: list[Card]
    more: NotRequired[bool]


class Choice(TypedDict):
    workflow_id: str
    name: str


class Shown(TypedDict):
    columns: list[Stack]
    labels: list[str]
    agents: list[str]
    areas: list[str]
    workflows: list[Choice]


@operation(
    Effect.READ,
    capability="tracking",
    callers=ANYONE,
    people=True,
    settles=True,
    columns=("task_id", "name", "attention", "agent", "waits_for", "priority"),
    brief=True,
    examples=("deedlog task board", "deedlog task board --label backend --agent coder --json"),
)
def task_board(
    ctx: Context,
    *,
    workflow_id: Annotated[str | None, Field("Only tasks of this workflow", max_length=80)] = None,
    label: Annotated[str | None, Field("Only tasks with this label", max_length=100)] = None,
    agent: Annotated[str | None, Field("Only what is assigned to it, or it worked on", max_length=200)] = None,
    area: Annotated[str | None, Field("Only tasks of this area", max_length=200)] = None,
    text: Annotated[str | None, Field("Only tasks with these words", max_length=200)] = None,
    column: Annotated[Column | None, Field("Only this column")] = None,
    limit: Annotated[int, Field("At most this many of each column", minimum=1, maximum=500)] = 50,
) -> Shown:
    """Show tasks in columns by how they stand, with what each waits for and where it may be moved."""
    workflow = ctx.ledger.get(Workflow, workflow_id) if workflow_id else None
    wanted = Wanted(workflow.id if workflow else None, label, agent, area, text)
    columns: Any = Board(ctx, wanted, limit).columns((column,) if column else COLUMNS)
    shown: Shown = {
        "columns": columns,
        "labels": _named(columns, "labels", label),
        "agents": _agents(ctx, columns, agent),
        "areas": _named(columns, "areas", area),
        "workflows": _workflows(ctx, workflow),
    }
    return shown


def _named(columns: list[Stack], name: str, chosen: str | None) -> list[str]:
    """The labels or areas of what is shown."""
    cards: list[Any] = [card for column in columns for card in column["tasks"]]
    return sorted({*(text for card in cards for text in card.get(name, ())), *([chosen] if chosen else [])})


def _agents(ctx: Context, columns: list[Stack], chosen: str | None) -> list[str]:
    cards: list[Any] = [card for column in columns for card in column["tasks"]]
    named = {card.get(name, "") for card in cards for name in ("agent", "assignee", "holder")}
    registered = {agent.id for agent in ctx.ledger.find(Agent, limit=MOST_CHOICES)}
    return sorted({*named, *registered, *ctx.ledger.tally(Task, "assignee"), chosen or ""} - {""})


def _workflows(ctx: Context, chosen: Workflow | None) -> list[Choice]:
    found = ctx.ledger.find(Workflow, {"status": IN_PROGRESS}, limit=MOST_CHOICES)
    if chosen and chosen.id not in {workflow.id for workflow in found}:
        found.append(chosen)
    return [{"workflow_id": workflow.id, "name": workflow.name} for workflow in found]
