"""Making ready what a worker needs: a session's number, a work tree, its files in it, and the state it starts from."""

from __future__ import annotations

from deedlog.core.agent import BUILT_IN, Agent
from deedlog.core.errors import Conflict, DeedlogError, Invalid, Unavailable
from deedlog.core.launch import CLIENTS, PROMPT_FILE, Launch, launch, prompt, reporting
from deedlog.core.task import Session, Task
from deedlog.core.value import Value
from deedlog.core.violation import WITHIN, joined
from deedlog.core.violation import limits as limits_writing
from deedlog.work import memory_bank
from deedlog.work.agents import find_agent
from deedlog.work.carrying import bring, carried, told
from deedlog.work.current import limits
from deedlog.work.lookup import every
from deedlog.work.records import recorded
from deedlog.work.repository_changes import fingerprint
from deedlog.work.upkeep import forget

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from deedlog.ports import Context, Worktree

TREES = ".deedlog/worktrees"
DEFAULT_AGENT = "coder"
EVERYWHERE = (["**/*"], ["**"], ["*"])
CONTEXT = """\
You work on task #{number} of this project in a work tree of your own, on the branch `{branch}`.
The whole task and its limits are in `{prompt_file}`.
{reporting}
{memory}
"""


class Wanted(Value):
    """How a task shall be worked on."""

    agent: Agent
    client: str
    auto: bool
    supervised: bool
    scope: dict[str, list[str]]
    group: str = ""
    key: str = ""
    timeout_seconds: int | None = None
    target: str = ""
    budget: dict[str, float] = {}  # noqa: RUF012  # values are never changed in place
    interactive: bool = False
    warnings: list[str] = []  # noqa: RUF012


class Prepared(Value):
    """A session that is not committed yet, how it is run, and what to tell about it."""

    session: Session
    launch: Launch
    warnings: list[str]


def agent_for(ctx: Context, task: Task, name: str | None) -> Agent:
    """The agent named, else the one the task is assigned to, else the one for everything."""
    if name is None and task.assignee and (task.assignee in BUILT_IN or ctx.ledger.find_one(Agent, task.assignee)):
        return find_agent(ctx, task.assignee)
    return find_agent(ctx, name or DEFAULT_AGENT)


def wanted(
    ctx: Context,
    task: Task,
    *,
    agent: Agent | str | None,
    client: str | None,
    scope: Mapping[str, Any],
    auto: bool,
    supervised: bool,
) -> Wanted:
    found = agent if isinstance(agent, Agent) else agent_for(ctx, task, agent)
    chosen = client or found.client
    if chosen not in CLIENTS and not (found.command and chosen == found.client):
        raise Invalid(
            f"nobody knows how to run the client {chosen[:80]!r} of agent {found.name!r}",
            hint=f"known are: {', '.join(CLIENTS)}; for any other the agent needs a command",
            data={"field": "client"},
        )
    program = (found.command if found.command and chosen == found.client else CLIENTS[chosen].start)[0]
    if supervised and not ctx.workers.finds(program):
        raise Unavailable(
            f"there is no program {program[:80]!r} on this machine: agent {found.name!r} needs it",
            hint="install it, or name another agent, or a client that is installed",
            data={"field": "client"},
        )
    if scope and (_declared(found, task, {}) or task.scope or limits(ctx, task.workflow_id)):
        ctx.need_person("scope", f"{task.ref} has a scope: another one for its worker needs a person")
    current = None if _declared(found, task, scope) else limits(ctx, task.workflow_id)
    written = {"write": current.patterns} if current else {}
    return Wanted(
        agent=found,
        client=chosen,
        auto=auto,
        supervised=supervised,
        scope=joined(joined(joined(found.scope, task.scope), scope), written) | _bounds(found, task),
        warnings=[current.told("it may write what is", "give a scope to let it write elsewhere")] if current else [],
    )


def _bounds(agent: Agent, task: Task) -> dict[str, list[str]]:
    """The limits of a worker's own agent hold too where another agent gave its task a scope."""
    own = agent.scope.get("write")
    return {WITHIN: list(own)} if own is not None and task.scope_by and limits_writing(own) else {}


def _declared(agent: Agent, task: Task, scope: Mapping[str, Any]) -> bool:
    """Whether somebody said what a worker may write. An agent that may write everything says nothing of a task."""
    if "write" in scope or "write" in task.scope or (task.areas and not task.clarified):
        return True
    return agent.scope.get("write") not in (None, *EVERYWHERE)


def prepare(ctx: Context, task: Task, how: Wanted, *, first: bool) -> Prepared:
    """Make everything of a session but its entry in the log; `first` of its task has the shorter name."""
    number = ctx.ledger.next_number(Session)
    made = _tree(ctx, task, how, number, first=first)
    try:
        started = _filled(ctx, task, how, number, made)
        snapshot = ctx.snapshots.take(ctx.new_id("snap"), made.path)
        earlier = carried(ctx, task)
        brought = _brought(ctx, task, how, made, started, earlier) if earlier else []
    except DeedlogError:
        ctx.worktrees.remove(made.path, made.branch)
        raise
    session = Session(
        id=ctx.new_id("session"),
        number=number,
        task_id=task.id,
        workflow_id=task.workflow_id,
        actor=ctx.actor,
        tree=snapshot.tree,
        worktree=f"{TREES}/{made.path.rpartition('/')[2]}",
        branch=made.branch,
        target=made.target,
        base=made.base,
        snapshot_id=snapshot.id,
        snapshot_type=snapshot.type,
        snapshot_at=snapshot.at,
        started_at=ctx.now,
        agent=how.agent.name,
        client=how.client,
        model=how.agent.model,
        group=how.group,
        key=how.key,
        epoch=task.epoch,
        command=started.argv,
        stdin=started.stdin,
        fingerprint=fingerprint(ctx),
        auto=how.auto,
        scope=how.scope,
        timeout_seconds=how.timeout_seconds,
        budget=how.budget,
        interactive=how.interactive,
        speech=started.speech,
        goes_on=earlier.id if earlier else "",
    )
    warnings = [*how.warnings, *made.warnings, *snapshot.warnings, *brought]
    return Prepared(session=session, launch=started, warnings=warnings)


def undo(ctx: Context, prepared: Prepared) -> None:
    """Take back what was made for a session that was never committed."""
    session = prepared.session
    forget(ctx, session.tree, [session.snapshot_id])
    ctx.worktrees.remove(path_of(ctx, session), session.branch)


def path_of(ctx: Context, session: Session) -> str:
    """Where the work tree of a session is, or was, on this machine."""
    return f"{ctx.root}/{session.worktree}"


def has_tree(ctx: Context, task: Task) -> bool:
    """Whether a session of this task had the work tree with the shorter name."""
    short = f"{TREES}/{task.ref}"
    return any(session.worktree == short for session in every(ctx.ledger, Session, {"task_id": task.id}))


def _tree(ctx: Context, task: Task, how: Wanted, number: int, *, first: bool) -> Worktree:
    branch = f"{ctx.settings['branch_prefix']}{task.number}-s{number}"
    target = how.target or ctx.worktrees.target(ctx.settings["base_branch"])
    exclude = how.scope.get("exclude", [])
    if first:
        try:
            return ctx.worktrees.make(task.ref, branch, target, exclude)
        except Conflict:  # another attempt was faster, or left it behind
            pass
    return ctx.worktrees.make(f"{task.ref}-s{number}", branch, target, exclude)


def _filled(ctx: Context, task: Task, how: Wanted, number: int, made: Worktree) -> Launch:
    """Write our files into a work tree; how the worker is run there."""
    started = launch(
        how.client,
        model=how.agent.model,
        command=how.agent.command if how.client == how.agent.client else (),
        auto=how.auto,
        supervised=how.supervised,
        sandboxed=how.supervised and ctx.workers.enforcement() != "none",
        talking=how.interactive,
        words={
            "worktree": made.path,
            "task_id": str(task.number),
            "session_id": str(number),
            "branch": made.branch,
        },
    )
    said = told(ctx, task, carried(ctx, task))
    _put(ctx, task, how.agent, how.scope, made.branch, made.path, started.context_file, said, reports=how.supervised)
    return started


def _brought(ctx: Context, task: Task, how: Wanted, made: Worktree, started: Launch, session: Session) -> list[str]:
    """Let the tree begin with the work that a person sent back; what to tell where that does not fit."""
    if bring(ctx, session, how.scope, made.path):
        said = told(ctx, task, session, is_here=True)
        place = (made.branch, made.path, started.context_file)
        _put(ctx, task, how.agent, how.scope, *place, said, reports=how.supervised)
        return []
    return [f"the work of session {session.number} does not fit any more: the worker is told of its branch instead"]


def put_back(ctx: Context, task: Task, session: Session) -> None:
    """Write our files into a work tree that was made anew."""
    agent = ctx.ledger.find_one(Agent, session.agent) or BUILT_IN.get(session.agent) or BUILT_IN[DEFAULT_AGENT]
    own_command = agent.command and session.client == agent.client
    known = None if own_command else CLIENTS.get(session.client)
    context_file = known.context_file if known else ""
    place = (session.branch, path_of(ctx, session), context_file)
    _put(ctx, task, agent, session.scope, *place, told(ctx, task), reports=bool(session.host))


def _put(
    ctx: Context,
    task: Task,
    agent: Agent,
    scope: dict[str, list[str]],
    branch: str,
    path: str,
    context_file: str,
    feedback: str,
    *,
    reports: bool = False,
) -> None:
    records = recorded(ctx, ctx.records.of(path))
    memory = memory_bank.preview(ctx, records=records)
    text = prompt(task, agent, scope=scope, memory=memory, branch=branch, feedback=feedback, reports=reports)
    files = {PROMPT_FILE: text}
    if context_file:
        said = {"number": task.number, "branch": branch, "prompt_file": PROMPT_FILE, "memory": memory}
        lines = "\n".join(["", *reporting(task), ""] if reports else [""])
        files[context_file] = CONTEXT.format(**said, reporting=lines)
    ctx.worktrees.put(path, files)
    entries = {f"{memory_bank.PREFIX}{name}": text for name, text in memory_bank.files(ctx, records).items()}
    ctx.worktrees.put(path, entries, read_only=True)
