from __future__ import annotations

from typing import Annotated, TypedDict

from deedlog.core.caller import ANYONE
from deedlog.core.errors import NotFound
from deedlog.core.records.prompt import render_prompt
from deedlog.core.records.values import PROMPT_FILE, RecordFile
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.unfinished import unfinished_values


class Prompted(TypedDict):
    path: str
    task_uid: str


@operation(
    Effect.WRITE,
    capability="clarify",
    callers=ANYONE,
    people=True,
    at="repo_path",
    only_changes=True,
    waits=True,
    examples=("deedlog clarification prompt",),
)
def clarification_prompt(
    ctx: Context,
    *,
    repo_path: Annotated[str | None, Field("The repository, instead of this one")] = None,  # noqa: ARG001
) -> Prompted:
    """Write docs/AGENT_PROMPT.md: what starts an agent on the current task.

    `deedlog clarify` does so by itself. Written again where the task changed; a file of your own is left alone.
    """
    with ctx.records.writing() as writing:
        book = writing.book
        if book.task is None:
            raise NotFound("there is no current task", hint="require_clarification writes one")
        adr = next((adr for adr in book.adrs if adr.uid and adr.uid == book.task.adr), None)
        text = render_prompt(book.task, book.architecture, adr)
        answer: Prompted = {"path": PROMPT_FILE, "task_uid": book.task.uid}
        if _is_there(ctx, text):
            return answer
        writing.put([RecordFile(path=PROMPT_FILE, text=text)], {"earlier": writing.unfinished})
        answer = ctx.commit(*unfinished_values(ctx, writing.unfinished), answer=answer)
        writing.done()
        return answer


def _is_there(ctx: Context, text: str) -> bool:
    try:
        return ctx.records.text(PROMPT_FILE) == text
    except NotFound:
        return False
