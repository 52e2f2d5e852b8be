"""What an event says about why something came about: in which way it bears on it, and how much."""

from __future__ import annotations

from deedlog.core.check import failed as failed_checks
from deedlog.core.value import Value
from deedlog.core.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from deedlog.core.entry import Event

    Json = dict[str, Any]
    Told = tuple[str, float, Json]

MOST_NAMED, MOST_TEXT = 10, 300
ENDS = 0.8  # how much the end of an attempt counts that did not go well
FARTHER = 0.85  # what something counts for each step that it is farther away
UNDO = "ledger_undo"
DISCARD = "discard"
ECHOES = ("task", "node", "workflow")  # whose change of state mostly only repeats how an attempt ended
SAYING = ("summary", "description", "reason", "cancel_reason", "question", "message", "answer")
TELLING = (
    "task", "session", "decision", "issue", "milestone", "review", "node", "run", "workflow", "tender", "message",
    "clarification", "adr", "lock", "tx", "graph",
)  # fmt: skip
CHANGED = {  # fields of a task whose change somebody wanted
    "depends_on": ("what it depends on changed", 0.45),
    "scope": ("its scope changed", 0.4),
    "checks": ("its definition of done changed", 0.4),
    "goal": ("its goal changed", 0.35),
    "retry": ("it was to be tried again", 0.35),
    "assignee": ("somebody else was to do it", 0.25),
    "holder": ("it was claimed or given back", 0.15),
}
STATES = {
    "failed": 0.9,
    "cancelled": 0.9,
    "skipped": 0.7,
    "paused": 0.5,
    "running": 0.2,
    "done": 0.3,
    "completed": 0.3,
    "committed": 0.6,
    "rolled_back": 0.4,
}
CREATED = {  # what appeared: in which way it bears on the outcome, how much, and what is told of it
    "issue": ("an issue was met", 0.8, ("type", "description", "resolution")),
    "review": ("a person was asked", 0.75, ("reason", "question")),
    "decision": ("it was decided", 0.6, ("question", "chosen", "reasoning")),
    "milestone": ("it got so far", 0.25, ("message", "progress")),
    "task": ("it was created", 0.2, ("name", "goal", "depends_on")),
    "session": ("an attempt began", 0.3, ("agent", "actor", "tree", "worktree")),
    "run": ("a run began", 0.4, ("mode", "label", "parallelism", "retries")),
    "workflow": ("its workflow began", 0.2, ("name",)),
    "node": ("it became part of a run", 0.1, ("name", "after")),
    "tender": ("it was announced to agents", 0.3, ("status",)),
    "message": ("its worker was told something", 0.3, ("text",)),
    "clarification": ("what was asked for was clarified", 0.3, ("status",)),
    "adr": ("a decision was recorded", 0.5, ()),
    "lock": ("its graph was locked", 0.3, ("holder",)),
    "tx": ("its graph was being changed", 0.3, ("owner", "note")),
    "graph": ("it was made", 0.3, ("name",)),
}


class Step(Value):
    """One event that bears on an outcome: `why`, how much, and what it says itself."""

    event: Event
    why: str
    weight: float
    depth: int
    data: dict[str, Any] = {}  # noqa: RUF012  # values are never changed in place

    @property
    def relevance(self) -> float:
        return float(round(self.weight * FARTHER**self.depth, 3))


def without_echoes(steps: Iterable[Step]) -> list[Step]:
    """The steps without those that only repeat what another of the same call tells: a task fails with its attempt."""
    every = list(steps)
    ended = {step.event.op_id for step in every if step.event.entity == "session" and step.weight >= ENDS}
    return [step for step in every if step.event.op_id not in ended or not _is_echo(step)]


def _is_echo(step: Step) -> bool:
    told = bearing(step.event) if step.event.entity in ECHOES and step.event.before is not None else None
    return bool(told and told[0] == step.why and step.data.keys() <= {"status", "attempts", "error"})


def said(data: Json) -> str:
    """The words that tell most of what a step says: the last ones of a worker that failed, else why something was."""
    error = data.get("error")
    words = (error.get("output") or error.get("message")) if isinstance(error, dict) else error
    words = words or next((data[name] for name in SAYING if data.get(name)), "")
    return one_line(str(words), MOST_TEXT)


def bearing(event: Event) -> Told | None:
    """In which way an event bears on what became of the thing it is about; None where it does not."""
    if not event.applied or not event.entity:
        return None
    if event.operation == UNDO:
        return "it was undone", 0.85, {"kind": event.kind}
    if event.before is None and event.after is not None:
        return _appeared(event, event.after)
    if event.after is None:
        return "it was removed", 0.4, {}
    told = CHANGES.get(event.entity)
    return told(event.after) if told else None


def _appeared(event: Event, fields: Json) -> Told | None:
    why, weight, names = CREATED.get(event.entity, ("", 0.0, ()))
    if not why:
        return None
    if event.entity == "issue" and fields.get("requires_human_review"):
        weight += 0.05
    return why, weight, _named(fields, names)


def _session(after: Json) -> Told | None:
    told = _end(after)
    if "failed_checks" in told:
        return "its definition of done failed", 0.95, told
    status = after.get("status")
    if status == "failed":
        return "an attempt failed", 0.95, told
    if "violations" in told:
        return "it left its scope", 0.9, told
    if status == "cancelled":
        return "an attempt was stopped", 0.8, told
    if status == "completed":
        return "an attempt ended", 0.35, told
    if merge := after.get("merge"):
        way = "its work was discarded" if merge.get("how") == DISCARD else "its work was merged"
        return way, 0.3, _named(after, ("merge",))
    return None


def _end(after: Json) -> Json:
    """What is known of how an attempt ended."""
    told = _named(after, ("result", "exit_code", "signal", "error", "stop", "counts"))
    checks = failed_checks(after.get("checks") or [])
    told |= {"failed_checks": checks[:MOST_NAMED]} if checks else {}
    told |= {"violations": after["violations"][:MOST_NAMED]} if after.get("violations") else {}
    summary = (after.get("outcome") or {}).get("summary")
    told |= {"summary": one_line(str(summary), MOST_TEXT)} if summary else {}
    return told | ({"files": after["files"][:MOST_NAMED]} if after.get("files") else {})


def _task(after: Json) -> Told | None:
    if after.get("cancelled"):
        return "it was cancelled", 0.9, _named(after, ("cancel_reason",))
    if "status" in after:
        return f"it became {str(after['status']).replace('_', ' ')}", 0.5, _named(after, ("status",))
    for name, (why, weight) in CHANGED.items():
        if name in after:
            return why, weight, _named(after, (name,))
    return None


def _state(what: str, names: tuple[str, ...]) -> Callable[[Json], Told | None]:
    def told(after: Json) -> Told | None:
        state = after.get("state", after.get("status"))
        if not isinstance(state, str):
            return None
        return f"{what} {state.replace('_', ' ')}", STATES.get(state, 0.2), _named(after, names)

    return told


def _graph(after: Json) -> Told | None:
    changed = [name for name in ("name", "nodes", "edges", "metadata") if name in after]
    return (f"its {' and '.join(changed)} changed", 0.5, {}) if changed else None


CHANGES: dict[str, Callable[[Json], Told | None]] = {
    "session": _session,
    "task": _task,
    "node": _state("in its run it was", ("error", "attempts", "output")),
    "run": _state("its run was", ("reason", "failure")),
    "workflow": _state("its workflow was", ("summary",)),
    "review": _state("what a person was asked is", ("answer",)),
    "tender": _state("it was", ("awarded",)),
    "graph": _graph,
    "tx": _state("a transaction on its graph was", ("owner", "note", "final_version")),
}


def _named(fields: Json, names: tuple[str, ...]) -> Json:
    """The fields that say something, long texts cut."""
    found = {name: fields[name] for name in names if fields.get(name) not in (None, "", [], {})}
    return {name: one_line(part, MOST_TEXT) if isinstance(part, str) else part for name, part in found.items()}
