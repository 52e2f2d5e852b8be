"""The switches on operations. Every operation belongs to one; off means not listed and refused by name."""

from __future__ import annotations

from deedlog.core.errors import Invalid, Part
from deedlog.core.value import Value
from deedlog.core.words import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class Capability(Value):
    """`toggle` is what clients of the orchestrator know it by (`mcp_info`).

    An `inner` one is for programs of ours alone: it is not told of, and no call switches it.
    """

    name: str
    summary: str
    on: bool = True
    toggle: str = ""
    inner: bool = False


def _module(name: str, toggle: str, summary: str, *, on: bool = False) -> Capability:
    return Capability(name=name, toggle=toggle, summary=summary, on=on)


SWITCH = "mcp-introspection"  # has the switch of the others: a call that switched it off could not be taken back
CAPABILITIES = {
    capability.name: capability
    for capability in (
        Capability(name="tracking", summary="Record workflows and tasks: decisions, issues, what changed"),
        Capability(name="tasks", summary="Plan tasks, run them with workers in work trees, and the memory bank"),
        Capability(name="authoring", summary="Define agents, and keep the memory bank and its history"),
        Capability(name="clarify", summary="Make requests clear and record decisions as ADR files"),
        Capability(name="supervision", summary="What only the supervisor of a worker tells", on=False, inner=True),
        Capability(name="ledger", summary="Read, follow, search and undo what was recorded"),
        Capability(name="graphs", summary="Make, read, check and change graphs; a workflow's tasks are one"),
        Capability(name="plans", summary="Run a workflow: its ready tasks go to workers until all are done"),
        Capability(name="gateway", summary="Find, mount and call other MCP servers"),
        _module(SWITCH, "enableMcpIntrospection", "What this server is and offers", on=True),
        _module("resources", "enableResources", "List, read and watch sc:// resources", on=True),
        _module("events-bus", "enableEventsBus", "Subscribe to events by filters, and tail logs"),
        _module("cancellation", "enableCancellation", "Cancel operations and runs, with all they started"),
        _module("tx", "enableTx", "Change a graph in a transaction"),
        _module("bulk", "enableBulk", "Many changes at once, all or nothing"),
        _module("idempotency", "enableIdempotency", "An idempotency_key on everything that changes something"),
        _module("locks", "enableLocks", "Hold a graph alone for a while"),
        _module("diff-patch", "enableDiffPatch", "Compare versions of a graph, and patch it"),
        _module("plan-lifecycle", "enablePlanLifecycle", "Follow, pause and resume runs"),
        _module("child-ops-fine", "enableChildOpsFine", "Spawn, attach, adjust and talk to worker processes"),
        _module("values-explain", "enableValuesExplain", "Why a plan fits the project's values or does not"),
        _module("assist", "enableAssist", "Plans suggested from finished work"),
        _module("bt", "enableBT", "Behaviour trees, compiled into runs"),
        _module("reactive-scheduler", "enableReactiveScheduler", "Runs in which what waits longest comes first"),
        _module("blackboard", "enableBlackboard", "A blackboard of entries with tags and expiry"),
        _module("stigmergy", "enableStigmergy", "Marks on nodes that fade and draw workers"),
        _module("cnp", "enableCNP", "Announce tasks to agents and award them to the best bid"),
        _module("consensus", "enableConsensus", "Votes by majority, quorum or weight"),
        _module("autoscaler", "enableAutoscaler", "As many workers as the backlog needs"),
        _module("supervisor", "enableSupervisor", "Workers that stall are stopped and tried again"),
        _module("knowledge", "enableKnowledge", "A graph of facts, fed from finished work"),
        _module("causal-memory", "enableCausalMemory", "What led to an outcome, from the log"),
        _module("value-guard", "enableValueGuard", "Values that a plan is scored and filtered by"),
    )
}


def known(name: str) -> str:
    """`name`, refused with the nearest one when there is no such capability."""
    if name not in CAPABILITIES:
        told = [each for each, one in CAPABILITIES.items() if not one.inner]
        hint = did_you_mean(name, told, f"known: {', '.join(told)}")
        raise Invalid(f"there is no capability {name!r}", hint=hint, part=Part.CONFIGURATION)
    return name


def is_inner(name: str) -> bool:
    return name in CAPABILITIES and CAPABILITIES[name].inner


def summary_of(name: str) -> str:
    """What a capability is for; nothing of an inner one. What is not ours is a plug-in's."""
    if name not in CAPABILITIES:
        return f"Operations of the plug-in {name}"
    return "" if CAPABILITIES[name].inner else CAPABILITIES[name].summary


def enabled(enable: Iterable[str], disable: Iterable[str]) -> frozenset[str]:
    """The capabilities that are on; switching off wins."""
    default = {name for name, capability in CAPABILITIES.items() if capability.on}
    return frozenset((default | {known(n) for n in enable}) - {known(n) for n in disable})
