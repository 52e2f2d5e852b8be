"""What another tool's files say, before it is stored: tasks and memory entries, and what is wrong with them.

A draft is called by its `origin`: the tool and what the thing is called there, `beads:bd-12`. Parents and
dependencies are origins, too.
"""

from __future__ import annotations

import re

from deedlog.core.naming import plain
from deedlog.core.slug import LONGEST, is_slug
from deedlog.core.task import MEDIUM
from deedlog.core.value import Value
from deedlog.core.words import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

TO_DO, DONE, CANCELLED = "open", "done", "cancelled"
HUMAN = "human"
TYPES = ("task", "feature", "bug", "refactor")
MOST_NAME, MOST_GOAL, MOST_LABEL, MOST_LABELS, MOST_WHO = 500, 100_000, 100, 100, 200
MOST_TOLD = 20  # warnings of one kind
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]")
NO_SLUG = re.compile("[^a-z0-9]+")


class TaskDraft(Value):
    """A task there. `ended_at` is when it was done; a moment of 0 is not known.

    `parked` says that it should not be handed out by chance: it was deferred, say.
    """

    origin: str
    name: str
    goal: str = ""
    type: str = TYPES[0]
    priority: str = MEDIUM
    labels: list[str] = []  # noqa: RUF012  # values are never changed in place
    assignee: str = ""
    complexity: int | None = None
    parent: str = ""
    depends_on: list[str] = []  # noqa: RUF012
    state: str = TO_DO
    parked: bool = False
    summary: str = ""
    created_at: int = 0
    updated_at: int = 0
    started_at: int = 0
    ended_at: int = 0


class MemoryDraft(Value):
    """Something there that everybody should know; `slug` is the id it would like to have."""

    origin: str
    slug: str
    category: str
    title: str
    summary: str = ""
    content: str = ""
    status: str
    created_at: int = 0


class Warnings:
    """What a reader could not take as it was, in the order it was found; many of one kind are counted."""

    def __init__(self) -> None:
        self._found: dict[str, list[str]] = {}

    def add(self, kind: str, about: str = "") -> None:
        self._found.setdefault(kind, []).append(about)

    def told(self) -> list[str]:
        return [_warning(kind, [about for about in found if about], len(found)) for kind, found in self._found.items()]


def _warning(kind: str, found: list[str], count: int) -> str:
    if not found:
        return kind if count == 1 else f"{kind} ({count} times)"
    more = f" and {len(found) - MOST_TOLD} more" if len(found) > MOST_TOLD else ""
    return f"{kind}: {', '.join(found[:MOST_TOLD])}{more}"


def line_of(text: str, most: int = MOST_NAME) -> str:
    """Text as one line without control characters."""
    return one_line(CONTROL.sub(" ", text), most)


def text_of(text: str) -> str:
    """Text without the control characters that a terminal would obey."""
    return CONTROL.sub("", text.replace("\r\n", "\n")).strip()


def labels_of(names: Iterable[str]) -> list[str]:
    """Labels, each once and without commas, which part them elsewhere."""
    cleaned = (line_of(name.replace(",", " "), MOST_LABEL) for name in names)
    return list(dict.fromkeys(name for name in cleaned if name))


def sections(parts: Mapping[str, str]) -> str:
    """Parts of a description under their headings; those without text are left out."""
    found = [(heading, text_of(text)) for heading, text in parts.items()]
    return "\n\n".join(f"## {heading}\n\n{text}" if heading else text for heading, text in found if text)


def slug_of(text: str, otherwise: str) -> str:
    for candidate in (text, otherwise):
        slug = NO_SLUG.sub("-", plain(candidate)).strip("-")[:LONGEST].rstrip("-")
        if is_slug(slug):
            return slug
    return "entry"


def was(status: str) -> str:
    """The label of a task that was under way there, or waited: here both follow from what is done here."""
    return f"was:{'-'.join(line_of(status, MOST_LABEL - 4).lower().replace('_', ' ').replace(',', ' ').split())}"


def kind_of(word: str) -> tuple[str, list[str]]:
    """Our type of task for theirs, and the label that keeps their word where it is another."""
    known = line_of(word, MOST_LABEL).lower()
    if not known or known in TYPES:
        return known or TYPES[0], []
    return "feature" if known in ("epic", "enhancement", "story") else TYPES[0], [f"type:{known}"]


def tidy(drafts: Sequence[TaskDraft], warnings: Warnings) -> list[TaskDraft]:
    """Drafts of which each is there once, small enough to store, and none waits for or is a part of itself."""
    found = [_fitting(draft, warnings) for draft in _once(drafts, warnings)]
    parents = acyclic({draft.origin: [draft.parent] for draft in found if draft.parent})
    needs = acyclic({draft.origin: draft.depends_on for draft in found})
    for kind, cut in (("its parent is a part of it, so that it has none now", parents), ("a circle was cut", needs)):
        for origin, others in cut.items():
            for other in others:
                warnings.add(kind, f"{origin} needs {other}" if cut is needs else origin)
    tidied = [
        draft.replace(
            parent="" if draft.parent in parents.get(draft.origin, ()) else draft.parent,
            depends_on=[other for other in draft.depends_on if other not in needs.get(draft.origin, ())],
        )
        for draft in found
    ]
    return _without_wholes(tidied, warnings)


def _without_wholes(drafts: list[TaskDraft], warnings: Warnings) -> list[TaskDraft]:
    """No part waits for what it is a part of: that ends only after its parts."""
    parents = {draft.origin: draft.parent for draft in drafts}
    found = []
    for draft in drafts:
        above, parent = set(), draft.parent if draft.depends_on else ""
        while parent:
            above.add(parent)
            parent = parents.get(parent, "")
        for other in (other for other in draft.depends_on if other in above):
            warnings.add("a part cannot wait for the whole, which was left out", f"{draft.origin} needs {other}")
        found.append(draft.replace(depends_on=[other for other in draft.depends_on if other not in above]))
    return found


def _once(drafts: Sequence[TaskDraft], warnings: Warnings) -> list[TaskDraft]:
    kept: dict[str, TaskDraft] = {}
    for draft in drafts:
        before = kept.get(draft.origin)
        if before:
            warnings.add("there is more than one of that id, the one that changed last was taken", draft.origin)
        if before is None or draft.updated_at > before.updated_at:
            kept[draft.origin] = draft
    return list(kept.values())


def _fitting(draft: TaskDraft, warnings: Warnings) -> TaskDraft:
    name = line_of(draft.name)
    if name != " ".join(draft.name.split()):
        warnings.add("the title was too long or had control characters", draft.origin)
    if len(draft.goal) > MOST_GOAL:
        warnings.add("the description was too long and was cut", draft.origin)
    if len(draft.labels) > MOST_LABELS:
        warnings.add(f"only the first {MOST_LABELS} labels were taken", draft.origin)
    return draft.replace(
        name=name or draft.origin,
        goal=draft.goal[:MOST_GOAL],
        labels=draft.labels[:MOST_LABELS],
        assignee=line_of(draft.assignee, MOST_WHO),
        depends_on=list(dict.fromkeys(draft.depends_on)),
    )


def acyclic(edges: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The edges that close a circle: without them there is none."""
    closing: dict[str, list[str]] = {}
    done: set[str] = set()
    for start in edges:
        if start in done:
            continue
        above = {start: None}
        path = [(start, iter(edges[start]))]
        while path:
            node, others = path[-1]
            other = next(others, None)
            if other is None:
                path.pop()
                del above[node]
                done.add(node)
            elif other in above:
                closing.setdefault(node, []).append(other)
            elif other not in done and other in edges:
                above[other] = None
                path.append((other, iter(edges[other])))
    return closing
