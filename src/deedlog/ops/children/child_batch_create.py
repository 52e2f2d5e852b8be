from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Any, NotRequired, TypedDict

from deedlog.core import limits as bounds
from deedlog.core.caller import ANYONE
from deedlog.core.errors import Conflict, DeedlogError, Invalid
from deedlog.core.task import Session
from deedlog.operation.define import Effect, Field, operation
from deedlog.ports import Context
from deedlog.work.child_inputs import Sandbox, names, variables
from deedlog.work.child_rows import find_child
from deedlog.work.child_starting import started_row
from deedlog.work.child_undoing import is_taken_back, partial, roll_back
from deedlog.work.spawning import Ask, Spawning, failed_to_start, until_ready

MOST_CHILDREN = 16
READY_MS = 60_000


class Entry(TypedDict):
    prompt: NotRequired[Annotated[str, Field("What it shall do", max_length=100_000)]]
    role: NotRequired[Annotated[str, Field("Its role", max_length=120)]]
    agent: NotRequired[Annotated[str, Field("Agent", max_length=80)]]
    command: NotRequired[Annotated[str, Field("Or a program", max_length=4_096)]]
    args: NotRequired[Annotated[list[str], Field("Its arguments", max_items=200)]]
    model_hint: NotRequired[str]
    limits: NotRequired[dict[str, float]]
    metadata: NotRequired[dict[str, Any]]
    task_id: NotRequired[Annotated[int, Field("Work on this task", minimum=1)]]
    workflow_id: NotRequired[str]
    interactive: NotRequired[bool]
    sandbox: NotRequired[Sandbox]
    idempotency_key: NotRequired[Annotated[str, Field("Of this child", max_length=200)]]


class Created(TypedDict):
    children: list[dict[str, Any]]
    created: int
    idempotent_entries: int
    op_id: str
    warnings: NotRequired[list[str]]


@operation(
    Effect.DESTROY,
    capability="bulk",
    callers=ANYONE,
    also="child-ops-fine",
    settles=True,
    waits=True,
    retold_by="retold",
    words="child batch",
    examples=('deedlog child batch \'[{"prompt": "a"}, {"prompt": "b", "role": "tester"}]\'',),
)
def child_batch_create(
    ctx: Context,
    *,
    entries: Annotated[list[Entry], Field("As child_spawn and child_create have them", max_items=MOST_CHILDREN)],
) -> Created:
    """Start up to 16 children, all or none.

    Where one fails the others are stopped and their work trees removed.
    """
    if not entries:
        raise Invalid("entries: name at least one child", data={"field": "entries"})
    asks = _asks(entries)
    known = _known(ctx, asks)
    with Spawning(ctx) as children:
        for index, ask in enumerate(asks):
            if index not in known:
                ctx.peer.progress(index, len(asks), "making the work trees")
                try:
                    children.add(ask)
                except DeedlogError as error:
                    raise partial([(index, error, "prepare", ask)]) from error
        answer: Created = children.commit(lambda started, warnings: _answer(ctx, asks, known, started, warnings))
    return _running(ctx, asks, known, answer)


def retold(ctx: Context, answer: Created, *, entries: list[Entry]) -> Created:
    """The answer to a repeated call, refused like the first one where that took its children back.

    So it is where nobody was left to take them back: then this does.
    """
    known = {index for index, row in enumerate(answer["children"]) if row["idempotent"]}
    told = _running(ctx, _asks(entries), known, answer)
    rows = [started_row(ctx, find_child(ctx, row["child_id"])) | {"idempotent": True} for row in told["children"]]
    return {**told, "children": rows, "created": 0, "idempotent_entries": len(rows)}


def _asks(entries: list[Entry]) -> list[Ask]:
    found, wrong = [], []
    keys: set[str] = set()
    for index, entry in enumerate(entries):
        try:
            ask = _ask(entry)
            if ask.key and ask.key in keys:
                raise Invalid(f"idempotency_key {ask.key[:40]!r} is there twice")
            keys.add(ask.key)
            found.append(ask)
        except DeedlogError as error:
            wrong.append((index, error, "validate", None))
    if wrong:
        raise partial(wrong)
    return found


def _ask(entry: Entry) -> Ask:
    box = entry.get("sandbox", {})
    if not entry.get("prompt") and not entry.get("command") and "task_id" not in entry:
        raise Invalid("prompt: one of prompt, command and task_id is needed")
    if entry.get("args") and not entry.get("command"):
        raise Invalid("args: are those of a command, and there is none")
    return Ask(
        prompt=entry.get("prompt", ""),
        role=entry.get("role", ""),
        agent=entry.get("agent"),
        command=[entry["command"], *entry.get("args", [])] if entry.get("command") else [],
        model=entry.get("model_hint", ""),
        limits=bounds.checked(entry.get("limits")),
        metadata=entry.get("metadata", {}),
        task_id=entry.get("task_id"),
        workflow_id=entry.get("workflow_id"),
        profile=box.get("profile", ""),
        inherit=box.get("inherit_default_env"),
        allow=names(box.get("allow_env")),
        env=variables(box.get("env"), "sandbox.env"),
        interactive=entry.get("interactive", False),
        key=entry.get("idempotency_key", ""),
    )


def _known(ctx: Context, asks: list[Ask]) -> dict[int, Session]:
    """The children that were started under these keys before."""
    found: dict[int, Session] = {}
    wrong = []
    for index, ask in enumerate(asks):
        used = ctx.ledger.find(Session, {"key": ask.key}, limit=1) if ask.key else []
        if used and used[0].asked == ask.digest and not is_taken_back(used[0]):
            found[index] = used[0]
        elif used:
            then = ", which was taken back" if is_taken_back(used[0]) else ""
            message = f"idempotency_key {ask.key[:40]!r} was used for {used[0].ref}{then}"
            wrong.append((index, Conflict(message, hint="use a new key"), "validate", ask))
    if wrong:
        raise partial(wrong)
    return found


def _answer(ctx: Context, asks: list[Ask], known: dict[int, Session], started: Any, warnings: list[str]) -> Created:
    new = iter(started)
    rows = []
    for index in range(len(asks)):
        if index in known:
            rows.append(started_row(ctx, known[index]) | {"idempotent": True})
        else:
            task, session = next(new)
            rows.append(started_row(ctx, session, task) | {"idempotent": False})
    answer: Created = {
        "children": rows,
        "created": len(asks) - len(known),
        "idempotent_entries": len(known),
        "op_id": ctx.op_id,
    }
    if warnings:
        answer["warnings"] = warnings
    return answer


def _running(ctx: Context, asks: list[Ask], known: Collection[int], answer: Created) -> Created:
    """The answer once all of them run; where one could not be started, none of them is left."""
    mine = [(i, find_child(ctx, row["child_id"])) for i, row in enumerate(answer["children"]) if i not in known]
    sessions = until_ready(ctx, [session for _, session in mine], READY_MS)
    lost = [(i, session) for (i, _), session in zip(mine, sessions, strict=True) if failed_to_start(session)]
    if lost:
        roll_back(ctx, sessions)
        raise partial([(i, Conflict(one.error["message"]), "start", asks[i]) for i, one in lost])
    for (i, _), session in zip(mine, sessions, strict=True):
        answer["children"][i] |= started_row(ctx, session)
    return answer
