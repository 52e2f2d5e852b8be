"""The calls that a worker can make through the socket of its supervisor: to report on its own task, and to ask.

The supervisor fills in what names the task and the session. Each side sends lines of JSON. The supervisor begins, with
`{"challenge": …}`. A request is `{"proof": …, "body": …}`, and so is its answer. The body is a text, again of JSON:
`{"nonce": …, "id": 1, "name": "log_milestone", "arguments": {…}, "idempotency_key": …}`, then
`{"id": 1, "result": …}` or `{"id": 1, "error": {"kind": …, "message": …, "hint": …, "part": …, "data": {…}}}`.

The secret in the worker's environment is never sent. Both proofs are made with it, of the body and of what the other
side chose. So another program at the socket's place learns no secret, can repeat no request and make up no answer.
The answer to a request without a good proof has none either.
"""

from __future__ import annotations

from deedlog.core.errors import (
    Conflict,
    DeedlogError,
    Denied,
    Invalid,
    NotFound,
    NotWritten,
    Part,
    Unavailable,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

SOCKET, SOCKET_PROOF = (
    "DEEDLOG_SOCKET",
    "DEEDLOG_SOCKET_PROOF",
)  # where a worker reaches its supervisor, and how it proves itself
VARIABLES = ("DEEDLOG_WORKER", "DEEDLOG_TASK_ID", "DEEDLOG_SESSION_ID", SOCKET, SOCKET_PROOF)  # of every worker
TASK, SESSION, EPOCH = "task", "session", "epoch"
CALLS: dict[str, dict[str, str]] = {  # with the inputs that the supervisor fills in
    "log_milestone": {"task_id": TASK},
    "log_decision": {"task_id": TASK},
    "log_issue": {"task_id": TASK},
    "question_ask": {"task_id": TASK, "session_id": SESSION},
    "question_get": {"task_id": TASK},
    "task_heartbeat": {"id": TASK, "epoch": EPOCH},
    "task_get": {"id": TASK},
    "task_report": {"task_id": TASK},
    "memory_list": {},
    "memory_get": {},
}
LONGEST_LINE = 256 * 1024
COMMANDS = ("mcp serve", "help", "completion")  # that need no store
ENDING = ("complete_task", "complete_workflow", "session_end", "task_done", "task_release", "worker_done")
BEGINNING = ("start_workflow", "start_task", "session_start", "task_next")
KINDS: dict[str, type[DeedlogError]] = {
    kind.kind: kind for kind in (Invalid, NotFound, Conflict, Denied, Unavailable, NotWritten)
}
CAN = "log_milestone, log_decision, log_issue and task_heartbeat report; question_ask asks a person"
GUIDE = """\
You are a worker of Deedlog: you work on one task, and Deedlog records what you do. Your task is filled in by itself.

1. `log_milestone` says how far you are, so that people can watch: at most 5 times.
2. `log_decision` records an important decision, `log_issue` a problem and how you solved it: at most 3 of each.
3. `question_ask` asks a person; `question_get` with `wait_seconds` waits for the answer. Ask only what you cannot \
decide yourself, and go on with the rest meanwhile.
4. `task_get` reads your task with the feedback of people, `memory_list` what the project has decided.

Do not complete the task: commit your work, say in your last message what you did and what is left, and exit. Deedlog \
judges the work then.
"""


def refusal(name: str) -> Denied:
    """Say what a worker does instead of a call that it cannot make."""
    if name in ENDING:
        message = f"a worker cannot use {name}: its session ends when it exits"
        hint = "commit your work, say in your last lines what you did and what is left, then exit; it is judged then"
    elif name in BEGINNING:
        message = f"a worker cannot use {name}: its task is begun already, and it has only this one"
        hint = f"just work on it; {CAN}"
    else:
        message = f"a worker cannot use {name}: it reports on its own task only"
        hint = CAN
    return Denied(message, hint=hint, data={"operation": name[:80]})


def as_error(error: DeedlogError) -> Json:
    return {
        "kind": error.kind,
        "message": error.message,
        "hint": error.hint,
        "part": str(error.part),
        "data": error.data,
    }


def from_error(said: Json) -> DeedlogError:
    """The refusal that an answer holds."""
    known = KINDS.get(str(said.get("kind")))
    part = said.get("part")
    data = said.get("data")
    made = (known or DeedlogError)(
        str(said.get("message", "")),
        hint=str(said.get("hint", "")),
        part=Part(part) if part in set(Part) else Part.REQUEST,
        data=data if isinstance(data, dict) else {},
    )
    if known is None:
        made.kind = "unexpected"
    return made
