"""Comments that stand where the work they are about changed nothing: mostly a slip of whoever wrote them."""

from __future__ import annotations

import re

from deedlog.core.patch import about
from deedlog.core.remark import NEW
from deedlog.core.task import Session
from deedlog.core.words import one_line
from deedlog.work.lookup import last_session
from deedlog.work.reading import changes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from deedlog.core.remark import Comment
    from deedlog.core.task import Task
    from deedlog.ports import Context

HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
MOST_NAMED = 10
LONGEST_PATH = 200


def misplaced(ctx: Context, task: Task, comments: Sequence[Comment]) -> list[str]:
    """What to say to whoever made them; nothing where nobody can tell what was changed."""
    placed = [one for one in comments if one.path]
    if not placed:
        return []
    known = placed[0].session_id
    session = ctx.ledger.find_one(Session, known) if known else last_session(ctx.ledger, task)
    if session is None or session.ended_at is None or session.changes_unknown:
        return []
    rows = changes_of(ctx, session)
    names = {row[name] for row in rows for name in ("path", "renamed_from", "renamed_to") if name in row}
    data = ctx.ledger.kept(session.patch) if session.patch and any(one.line for one in placed) else b""
    found = []
    for one in placed:
        place = f"{one_line(one.path, LONGEST_PATH)}{f':{one.line}' if one.line else ''}"
        if one.path not in names:
            found.append(f"{place}: {session.ref} did not change this file; it is told all the same")
        elif one.line and not _has_line(about(data, one.path), one.line, is_new=one.side == NEW):
            found.append(f"{place}: the diff of {session.ref} does not have this line; it is told all the same")
    return [*found[:MOST_NAMED], *([f"and {len(found) - MOST_NAMED} more"] if len(found) > MOST_NAMED else [])]


def _has_line(piece: bytes, line: int, *, is_new: bool) -> bool:
    """Whether a line is among those a patch shows; of a file without one, such as a binary one, nobody can tell."""
    hunks = [(match.group(3), match.group(4)) if is_new else match.group(1, 2) for match in HUNK.finditer(piece)]
    return not hunks or any(int(start) <= line < int(start) + int(count or 1) for start, count in hunks)
