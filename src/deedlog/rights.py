"""Rights of callers: what needs a person, who counts as one, and how a person approves one call of an agent."""

from __future__ import annotations

import os

from deedlog.core.caller import INTERNAL, Kind
from deedlog.core.errors import DeedlogError, Denied, NeedsPerson
from deedlog.ports import Silent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.app import App, Caller
    from deedlog.operation.define import Operation

    Json = dict[str, Any]

MOST_CAUSE = 500
EVERYTHING = "*"
FORCE = "worker_done.force"


def is_person(app: App, caller: Caller) -> bool:
    """Whether a person calls, or approved this call."""
    return _has_rights(app, caller) or bool(caller.approval)


def _has_rights(app: App, caller: Caller) -> bool:
    """Whether all calls of this caller are a person's: the user may give the token these rights."""
    trusted = caller.kind is Kind.PROGRAM and app.settings["token_rights"] == Kind.PERSON
    return caller.kind is Kind.PERSON or trusted


def may(app: App, caller: Caller, what: str) -> bool:
    """Whether a caller may do what needs a person, such as `worker_done.force`."""
    return caller.kind is Kind.INTERNAL or is_person(app, caller) or may_always(app, what)


def may_always(app: App, what: str) -> bool:
    """Whether the user lets every agent do it."""
    always: list[str] = app.settings["agents_may"]
    return not {EVERYTHING, what, what.partition(".")[0]}.isdisjoint(always)


def refuse_inner(app: App, op: Operation, caller: Caller) -> None:
    """Refuse what supervisors and drivers call, even where its capability is on. A person may do anything."""
    if op.callers == INTERNAL and caller.kind is not Kind.INTERNAL and not _has_rights(app, caller):
        raise Denied(f"{op.name} is for Deedlog's own programs", data={"operation": op.name})


def advise(app: App, caller: Caller, error: DeedlogError) -> None:
    """Tell an agent to turn to a person where a hint tells people how to overrule."""
    if "force" in error.hint and "needs" not in error.data and not may(app, caller, FORCE):
        error.hint = "only a person can overrule that: review_list shows what waits for one"


def check(app: App, op: Operation, arguments: Json, caller: Caller) -> None:
    """Refuse a call that needs a person."""
    for what in op.needs_person(arguments):
        if not may(app, caller, what):
            raise NeedsPerson(f"{what} needs a person", what)


def _meaning(app: App, op: Operation, arguments: Json, caller: Caller) -> Json:
    """What the arguments name now: a person approves that, not what a name stands for later."""
    from deedlog.call import Call
    from deedlog.work.meaning import meant  # only where a person is asked

    found = meant(Call(app, op, arguments, caller), op.name, arguments)
    if op.at in arguments:
        return {**found, "project": os.path.realpath(os.path.expanduser(arguments[op.at]))}
    return found


def approved(app: App, op: Operation, arguments: Json, caller: Caller, needed: NeedsPerson) -> Caller:
    """The caller with a person's approval of just this call, or the refusal that says how to get one."""
    can_ask = op.may_wait(arguments) or op.needs_person(arguments) or op.at
    asked = {
        "operation": op.name,
        "what": needed.what,
        "why": needed.message,
        "by": caller.actor,
        "arguments": arguments,
        "meaning": _meaning(app, op, arguments, caller),
    }
    said = app.ask_permission(asked, caller.peer if can_ask else Silent())
    if not said["approved"]:
        raise Denied(said["message"], hint=said["hint"], data={"needs": needed.what, **said["data"]})
    used = f"approved in {said['approved']}"
    cause = f"{caller.cause[: MOST_CAUSE - len(used) - 2]}; {used}" if caller.cause else used
    return caller.replace(approval=said["approved"], cause=cause)
