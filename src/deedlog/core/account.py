"""What a session changed, file by file: whose each change is, and whether it was in the task's scope.

A row is JSON-ready and has only the names that say something: `path`, `status`, `by`; lines `added`
and `deleted`; `renamed_from`, `renamed_to`; `tasks` that have a part in it; `scope`, `reason`; `note`; `place` for
work that the tree does not have, and a commit has.
"""

from __future__ import annotations

from deedlog.core.attribution import OWN, SHARED, SUBTASK, Owner
from deedlog.core.change import (
    ADDED,
    ARRIVED,
    COMMITTED_ONLY,
    DELETED,
    HEAD,
    MERGED,
    MIXED,
    MODIFIED,
    NOT_SHOWN,
    is_deedlogs,
    is_record,
    on_branch,
    shown,
)
from deedlog.core.scope import COMPANION, IN, OPEN, OUT
from deedlog.core.violation import meant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from typing import Any

    from deedlog.core.change import Change
    from deedlog.core.scope import Scope

    Json = dict[str, Any]

DEEDLOG = "deedlog"
MINE = (OWN, SUBTASK)
STATUSES = (ADDED, MODIFIED, DELETED)
WARNED = "⚠️"
ARE_SHARED = "they are `shared`"
MOST_NAMED = 5
MOST_LEFT_OUT = 20


def declares(scope: Scope, path: str) -> bool:
    """Whether an area was declared for the path; where none was declared at all, none was for it."""
    verdict = scope.judge(path)
    return verdict.verdict == IN and verdict.rule != OPEN


def rows_of(
    changes: Sequence[Change],
    owner_of: Callable[[Change], Owner],
    scope: Scope,
    refs: Mapping[str, str],
    edited: Collection[str] = (),
) -> list[Json]:
    """A row for each change; `owner_of` says whose a change is, `refs` are what people call the tasks.

    `edited` are paths where Deedlog writes and somebody else did.
    """
    return [_row(change, owner_of, scope, refs, ours=_is_ours(change, edited)) for change in changes]


def _is_ours(change: Change, edited: Collection[str]) -> bool:
    return (is_deedlogs(change.path) or is_record(change)) and change.path not in edited


def _row(
    change: Change, owner_of: Callable[[Change], Owner], scope: Scope, refs: Mapping[str, str], *, ours: bool
) -> Json:
    owner = Owner(by=DEEDLOG) if ours else owner_of(change)
    tasks = [refs.get(task_id, task_id) for task_id in owner.others]
    row = {
        "path": shown(change.path),
        "status": change.status,
        "by": owner.by,
        "added": change.added,
        "deleted": change.deleted,
        "renamed_from": shown(change.renamed_from),
        "renamed_to": shown(change.renamed_to),
        "tasks": tasks,
        "note": "; ".join(filter(None, (change.note, _came(change, owner)))),
        "place": shown(change.place),
        **_judged(change, scope, owner, tasks),
    }
    return {name: value for name, value in row.items() if value not in (None, "", [])}


def _came(change: Change, owner: Owner) -> str:
    """What to note about a change that came from elsewhere, but is somebody's here."""
    if change.origin == ARRIVED:
        return MERGED if owner.by == SUBTASK else ""
    return "partly arrived" if change.origin == MIXED else ""


def left_out(rows: Sequence[Json]) -> list[str]:
    """What the patch does not have of the task's work, and why."""
    noted = [row for row in rows if row["by"] in MINE and row.get("note", "").startswith(NOT_SHOWN)]
    said = [f"left out: {row['path']} ({row['note']})" for row in noted[:MOST_LEFT_OUT]]
    more = len(noted) - len(said)
    return [*said, f"left out: {more} more; the list of changes has all"] if more else said


def _judged(change: Change, scope: Scope, owner: Owner, tasks: Sequence[str]) -> Json:
    """The verdict on what the task did; of what it shares only that it strays, because nobody else can be asked."""
    if not scope.areas or not (owner.by == OWN or (owner.by == SHARED and owner.itself)):
        return {}
    names = [name for name in (change.renamed_from, change.renamed_to) if name]
    verdict = scope.judge(change.path, names)
    if owner.by == OWN:
        return {"scope": verdict.verdict, "reason": verdict.why(scope.areas)}
    if verdict.verdict != OUT:
        return {}
    were = "was" if len(tasks) == 1 else "were"
    return {"scope": OUT, "reason": f"changed while {_named(tasks)} {were} at work too; {verdict.why(scope.areas)}"}


def judged_anew(rows: Sequence[Json], scope: Scope) -> list[Json]:
    """The rows with the verdicts of other areas on what was out of scope."""
    return [_anew(row, scope) if row.get("scope") == OUT else row for row in rows]


def _anew(row: Json, scope: Scope) -> Json:
    names = [meant(row[name]) for name in ("renamed_from", "renamed_to") if name in row]
    verdict = scope.judge(meant(row["path"]), names)
    if verdict.verdict == OUT:
        return row
    if row["by"] == OWN:
        return {**row, "scope": verdict.verdict, "reason": verdict.why(scope.areas)}
    return {name: value for name, value in row.items() if name not in ("scope", "reason")}


def files_changed(rows: Sequence[Json]) -> dict[str, list[str]]:
    """The task's own work and its subtasks', by what happened to a file."""
    return {
        status: sorted(row["path"] for row in rows if row["by"] in MINE and row["status"] == status)
        for status in STATUSES
    }


def own_paths(rows: Sequence[Json]) -> list[str]:
    """What the task changed itself."""
    return [row["path"] for row in rows if row["by"] == OWN]


def counts(rows: Sequence[Json]) -> dict[str, int]:
    """How much changed; what is nought is left out, but for the files. A renamed one is also added and deleted."""
    files = {status: len(paths) for status, paths in files_changed(rows).items()}
    more = {
        **{f"lines_{name}": number for name, number in _lines(rows).items()},
        "renamed": sum(row["by"] in MINE and row["status"] == ADDED and "renamed_from" in row for row in rows),
        "unexpected": sum(row.get("scope") == OUT for row in rows),
        **{by: sum(row["by"] == by for row in rows) for by in (ARRIVED, SHARED)},
    }
    return files | {name: number for name, number in more.items() if number}


def _lines(rows: Sequence[Json]) -> dict[str, int]:
    """How many lines the task's own work and its subtasks' added and deleted."""
    return {name: sum(row.get(name, 0) for row in rows if row["by"] in MINE) for name in (ADDED, DELETED)}


def apart(rows: Sequence[Json]) -> Json:
    """What an answer says beside the files changed; only what there is."""
    lines = _lines(rows)
    told = {
        "renamed": [
            {"from": row["path"], "to": row["renamed_to"]} for row in rows if row["by"] in MINE and "renamed_to" in row
        ],
        "arrived": [row["path"] for row in rows if row["by"] == ARRIVED],
        "shared": [{"path": row["path"], "with": row["tasks"]} for row in rows if row["by"] == SHARED],
        "in_subtasks": [
            {"path": row["path"], "task_id": ref} for row in rows if row["by"] == SUBTASK for ref in row["tasks"]
        ],
        "deedlog_files": [row["path"] for row in rows if row["by"] == DEEDLOG],
        "lines": lines if any(lines.values()) else {},
    }
    return {name: value for name, value in told.items() if value}


def verification(rows: Sequence[Json], areas: Sequence[str], warnings: Iterable[str]) -> Json:
    """Whether the task stayed in its areas, by what it did or may have done itself."""
    unexpected = [row["path"] for row in rows if row.get("scope") == OUT]
    said = [_outside(len(unexpected), areas)] if unexpected else []
    found: Json = {
        "scope_match": not unexpected,
        "unexpected_files": unexpected,
        "warnings": [*said, *_sharing(rows), *warnings],
    }
    reasons = [f"{row['path']}: {why}" for row in rows if (why := _why(row))]
    return found | ({"reasons": reasons} if reasons else {})


def _why(row: Json) -> str:
    """Why a file is unexpected, or is listed although the tree does not show it."""
    verdict = row["reason"] if row.get("scope") in (OUT, COMPANION) else ""
    return "; ".join(filter(None, (verdict, row["note"] if _is_off_tree(row) else "")))


def _is_off_tree(row: Json) -> bool:
    return "place" in row and row["by"] in (*MINE, SHARED)


def off_tree(rows: Sequence[Json], branch: str) -> list[str]:
    """Warnings that name work which only commits have; `branch` is the current one."""
    found: dict[str, list[str]] = {}
    for row in rows:
        if _is_off_tree(row):
            found.setdefault(row["place"], []).append(row["path"])
    return [
        f"{len(paths)} file{' is' if len(paths) == 1 else 's are'} "
        f"{COMMITTED_ONLY if place == HEAD else on_branch(place, branch)}: {_named(paths)}"
        for place, paths in found.items()
    ]


def other_warnings(warnings: Iterable[str]) -> list[str]:
    """Those of a verification that say nothing of its scope, nor whose the changes are: both follow from the rows."""
    return [said for said in warnings if not (said.startswith(WARNED) or said.endswith(ARE_SHARED))]


def _outside(count: int, areas: Sequence[str]) -> str:
    return f"{WARNED} {count} file(s) modified outside declared scope ({', '.join(areas)})"


def _sharing(rows: Sequence[Json]) -> list[str]:
    """Changes of which nobody can tell whose they are."""
    shared = [row for row in rows if row["by"] == SHARED]
    if not shared:
        return []
    refs = list(dict.fromkeys(ref for row in shared for ref in row["tasks"]))
    return [f"{len(shared)} file(s) changed while other tasks worked in the same tree ({_named(refs)}): {ARE_SHARED}"]


def _named(refs: Sequence[str]) -> str:
    return ", ".join([*refs[:MOST_NAMED], *(["…"] if len(refs) > MOST_NAMED else [])])
