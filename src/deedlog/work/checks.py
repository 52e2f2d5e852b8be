"""The definition of done: commands that must succeed on a fresh checkout of the commit that a merge would make."""

from __future__ import annotations

import sys

from deedlog.core.check import checks_of, failed
from deedlog.core.entry import digest
from deedlog.core.errors import Conflict, Denied, Part
from deedlog.core.trust import MERGE_NEEDS, REMOVED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from deedlog.core.agent import Agent
    from deedlog.core.task import Task
    from deedlog.core.trust import Brought
    from deedlog.ports import CheckRun, Context, Merging, Proposal

    Json = dict[str, Any]

MOST_OUTPUT = 2_000  # characters of a check's output that are recorded, from its end
PREPARE = "prepare"
HOOKS = ("pre-merge-commit", "pre-commit")  # for a merge, and for all else
HOOK_SECONDS = 600


def required_of(ctx: Context, task: Task, agent: Agent | None) -> list[Json]:
    """All checks that must run before the work on a task is merged."""
    refuse_unapproved(ctx)
    return _declared(ctx, task, agent)


def are_required(ctx: Context, task: Task, agent: Agent | None) -> bool:
    """Whether something must be checked, approved or not."""
    return bool(_unapproved(ctx) or ctx.trust.faults() or _declared(ctx, task, agent))


def _declared(ctx: Context, task: Task, agent: Agent | None) -> list[Json]:
    return checks_of(ctx.settings["checks"], agent.checks if agent else [], task.checks)


def refuse_unapproved(ctx: Context) -> None:
    """Refuse to merge while checks of the repository have no effect: a merge would skip them."""
    if waiting := _unapproved(ctx):
        names, ids = " and ".join(one.name for one in waiting), " ".join(one.id for one in waiting)
        gone = all(one.state == REMOVED for one in waiting)
        raise Denied(
            f"the repository's {names} were removed, and no person approved that: deedlog trust"
            if gone
            else f"the repository's {names} are not approved yet: deedlog trust",
            hint=f"a person looks at them and approves them: deedlog trust approve {ids}",
            part=Part.CONFIGURATION,
            data={"waiting": ids.split()},
        )
    if faults := ctx.trust.faults():
        raise Denied(
            "the repository's settings have a mistake, so its checks may be missing",
            hint="a person corrects .deedlog/config.toml",
            part=Part.CONFIGURATION,
            data={"said": "\n".join(faults)},  # text of the repository, so no part of the message
        )


def _unapproved(ctx: Context) -> list[Brought]:
    return [one for one in ctx.trust.brought() if one.waits and one.name in MERGE_NEEDS]


def run(ctx: Context, merging: Merging, proposal: Proposal, message: str, required: Sequence[Json]) -> list[Json]:
    """The result of each command, in order, on a fresh checkout of what is proposed."""
    hooks = _hooks(ctx, proposal)
    if not required and not hooks:
        return []
    ctx.peer.progress(0, len(required) + 1, "checking out the result")
    folder = merging.checkout(proposal.commit)
    hooks = [name for name in hooks if merging.has_hook(name)]
    rows = _hooked(ctx, merging, proposal, message, folder, hooks) if hooks else []
    if hooks and required and not failed(rows):
        folder = merging.checkout(proposal.commit)  # hooks may have changed anything in the first one
    rows += [] if failed(rows) or not required else _prepared(ctx, merging, proposal, folder)
    for place, check in enumerate(required if not failed(rows) else ()):
        ctx.peer.progress(place + 1, len(required) + 1, f"check {check['label']}")
        rows.append(_run(ctx, check, folder))
    return rows


def _hooks(ctx: Context, proposal: Proposal) -> list[str]:
    if not ctx.settings["merge_hooks"]:
        return []
    return [HOOKS[0] if proposal.how == "merge" else HOOKS[1], "commit-msg"]


def _hooked(
    ctx: Context, merging: Merging, proposal: Proposal, message: str, folder: str, hooks: Sequence[str]
) -> list[Json]:
    """Run the user's hooks as checks, in a checkout that looks as git has it right before the commit."""
    words = {"commit-msg": ["--", merging.staging(proposal.onto, message)]}
    checks = [
        {
            "label": f"hook {name}",
            "command": ["git", "hook", "run", name, *words.get(name, [])],
            "timeout": HOOK_SECONDS,
            "required": True,
        }
        for name in hooks
    ]
    return [_run(ctx, check, folder) for check in checks]


def _prepared(ctx: Context, merging: Merging, proposal: Proposal, folder: str) -> list[Json]:
    """Make the checkout ready, for example install dependencies; from an earlier merge where no lock file changed."""
    commands: list[Json] = ctx.settings["prepare"]
    if not commands:
        return []
    locks = merging.objects(proposal.commit, [name for row in commands for name in row.get("lock_files", [])])
    key = digest([[row["command"] for row in commands], locks, sys.platform])[:32] if locks else ""
    if key and merging.unstash(key, proposal.commit):
        return []
    rows = []
    for row in commands:
        ctx.peer.progress(0, None, f"prepare: {row['command'][0]}")
        rows.append(_run(ctx, {"label": PREPARE, "required": True, **row}, folder))
        if failed(rows):
            return rows
    if key:
        merging.stash(key, proposal.commit)
    return rows


def _run(ctx: Context, check: Json, folder: str) -> Json:
    found = ctx.workers.check(check["command"], folder, float(check["timeout"]), ctx.peer.cancelled)
    if ctx.peer.cancelled():
        raise Conflict("the call was cancelled while it checked the work", hint="call worker_done again")
    return _row(check, found)


def _row(check: Json, found: CheckRun) -> Json:
    row: Json = {
        "label": check["label"],
        "passed": found.exit_code == 0,
        "required": check["required"],
        "exitCode": found.exit_code,
        "seconds": round(found.seconds, 3),
        "output": found.output[-MOST_OUTPUT:],
        "enforcement": found.enforcement,
    }
    return row | ({"problem": found.problem} if found.problem else {})
