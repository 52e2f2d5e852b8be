"""beads: `.beads/issues.jsonl`, an issue a line."""

from __future__ import annotations

import os

from deedlog.core.draft import (
    DONE,
    TO_DO,
    MemoryDraft,
    TaskDraft,
    Warnings,
    kind_of,
    labels_of,
    line_of,
    sections,
    slug_of,
    text_of,
    was,
)
from deedlog.core.memory import ACTIVE
from deedlog.core.moment import iso
from deedlog.core.task import CRITICAL, HIGH, LOW, MEDIUM
from deedlog.importing.reading import MOST_TASKS, Broken, Folder, Record, first_that_exists, parsed

TOOL = "beads"
FOLDER = ".beads"
FILES = ("issues.jsonl", "beads.jsonl")
PRIORITIES = (CRITICAL, HIGH, MEDIUM, LOW, LOW)
CLOSED, DELETED = "closed", "tombstone"
PARKED = ("deferred", "pinned")
NO_WORK = frozenset({"message", "event", "agent", "role", "rig", "slot", "gate", "merge-request", "convoy"})
BLOCKS, PARENT = "blocks", "parent-child"
LINES = {
    "external_ref": "External reference",
    "created_by": "Created by",
    "owner": "Owner",
    "due_at": "Due",
    "defer_until": "Deferred until",
    "estimated_minutes": "Estimated minutes",
    "spec_id": "Specification",
}


def find(root: str) -> str:
    """The file; older releases called it otherwise."""
    folder = first_that_exists(TOOL, root, FOLDER)
    for name in FILES:
        if os.path.lexists(path := os.path.join(folder, name)):
            return path
    others = sorted(name for name in os.listdir(folder) if name.endswith(".jsonl"))
    if len(others) == 1:
        return os.path.join(folder, others[0])
    raise Broken(folder, "has no issues.jsonl", "run `bd export -o .beads/issues.jsonl`, or name the file")


def read(path: str, warnings: Warnings) -> tuple[list[TaskDraft], list[MemoryDraft]]:
    if os.path.isdir(path):
        path = find(os.path.dirname(path) if os.path.basename(path) == FOLDER else path)
    records = [
        Record(parsed(line, path, number), f"{path}, line {number}")
        for number, line in enumerate(Folder(warnings).text(path).split("\n"), 1)
        if line.strip()
    ]
    if len(records) > MOST_TASKS:
        raise Broken(path, f"has more than {MOST_TASKS} issues", "import it in parts")
    ids = {record.text("id") for record in records}
    tasks = [draft for record in records if _is_issue(record) and (draft := _task(record, ids, warnings))]
    memories = [_memory(record) for record in records if record.text("_type") == "memory"]
    for record in records:
        if not _is_issue(record) and record.text("_type") != "memory":
            warnings.add("lines that are neither issues nor memories were left out", line_of(record.text("_type"), 40))
    return tasks, memories


def _is_issue(record: Record) -> bool:
    return record.text("_type", "issue") == "issue"


def _memory(record: Record) -> MemoryDraft:
    key = record.title("key")
    content = text_of(record.text("value"))
    return MemoryDraft(
        origin=f"{TOOL}:memory/{line_of(key, 80)}",
        slug=slug_of(key, "memory"),
        category="convention",
        title=line_of(key, 200),
        summary=line_of(content, 200),
        content=content,
        status=ACTIVE,
        created_at=0,
    )


def _task(record: Record, ids: set[str], warnings: Warnings) -> TaskDraft | None:
    key = record.key()
    status = record.text("status", TO_DO).strip().lower()
    kind = record.text("issue_type", "task").strip().lower()
    if left_out := _left_out(record, status, kind):
        warnings.add(left_out, key)
        return None
    needs, parents, others = _edges(record, key, warnings)
    above = key.rpartition(".")[0]
    parent = parents[0] if parents else above if above in ids else ""
    own_type, labels = kind_of(kind)
    before = [] if status in (TO_DO, CLOSED) else [was(status)]
    return TaskDraft(
        origin=f"{TOOL}:{key}",
        name=record.title(),
        goal=_goal(record, others),
        type=own_type,
        priority=_priority(record),
        labels=labels_of([*record.texts("labels"), *labels, *before]),
        assignee=record.text("assignee"),
        parent=f"{TOOL}:{parent}" if parent else "",
        depends_on=[f"{TOOL}:{need}" for need in needs],
        state=DONE if status == CLOSED else TO_DO,
        parked=status in PARKED or (status == "blocked" and not needs),
        summary=text_of(record.text("close_reason")),
        created_at=record.moment("created_at", warnings),
        updated_at=record.moment("updated_at", warnings),
        started_at=record.moment("started_at", warnings),
        ended_at=record.moment("closed_at", warnings),
    )


def _left_out(record: Record, status: str, kind: str) -> str:
    if status == DELETED:
        return "deleted there, and left out"
    if kind in NO_WORK:
        return "what is no work was left out (messages, gates and the like)"
    if record.data.get("is_template") or record.data.get("ephemeral") or record.data.get("wisp"):
        return "templates and passing ones were left out"
    return ""


def _priority(record: Record) -> str:
    value = record.data.get("priority")
    if value is None:
        return MEDIUM
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < len(PRIORITIES):
        raise record.wrong("priority", "is not a number from 0 to 4")
    return PRIORITIES[value]


def _edges(record: Record, key: str, warnings: Warnings) -> tuple[list[str], list[str], list[str]]:
    """What it waits for, what it is a part of, and a line for every other relation."""
    needs, parents, others = [], [], []
    for edge in record.records("dependencies"):
        if edge.text("issue_id", key) != key:
            raise edge.wrong("issue_id", "is not that of the issue it stands in")
        kind, other = edge.text("type", BLOCKS), edge.key("depends_on_id")
        if kind == BLOCKS:
            needs.append(other)
        elif kind == PARENT:
            parents.append(other)
        else:
            name = line_of(kind, 40)
            others.append(f"- {name}: {other}")
            warnings.add(f"relations of the kind {name} are only told in the description", key)
    if len(parents) > 1:
        warnings.add("it has more than one parent, the first was taken", key)
        others += [f"- {PARENT}: {other}" for other in parents[1:]]
    return needs, parents, others


def _goal(record: Record, relations: list[str]) -> str:
    told = [f"- {label}: {line_of(text)}" for name, label in LINES.items() if (text := record.text(name))]
    comments = [
        f"**{line_of(comment.text('author', 'somebody'), 80)}**, {_time(comment)}:\n\n{text_of(comment.text('text'))}"
        for comment in record.records("comments")
    ]
    return sections(
        {
            "": record.text("description"),
            "Design": record.text("design"),
            "Acceptance criteria": record.text("acceptance_criteria"),
            "Notes": record.text("notes"),
            "Relations": "\n".join(relations),
            "More from beads": "\n".join(told),
            "Comments": "\n\n".join(comments),
        }
    )


def _time(comment: Record) -> str:
    at = comment.moment("created_at", Warnings())
    return iso(at) if at else "at a time not known"
