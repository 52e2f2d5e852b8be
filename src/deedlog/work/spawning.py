"""Starting children: each a worker's session on a task, all that one call wants in one commit."""

from __future__ import annotations

from deedlog.core.agent import COMMAND, EVERYTHING, Agent
from deedlog.core.child import OF_A_CHILD, is_over, is_ready
from deedlog.core.entry import digest
from deedlog.core.errors import Conflict, Unavailable
from deedlog.core.launch import check_command
from deedlog.core.limits import BUDGET, limited
from deedlog.core.task import OPEN, QUEUED, Session, Task, fitting
from deedlog.core.value import Entity, Value, uris
from deedlog.core.words import one_line
from deedlog.core.workflow import Workflow
from deedlog.work.board import with_sessions
from deedlog.work.budget import allowance
from deedlog.work.finishing import sweep
from deedlog.work.lookup import repeated
from deedlog.work.preparing import Prepared, has_tree, path_of, prepare, undo, wanted
from deedlog.work.slots import Slots
from deedlog.work.starting import overlaps, refuse_unready
from deedlog.work.waiting import wait_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from deedlog.ports import Answer, Context

LONGEST_TITLE = 120
STRICT, PERMISSIVE = "strict", "permissive"
ALONE = "command"  # the agent of a child that is only a command


class Ask(Value):
    """What one child shall be. `command` is an argument list, in place of an agent."""

    prompt: str
    role: str = ""
    agent: str | None = None
    client: str | None = None
    command: list[str] = []  # noqa: RUF012  # values are never changed in place
    model: str = ""
    limits: dict[str, float] = {}  # noqa: RUF012
    metadata: dict[str, Any] = {}  # noqa: RUF012
    task_id: int | None = None
    workflow_id: str | None = None
    profile: str = ""
    inherit: bool | None = None
    allow: list[str] = []  # noqa: RUF012
    env: dict[str, str] = {}  # noqa: RUF012
    tools: list[str] = []  # noqa: RUF012
    interactive: bool = False
    key: str = ""

    @property
    def digest(self) -> str:
        return digest(self.fields())


class Spawning:
    """The children one call starts: all of them, or none.

    with Spawning(ctx) as children:
        children.add(ask)
        answer = children.commit(lambda sessions: …)
    """

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._made: list[tuple[Task, Prepared]] = []
        self._slots = Slots(ctx)
        self._kept = False

    def __enter__(self) -> Spawning:
        sweep(self._ctx)
        return self

    def __exit__(self, *_: object) -> None:
        """Let them go; where nothing was committed, nothing of them is left."""
        try:
            for _task, prepared in [] if self._kept else self._made:
                self._ctx.workers.forget_log(prepared.session.number)
                undo(self._ctx, prepared)
        finally:
            self._slots.go()

    def add(self, ask: Ask) -> None:
        """Make everything of a child but its entry in the log."""
        ctx = self._ctx
        _refuse_unkept(ctx, ask)
        _refuse_missing(ctx, ask)
        task = _task_of(ctx, ask)
        if any(task.id == other.id for other, _ in self._made):
            raise Conflict(f"{task.ref} is named twice", hint="one child at a time works on a task")
        agent = _agent_of(ask)
        scope = {"write": EVERYTHING} if ask.profile == PERMISSIVE else {}
        how = wanted(ctx, task, agent=agent, client=ask.client, scope=scope, auto=True, supervised=True)
        budget = {own: ask.limits[name] for name, own in BUDGET.items() if name in ask.limits}
        how = how.replace(
            agent=_told(how.agent, ask),
            interactive=ask.interactive,
            timeout_seconds=ctx.settings["worker_timeout"],
            budget=allowance(ctx, task, how.agent.budget, budget),
        )
        prepared = prepare(ctx, task, how, first=not (task.version and has_tree(ctx, task)))
        self._made.append((task, prepared.replace(session=_session(ctx, ask, prepared.session))))
        program = prepared.session.command[0]
        if not ctx.workers.finds(program, path_of(ctx, prepared.session)):
            raise Unavailable(f"there is no program {program[:60]!r} in its work tree", hint="commit it first")
        if ask.env:
            ctx.workers.keep_environment(prepared.session.number, ask.env)

    def commit(self, answer: Callable[[list[tuple[Task, Session]], list[str]], Answer]) -> Answer:
        """Commit them all; `answer` is told of the sessions with their tasks, and of what else to tell."""
        found: Any = repeated(lambda: self._commit(answer))
        self._kept = found["op_id"] == self._ctx.op_id  # else the same call was faster, and has children of its own
        return found  # type: ignore[no-any-return]

    def _commit(self, answer: Callable[[list[tuple[Task, Session]], list[str]], Answer]) -> Answer:
        ctx = self._ctx
        seen = self._slots.seen()
        tasks = {task.id: _again(ctx, task) for task, _ in self._made}
        placed = self._slots.filled([prepared.session for _, prepared in self._made])
        values: dict[str, Entity] = {session.uri: session for session in placed}
        for task in tasks.values():
            mine = [session for session in placed if session.task_id == task.id]
            for value in with_sessions(ctx, task, *mine):
                values.setdefault(value.uri, value)
        by_number = {session.number: session for session in placed}
        started = [(tasks[task.id], by_number[prepared.session.number]) for task, prepared in self._made]
        about = [uri for task, one in started for uri in uris(workflow=task.workflow_id, key=one.key)]
        told = answer(started, self._warnings(tasks))
        return ctx.commit(*values.values(), answer=told, seen=seen.replace(more=[*dict.fromkeys(about)]))

    def _warnings(self, tasks: dict[str, Task]) -> list[str]:
        found = [warning for _, prepared in self._made for warning in prepared.warnings]
        for task, prepared in self._made:
            found += overlaps(self._ctx, tasks[task.id], prepared.session.scope)
        return [*dict.fromkeys(found)]


def _again(ctx: Context, task: Task) -> Task:
    """The task as it is now, if it can still be worked on; a new one as it was made."""
    if not task.version:
        return task
    now = ctx.ledger.get(Task, task.id)
    refuse_unready(ctx, now, group="")
    return now


def _refuse_unkept(ctx: Context, ask: Ask) -> None:
    if ask.profile == STRICT and ctx.workers.enforcement() == "none":
        raise Unavailable(
            "sandbox.profile strict: nothing on this machine keeps a child in its scope",
            hint="install bubblewrap, or use the profile standard",
            data={"field": "sandbox.profile"},
        )
    if ask.key and (used := ctx.ledger.find(Session, {"key": ask.key}, limit=1)):
        raise Conflict(f"idempotency_key {ask.key[:40]!r} was used for {used[0].ref}", hint="use a new key")


def _refuse_missing(ctx: Context, ask: Ask) -> None:
    if ask.command and not ctx.workers.finds(ask.command[0]):
        raise Unavailable(
            f"there is no program {ask.command[0][:80]!r} on this machine",
            hint="install it, or give its path; one of the project begins with ./",
            data={"field": "command"},
        )


def _task_of(ctx: Context, ask: Ask) -> Task:
    if ask.task_id is not None:
        task = ctx.ledger.get(Task, str(ask.task_id))
        refuse_unready(ctx, task, group="")
        return task
    return Task(
        id=ctx.new_id("task"),
        number=ctx.ledger.next_number(Task),
        workflow_id=ctx.ledger.get(Workflow, ask.workflow_id).id if ask.workflow_id else "",
        name=one_line(ask.prompt, LONGEST_TITLE) or ask.role or ask.command[0],
        goal=ask.prompt,
        status=OPEN,
        assignee=ask.agent or "",
        labels=[OF_A_CHILD],
        created_at=ctx.now,
        updated_at=ctx.now,
    )


def _agent_of(ask: Ask) -> Agent | str | None:
    if not ask.command:
        return ask.agent
    check_command(ask.command)
    scope = {"read": EVERYTHING, "write": EVERYTHING, "exclude": []}
    return Agent(id=ALONE, client=COMMAND, command=ask.command, scope=scope)


def _told(agent: Agent, ask: Ask) -> Agent:
    """The agent with what this child is told beside its task."""
    more = [f"Your role: {ask.role}"] if ask.role else []
    if ask.task_id is not None:
        more += [ask.prompt] if ask.prompt else []
    more += [f"Use only these tools: {', '.join(ask.tools)}"] if ask.tools else []
    content = "\n\n".join([*([agent.prompt_content] if agent.prompt_content else []), *more])
    return agent.replace(prompt_content=content, model=ask.model or agent.model)


def _session(ctx: Context, ask: Ask, session: Session) -> Session:
    budget = session.budget
    return limited(session, ask.limits).replace(
        status=QUEUED,
        host=ctx.workers.host,
        budget=budget,
        awaited=True,
        role=ask.role,
        metadata=fitting("metadata", ask.metadata),
        environment=_environment(ask),
        key=ask.key,
        asked=ask.digest if ask.key else "",
    )


def _environment(ask: Ask) -> dict[str, Any]:
    """What is recorded of its surroundings: names, never what is in the variables."""
    inherit = ask.profile != STRICT if ask.inherit is None else ask.inherit
    found: dict[str, Any] = {"profile": ask.profile} if ask.profile else {}
    if not inherit:
        found |= {"inherit": False, "allow": ask.allow}
    if ask.env:
        found["names"] = sorted(ask.env)
    if ask.tools:
        found["told_only"] = ["tools_allow"]
    return found


def until_ready(ctx: Context, sessions: Sequence[Session], milliseconds: int) -> list[Session]:
    """The sessions once the program of each runs, or has ended; one that waits its turn is not waited for."""

    def enough(found: Sequence[Session]) -> bool:
        return all(is_ready(one) or is_over(one) or one.status == QUEUED for one in found)

    return wait_for(ctx, [session.id for session in sessions], milliseconds / 1_000, enough, lambda _: None)


def failed_to_start(session: Session) -> bool:
    return session.error.get("reason") == "launch"
