"""What people say about work: as it is stored, as it is listed, and as it reaches whoever works next."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from deedlog.core import page
from deedlog.core.errors import Invalid
from deedlog.core.markdown import UNSEEN, code
from deedlog.core.moment import iso
from deedlog.core.queue import OVER
from deedlog.core.remark import NEW, OPEN, Comment
from deedlog.core.task import Session, Task
from deedlog.core.terminal import plain
from deedlog.operation.define import Field
from deedlog.ports import Context
from deedlog.work.lookup import every
from deedlog.work.questions import answers_on

MOST_TEXT = 5_000
MOST_COMMENTS = 100  # in one call: the longest of them still fit into one request
MOST_TOLD = 50
ROOM_TOLD = 8_000  # characters of comments in an answer or a prompt: an agent has other things to read
LONGEST_TOLD = 2_000
Json = dict[str, Any]
Side = Literal["old", "new"]
TEXT = Field("What to say", min_length=1, max_length=MOST_TEXT)


class Said(TypedDict):
    """One comment as it is given."""

    text: Annotated[str, TEXT]
    path: NotRequired[Annotated[str, Field("The file, as the diff names it", max_length=4_000)]]
    line: NotRequired[Annotated[int | None, Field("The line of it", minimum=1)]]
    side: NotRequired[Annotated[Side, Field("Of the file as it was, or as it is now")]]


class CommentRow(TypedDict):
    comment_id: str
    task_id: str
    session_id: NotRequired[str]
    path: NotRequired[str]
    line: NotRequired[int]
    side: NotRequired[str]
    text: str
    status: str
    by: str
    created_at: str
    resolved_by: NotRequired[str]
    resolved_at: NotRequired[str]


def comment(ctx: Context, task: Task, said: Said, session: Session | None, place: int = 0) -> Comment:
    """A comment to be committed; `place` is that among those of one call, whose order is kept."""
    path, line = said.get("path") or "", said.get("line")
    if line is not None and not path:
        raise Invalid(
            f"line: line {line} of which file?", hint="give the path, or leave the line out", data={"field": "line"}
        )
    return Comment(
        id=ctx.new_id("cmt"),
        task_id=task.id,
        workflow_id=task.workflow_id,
        actor=ctx.actor,
        created_at=ctx.now + place,
        session_id=session.id if session else "",
        path=path,
        line=line,
        side=said.get("side") or NEW,
        text=said["text"],
    )


def comment_row(ctx: Context, task: Task, one: Comment, refs: dict[str, str]) -> CommentRow:
    """A comment of a task; `refs` are what people call the sessions that were read already."""
    if one.session_id and one.session_id not in refs:
        session = ctx.ledger.find_one(Session, one.session_id)
        refs[one.session_id] = session.ref if session else one.session_id
    row: Any = {"comment_id": one.id, "task_id": task.ref, **_where(one)}
    if one.session_id:
        row["session_id"] = refs[one.session_id]
    row |= {"text": one.text, "status": one.status, "by": one.actor, "created_at": iso(one.created_at)}
    if one.resolved_at is not None:
        row |= {"resolved_by": one.resolved_by, "resolved_at": iso(one.resolved_at)}
    found: CommentRow = row
    return found


def _where(one: Comment) -> Json:
    where: Json = {"path": one.path} if one.path else {}
    if one.line is not None:
        where |= {"line": one.line, "side": one.side}
    return where


def open_comments(ctx: Context, task: Task) -> list[Comment]:
    """What people said that is not settled, in the order they said it."""
    return list(every(ctx.ledger, Comment, {"task_id": task.id, "status": OPEN}, oldest=True))


def feedback(ctx: Context, task: Task) -> list[Json]:
    """Answers and open comments for the next agent on the task: the last that fit, after how many more there are."""
    where = {"task_id": task.id, "status": OPEN}
    found = ctx.ledger.find(Comment, where, limit=MOST_TOLD)
    told = page.fitting([_told(one) for one in found], room=ROOM_TOLD)[::-1]
    answers = answers_on(ctx, task)
    if len(told) == len(found) < MOST_TOLD:
        return [*answers, *told]
    left = ctx.ledger.count(Comment, where) - len(told)
    cut = [{"left_out": left, "hint": f"comment_list {task.ref} has all"}] if left else []
    return [*answers, *cut, *told]


def feedback_in(ctx: Context, workflow_id: str) -> list[Json]:
    """The same of all tasks of a workflow that are not over, each with its task."""
    counts = ctx.ledger.tally(Comment, "task_id", {"workflow_id": workflow_id, "status": OPEN})
    known = [task for task_id in counts if (task := ctx.ledger.find_one(Task, task_id)) and task.status not in OVER]
    refs = {task.id: task.ref for task in known}
    found = [
        one
        for task_id in refs
        for one in ctx.ledger.find(Comment, {"task_id": task_id, "status": OPEN}, limit=MOST_TOLD)
    ]
    newest = sorted(found, key=ctx.ledger.sort_key, reverse=True)[:MOST_TOLD]
    told = page.fitting([{"task_id": refs[one.task_id], **_told(one)} for one in newest], room=ROOM_TOLD)[::-1]
    left = sum(counts[task_id] for task_id in refs) - len(told)
    return [{"left_out": left, "hint": "task_get has those of a task"}, *told] if left else told


def _told(one: Comment) -> Json:
    told = {**_where(one), "text": one.text, "by": one.actor, "comment_id": one.id}
    if len(one.text) <= LONGEST_TOLD:
        return told
    cut = f"it has {len(one.text):,} characters: comment_list has all"
    return {**told, "text": f"{one.text[:LONGEST_TOLD]}…", "cut": cut}


def feedback_text(rows: list[Json]) -> str:
    """The same for a prompt: each with its place, quoted line by line, because it is somebody's text."""
    return "\n".join(
        f"- {_place(row)}\n{quoted(str(row['text']))}" if "text" in row else _left_out(row) for row in rows
    )


def _left_out(row: Json) -> str:
    left = row["left_out"]
    return f"- {left:,} earlier {'comment is' if left == 1 else 'comments are'} left out here: {row['hint']}"


def _place(row: Json) -> str:
    if "question" in row:
        return f"The answer to “{UNSEEN.sub(' ', plain(str(row['question'])))}”:"
    where = str(row.get("path", "")) + (f":{row['line']}" if "line" in row else "")
    said = code(where) if where else "On all of it"
    said += " (as it was before)" if "line" in row and row["side"] != NEW else ""
    return f"{said} ({row['cut']}):" if "cut" in row else f"{said}:"


def quoted(text: str) -> str:
    """Text of others for a prompt, line by line, without what could hide some of it."""
    return "\n".join(f"  > {UNSEEN.sub(' ', plain(line))}".rstrip() for line in text.splitlines())
