"""docs/CURRENT_TASK.md. People may edit it, so the text itself is read back, not a block for machines."""

from __future__ import annotations

import re

from deedlog.core.records.foreign import Sections, head_of, normal
from deedlog.core.records.markdown import block, code, inline, items, plain, uncode
from deedlog.core.records.slug import file_slug
from deedlog.core.records.uid import is_uid
from deedlog.core.records.values import ARCHIVE_FOLDER, CurrentTask

TITLE_WIDTH = 80
CHECKBOX = re.compile(r"^(?:\\?\[[ xX]\\?\])\s*")
BULLET = re.compile(r"^\s{0,3}[-*+]\s+(.*)$")
NOTHING = "_None_"
ANYTHING = "_Anything: no folder is typical of this yet_"  # no list item, so it is read as an empty list


def archive_path(uid: str, title: str) -> str:
    return f"{ARCHIVE_FOLDER}/{uid}_{file_slug(title, 'task')}.md"


def render_task(task: CurrentTask) -> str:
    related = f"\n<!-- Related ADR: {task.adr} -->" if task.adr else ""
    return f"""<!-- UID: {task.uid} -->
<!-- Created: {task.created} -->{related}

# {inline(task.title, TITLE_WIDTH)}

## Objective

{block(task.objective)}

## Context

{block(task.context)}

## Allowlist

{_paths(task.allowlist, ANYTHING)}

## Forbidden

{_paths(task.forbidden)}

## Technical Constraints

{items(task.constraints)}

## Assumptions

{items(task.assumptions)}
{_still_open(task.still_open)}
## Acceptance Criteria

{items(task.criteria, "- [ ] ")}
"""


def _paths(paths: list[str], nothing: str = NOTHING) -> str:
    return "\n".join(f"- {code(path)}" for path in paths) or nothing


def _still_open(texts: list[str]) -> str:
    return f"\n## Still Open\n\n{items(texts)}\n" if texts else ""


def read_task(text: str) -> CurrentTask:
    """What the file says; one written by hand has no UID, and perhaps none of the sections."""
    text = normal(text)
    head, sections = head_of(text), Sections(text)
    uid, adr = head.get("UID", ""), head.get("Related ADR", "")
    return CurrentTask(
        uid=uid if is_uid(uid) else "",
        title=plain(sections.title),
        created=head.get("Created", ""),
        adr=adr if is_uid(adr) else "",
        objective=_paragraphs(sections, "objective"),
        context=_paragraphs(sections, "context"),
        allowlist=[uncode(item) for item in _items(sections, "allowlist")],
        forbidden=[uncode(item) for item in _items(sections, "forbidden")],
        constraints=[plain(item) for item in _items(sections, "technical constraints")],
        assumptions=[plain(item) for item in _items(sections, "assumptions")],
        still_open=[plain(item) for item in _items(sections, "still open")],
        criteria=[plain(CHECKBOX.sub("", item)) for item in _items(sections, "acceptance criteria")],
    )


def _paragraphs(sections: Sections, name: str) -> str:
    text = sections.text(name)
    return "" if text == NOTHING else "\n".join(map(plain, text.splitlines()))


def _items(sections: Sections, name: str) -> list[str]:
    found = (BULLET.match(line) for line in sections.lines(name))
    return [item[1].strip() for item in found if item and item[1].strip()]
