"""What a session did to its work tree."""

from __future__ import annotations

from itertools import pairwise

from deedlog.core.account import MINE, declares, off_tree, rows_of
from deedlog.core.attribution import OWN, SUBTASK, Owner, Worker, between, boundaries, intervals_of, owner
from deedlog.core.change import ARRIVED, may_be_edited, shown
from deedlog.core.entry import dumps
from deedlog.core.errors import DeedlogError, NotFound, Part
from deedlog.core.scope import Scope
from deedlog.core.task import RUNNING, Session, Task
from deedlog.core.value import Value
from deedlog.ports import EventQuery
from deedlog.work.lookup import above, neighbours
from deedlog.work.merged import Merged, merged
from deedlog.work.upkeep import forget

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from deedlog.core.attribution import Boundary
    from deedlog.core.change import Change, Comparison, Snapshot
    from deedlog.ports import Context


class Evidence(Value):
    """What a session that is about to end did to its tree; see `core.account` for the rows.

    `unknown` says why nothing is known, where the caller would rather end it so than not at all.
    """

    session: Session
    snapshot: Snapshot | None = None
    rows: list[dict[str, Any]] = []  # noqa: RUF012  # values are never changed in place
    patch: bytes = b""
    warnings: list[str] = []  # noqa: RUF012
    unknown: str = ""
    contents: dict[str, str] = {}  # noqa: RUF012  # see `Comparison`
    repository: list[dict[str, str]] = []  # noqa: RUF012  # what changed in the repository without Deedlog


def gathered(ctx: Context, task: Task, session: Session, *, or_nothing: bool) -> Evidence:
    """Look at the tree of a session that is about to end."""
    try:
        looked = _looked(ctx, session)
    except DeedlogError as error:
        if not or_nothing:
            _tell_way_out(ctx, task, session, error)
            raise
        unknown = f"the changes of {task.ref} are not known: {error.message}"
        return Evidence(session=session, warnings=[unknown], unknown=unknown)
    tasks = _tasks(ctx, task, looked.others)
    scopes = {task_id: Scope(found.areas, ctx.areas) for task_id, found in tasks.items()}
    arrived = {shown(change.path) for change in looked.comparison.changes if change.origin == ARRIVED}
    came = merged(ctx, task, session, arrived, {session.id, *(other.id for other in looked.others)})
    rows = rows_of(
        looked.comparison.changes,
        _owners(looked, _workers(ctx, session, looked.others, tasks), scopes, came),
        scopes[task.id],
        {found.id: found.ref for found in (*tasks.values(), *(task for by in came.tasks.values() for task in by))},
        _edited(ctx, session, looked.comparison),
    )
    said = [*off_tree(rows, looked.end.branch), *looked.end.warnings, *looked.comparison.warnings]
    return Evidence(
        session=session,
        snapshot=looked.end,
        rows=rows,
        patch=_own_patch(looked.comparison, rows),
        warnings=list(dict.fromkeys([*said, *_not_all(task, came)])),
        contents=looked.comparison.contents,
    )


def _edited(ctx: Context, session: Session, compared: Comparison) -> list[str]:
    """Records and generated files that are not as Deedlog wrote them; what arrived from elsewhere is not held to it."""
    looked_at = [change for change in compared.changes if may_be_edited(change) and change.origin != ARRIVED]
    if not looked_at:
        return []
    records = ctx.records.of(session.tree)
    return [
        change.path
        for change in looked_at
        if not records.wrote(change.path, compared.texts.get(change.path, b"") if change.place else None)
    ]


def _not_all(task: Task, came: Merged) -> list[str]:
    if came.whole:
        return []
    return [f"the subtasks of {task.ref} did too much to look through: some of what they did may be told as arrived"]


def _own_patch(comparison: Comparison, rows: list[dict[str, Any]]) -> bytes:
    """The pieces of the task's own work and its subtasks'."""
    own = {change.path for change, row in zip(comparison.changes, rows, strict=True) if row["by"] in MINE}
    return b"".join(piece for path, piece in comparison.patches.items() if path in own)


def _tell_way_out(ctx: Context, task: Task, session: Session, error: DeedlogError) -> None:
    """Let a refusal say how to end a session whose changes cannot be told."""
    way_out = "repeat the call with changes_unknown: true to end the task without its changes"
    if isinstance(error, NotFound):
        error.part = Part.GIT
        if session.snapshot_id not in ctx.snapshots.here(session.tree):
            error.hint = _where_it_went(ctx, task, session)
    error.hint = f"{error.hint}; if that does not help, {way_out}" if error.hint else way_out


def _where_it_went(ctx: Context, task: Task, session: Session) -> str:
    """What to do about a start that is not here."""
    undone = ctx.ledger.events(EventQuery(subject=session.uri, operation="ledger_undo", last=True, limit=1))
    if not undone:
        return f"it may have been taken on another machine: complete {task.ref} there, in {session.tree}"
    op_id = undone[0].op_id
    return (
        f"it was let go when {task.ref} was completed, which {op_id} took back: undo {op_id} to have that result again"
    )


class Looked(Value):
    """A session's tree, from its start to now; `parting` are the boundaries between, `others` whose they are."""

    session: Session
    end: Snapshot
    comparison: Comparison
    parting: list[Boundary]
    others: list[Session]


def _looked(ctx: Context, session: Session) -> Looked:
    ctx.peer.progress(0, 2, "reading the work tree")
    end = ctx.snapshots.take(ctx.new_id("snap"), session.tree)
    here = set(ctx.snapshots.here(session.tree))  # before the sessions: one that ends now lets its start go
    found = [other for other in neighbours(ctx.ledger, session) if _was_here(other, session, end, here)]
    parting = between(found, session.snapshot_at, end.at)
    ctx.peer.progress(1, 2, "comparing it with the start")
    try:
        names = [session.snapshot_id, *(boundary.snapshot_id for boundary in parting), end.id]
        comparison = ctx.snapshots.compare(session.tree, names)
    except DeedlogError:
        forget(ctx, session.tree, [end.id])
        raise
    return Looked(session=session, end=end, comparison=comparison, parting=parting, others=found)


def _was_here(other: Session, session: Session, end: Snapshot, here: set[str]) -> bool:
    """Whether another session was at work in this very tree while this one was.

    One whose snapshots are not here was in a tree of the same name on another machine, or had ended
    before this one could begin.
    """
    needed = {boundary.snapshot_id for boundary in between([other], session.snapshot_at, end.at)}
    return needed <= here if needed else other.snapshot_id in here


def _tasks(ctx: Context, task: Task, others: Iterable[Session]) -> dict[str, Task]:
    """The tasks of all sessions concerned."""
    found = {task.id: task}
    for other in others:
        if other.task_id not in found and (known := ctx.ledger.find_one(Task, other.task_id)):
            found[known.id] = known
    return found


def _workers(ctx: Context, session: Session, others: list[Session], tasks: dict[str, Task]) -> list[Worker]:
    known = dict(tasks)
    workers = [Worker(task_id=session.task_id, above=above(ctx.ledger, tasks[session.task_id], known), since=0)]
    for other in others:
        task = tasks.get(other.task_id)
        workers.append(
            Worker(
                task_id=other.task_id,
                above=above(ctx.ledger, task, known) if task else [],
                since=other.snapshot_at,
                until=other.end_snapshot_at,
            )
        )
    return workers


def _owners(looked: Looked, workers: list[Worker], scopes: dict[str, Scope], came: Merged) -> Callable[[Change], Owner]:
    times = [looked.session.snapshot_at, *(boundary.at for boundary in looked.parting), looked.end.at]
    active = [[worker for worker in workers if worker.during(start, end)] for start, end in pairwise(times)]
    changed_in = intervals_of(looked.comparison.touched) if looked.others else {}

    def declared(task_id: str, path: str) -> bool:
        return task_id in scopes and declares(scopes[task_id], path)

    def owner_of(change: Change) -> Owner:
        path = change.path
        if change.origin == ARRIVED:
            subtasks = came.tasks.get(shown(path), [])
            return Owner(by=SUBTASK, others=[task.id for task in subtasks]) if subtasks else Owner(by=ARRIVED)
        if not looked.others:
            return Owner(by=OWN)
        return owner(path, looked.session.task_id, [active[place] for place in changed_in[path]], declared)

    return owner_of


def kept(ctx: Context, evidence: Evidence) -> dict[str, object]:
    """The fields of the session that name what is kept of it."""
    end = evidence.snapshot
    return {
        "end_snapshot_id": end.id if end else "",
        "end_snapshot_at": end.at if end else ctx.now,
        "changes": ctx.ledger.keep(dumps(evidence.rows).encode()) if evidence.rows else "",
        "patch": ctx.ledger.keep(evidence.patch) if evidence.patch else "",
    }


def so_far(ctx: Context, task: Task, session: Session) -> Evidence | None:
    """What a session has done until now; None when it has ended."""
    if session.status != RUNNING:
        return None
    evidence = gathered(ctx, task, session, or_nothing=False)
    let_go(ctx, evidence)
    return evidence


def let_go(ctx: Context, evidence: Evidence) -> None:
    """Forget the snapshots that served for this evidence."""
    others = neighbours(ctx.ledger, evidence.session)
    served = [boundary.snapshot_id for boundary in boundaries([evidence.session, *others])]
    forget(ctx, evidence.session.tree, [*served, *([evidence.snapshot.id] if evidence.snapshot else [])])
