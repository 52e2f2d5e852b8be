"""Backlog.md: a folder of Markdown files, one for each task, draft, decision and document."""

from __future__ import annotations

import os
import re

from deedlog.core.draft import (
    CANCELLED,
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
from deedlog.core.memory import ACTIVE, ARCHIVED, DRAFT
from deedlog.core.moment import iso
from deedlog.core.task import CRITICAL, HIGH, LOW, MEDIUM
from deedlog.importing.front_matter import loaded, split
from deedlog.importing.reading import MOST_TASKS, Broken, Folder, Record, first_that_exists, mapped, moment_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

TOOL = "backlog"
PLACES = ("backlog", ".backlog")
CONFIGS = ("config.yml", "config.yaml")
ROOT_CONFIG = "backlog.config.yml"
MOST_ABOVE = 4
LIVE, COMPLETED, DRAFTS, ARCHIVED_TASKS, ARCHIVED_DRAFTS = (
    "tasks",
    "completed",
    "drafts",
    "archive/tasks",
    "archive/drafts",
)
FOLDERS = (LIVE, COMPLETED, DRAFTS, ARCHIVED_TASKS, ARCHIVED_DRAFTS)  # of two with one id the first is taken
FINISHED = ("done", "completed", "complete", "closed")
PRIORITIES = {"critical": CRITICAL, "high": HIGH, "medium": MEDIUM, "low": LOW}
DECISIONS = {"accepted": ACTIVE, "approved": ACTIVE, "proposed": DRAFT, "draft": DRAFT}
MARK = re.compile(r"^<!-- [A-Z_:]+:(?:BEGIN|END) -->[ \t]*\n?", re.MULTILINE)
COMMENTS, SUMMARY = "COMMENTS", "SECTION:FINAL_SUMMARY"
AUTHOR, CREATED, LINE = "author: ", "created: ", "---"
FIRST_HEADING = re.compile(r"\A\s*## Description\s*\n")
READ = frozenset(
    {
        *("id", "title", "status", "assignee", "created_date", "updated_date", "labels", "dependencies", "type"),
        *("parent_task_id", "priority", "milestone", "ordinal", "references", "documentation", "modified_files"),
        *("subtasks", "onStatusChange"),
    }
)


def find(root: str) -> str:
    if os.path.isfile(os.path.join(root, ROOT_CONFIG)):
        return root
    return first_that_exists(TOOL, root, *PLACES)


def read(path: str, warnings: Warnings) -> tuple[list[TaskDraft], list[MemoryDraft]]:
    files = Folder(warnings)
    path = _folder(path, files)
    project = _Project(path, files, warnings)
    tasks = [draft for name in FOLDERS for draft in project.tasks(name)]
    if len(tasks) > MOST_TASKS:
        raise Broken(path, f"has more than {MOST_TASKS} tasks", "import it in parts")
    kept: dict[str, TaskDraft] = {}
    for draft in tasks:
        if draft.origin in kept:
            warnings.add("there is more than one of that id, the archived or later one was left out", draft.origin)
        kept.setdefault(draft.origin, draft)
    return list(kept.values()), [*project.decisions(), *project.documents()]


def _folder(path: str, files: Folder) -> str:
    """The folder of tasks: the one that was named, or the one of the project that was."""
    if os.path.isfile(config := os.path.join(path, ROOT_CONFIG)):
        told = Record(loaded(files.text(config), config), config).text("backlog_directory") or PLACES[0]
        root = os.path.realpath(path)
        folder = os.path.realpath(os.path.join(root, told))
        if os.path.commonpath([root, folder]) != root:
            raise Broken(config, "backlog_directory leads out of the project")
        return folder
    if any(os.path.lexists(os.path.join(path, name)) for name in (*CONFIGS, LIVE, COMPLETED, DRAFTS)):
        return path
    return first_that_exists(TOOL, path, *PLACES)


class _Project:
    def __init__(self, path: str, files: Folder, warnings: Warnings) -> None:
        self.path = path
        self.files = files
        self.warnings = warnings
        self.statuses = self._statuses()
        self.milestones = {
            record.key().lower(): line_of(record.title(), 80)
            for name in ("milestones", "archive/milestones")
            for record, _ in self._files(name)
        }

    def _files(self, folder: str, *, deep: bool = False) -> Iterator[tuple[Record, str]]:
        for path in self.files.names(os.path.join(self.path, folder), ".md", deep=deep):
            yield split(self.files.text(path), path)

    def _statuses(self) -> list[str]:
        """The configured ones; the configuration is in the folder, or above it."""
        above = os.path.abspath(self.path)
        places = [os.path.join(above, name) for name in CONFIGS]
        for _ in range(MOST_ABOVE):
            above = os.path.dirname(above)
            places.append(os.path.join(above, ROOT_CONFIG))
        for path in filter(os.path.isfile, places):
            config = Record(loaded(self.files.text(path), path), path)
            return [status.strip().lower() for status in config.texts("statuses")]
        return []

    def tasks(self, folder: str) -> Iterator[TaskDraft]:
        for record, body in self._files(folder):
            yield self._task(record, body, folder)

    def _task(self, record: Record, body: str, folder: str) -> TaskDraft:
        key = _key(record.key())
        origin = f"{TOOL}:{key}"
        status = record.text("status").strip().lower()
        state = self._state(status, folder)
        own_type, labels = kind_of(record.text("type"))
        before = self._was(status, folder, state)
        parent = record.text("parent_task_id").strip() or key.rpartition(".")[0]
        people = record.texts("assignee")
        comments, rest = _marked(body, COMMENTS)
        updated = record.moment("updated_date", self.warnings)
        return TaskDraft(
            origin=origin,
            name=record.title(),
            goal=self._goal(
                record, rest.rstrip().removesuffix("## Comments") if comments else body, comments, people[1:]
            ),
            type=own_type,
            priority=mapped(
                record.text("priority"), PRIORITIES, MEDIUM, lambda: self.warnings.add("unknown priority", origin)
            ),
            labels=labels_of([*record.texts("labels"), *labels, *self._milestone(record), *before]),
            assignee=people[0] if people else "",
            parent=f"{TOOL}:{_key(parent)}" if parent else "",
            depends_on=[f"{TOOL}:{_key(line_of(need, 80))}" for need in record.texts("dependencies")],
            state=state,
            parked=folder == DRAFTS,
            summary=text_of(_marked(body, SUMMARY)[0]),
            created_at=record.moment("created_date", self.warnings),
            updated_at=updated,
            ended_at=updated if state == DONE else 0,
        )

    def _state(self, status: str, folder: str) -> str:
        """The last of the configured statuses is where work is over."""
        if folder == COMPLETED or status in FINISHED or (self.statuses and status == self.statuses[-1]):
            return DONE
        return CANCELLED if folder in (ARCHIVED_TASKS, ARCHIVED_DRAFTS) else TO_DO

    def _was(self, status: str, folder: str, state: str) -> list[str]:
        first = self.statuses[0] if self.statuses else "to do"
        if folder == DRAFTS:
            return [was("draft")]
        return [] if state != TO_DO or not status or status == first else [was(status)]

    def _milestone(self, record: Record) -> list[str]:
        told = record.text("milestone").strip()
        return [f"milestone:{self.milestones.get(told.lower(), told)}"] if told else []

    def _goal(self, record: Record, body: str, comments: str, others: list[str]) -> str:
        more = [f"- {name}: {', '.join(map(line_of, record.texts(name)))}" for name in record.data if name not in READ]
        more += [f"- also assigned: {', '.join(map(line_of, others))}"] if others else []
        links = [link for name in ("references", "documentation", "modified_files") for link in record.texts(name)]
        return sections(
            {
                "": FIRST_HEADING.sub("", MARK.sub("", body)),
                "References": "\n".join(f"- {line_of(link)}" for link in links),
                "More from Backlog.md": "\n".join(more),
                "Comments": "\n\n".join(_comments(comments)),
            }
        )

    def decisions(self) -> Iterator[MemoryDraft]:
        for record, body in self._files("decisions"):
            status = DECISIONS.get(record.text("status", "proposed").strip().lower(), ARCHIVED)
            yield self._memory(record, body, "architecture", status, record.moment("date", self.warnings))

    def documents(self) -> Iterator[MemoryDraft]:
        for record, body in self._files("docs", deep=True):
            yield self._memory(record, body, "document", DRAFT, record.moment("created_date", self.warnings))

    def _memory(self, record: Record, body: str, category: str, status: str, at: int) -> MemoryDraft:
        key = record.key()
        title = line_of(record.title(), 200)
        return MemoryDraft(
            origin=f"{TOOL}:{key}",
            slug=slug_of(title, key),
            category=category,
            title=title,
            content=text_of(body),
            status=status,
            created_at=at,
        )


def _key(name: str) -> str:
    """Ids are written `task-1` and `TASK-1`."""
    return name.strip().upper()


def _marked(body: str, name: str) -> tuple[str, str]:
    """The text between the marks of that name, and the rest."""
    before, begin, rest = body.partition(f"<!-- {name}:BEGIN -->\n")
    inside, end, after = rest.partition(f"<!-- {name}:END -->")
    return (inside, before + after) if begin and end else ("", body)


def _comments(text: str) -> Iterator[str]:
    """Each begins with its author and ends with a line of dashes, as lines within it may look, too."""
    lines = text.strip().split("\n")
    starts = [at for at in range(len(lines)) if _begins(lines, at)]
    if not starts or starts[0]:
        yield text_of("\n".join(lines[: starts[0] if starts else None]))
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=False):
        at = moment_of(lines[start + 1].removeprefix(CREATED).strip())
        said = text_of("\n".join(lines[start + 3 : end])).removesuffix(LINE)
        author = line_of(lines[start].removeprefix(AUTHOR), 80)
        yield f"**{author}**, {iso(at) if at else 'at a time not known'}:\n\n{text_of(said)}"


def _begins(lines: list[str], at: int) -> bool:
    head = lines[at : at + 3]
    return len(head) == 3 and head[0].startswith(AUTHOR) and head[1].startswith(CREATED) and head[2] == LINE  # noqa: PLR2004
