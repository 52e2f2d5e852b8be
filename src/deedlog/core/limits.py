"""What a child may use at most. Some of it nobody here can hold a process to, and that is said."""

from __future__ import annotations

from deedlog.core.errors import Invalid
from deedlog.core.words import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from deedlog.core.task import Session

WALLCLOCK, IDLE, MEMORY = "wallclock_ms", "idle_ms", "memory_mb"
TOKENS, COST = "tokens", "cost_usd"
MESSAGES, BYTES_IN, BYTES_OUT = "messages", "bytes_in", "bytes_out"
ENFORCED = (WALLCLOCK, IDLE, MEMORY, TOKENS, COST, MESSAGES, BYTES_IN, BYTES_OUT)
NOT_ENFORCED = {
    "tool_calls": "what a client calls is not seen from outside",
    "cpu_percent": "a share of the processor needs a control group of the system's administrator",
    "tools_allow": "which tools a client uses is its own affair; the child is told",
}
LIMITS = (*ENFORCED, "tool_calls", "cpu_percent")
NAMES = ", ".join(LIMITS)
MOST = {WALLCLOCK: 604_800_000, IDLE: 604_800_000, MEMORY: 1_048_576}
LEAST_MEMORY = 16  # a program that cannot even start tells nobody why
BUDGET = {TOKENS: "tokens", COST: "cost"}  # what a session's budget calls them
MILLISECONDS = 1_000


def checked(given: Mapping[str, object] | None, field: str = "limits") -> dict[str, float]:
    """The limits that were given, or the refusal of the first that cannot be one."""
    found: dict[str, float] = {}
    for name, most in (given or {}).items():
        if name not in LIMITS:
            raise Invalid(
                f"{field}: there is no limit {name[:40]!r}",
                hint=did_you_mean(name[:40], LIMITS, f"known: {NAMES}"),
                data={"field": field},
            )
        if isinstance(most, bool) or not isinstance(most, int | float) or not 0 < most <= MOST.get(name, 2**53):
            raise _wrong(field, name, f"must be a number above 0, at most {MOST.get(name, 2**53)}")
        if name != COST and most != int(most):
            raise _wrong(field, name, "must be a whole number")
        if name == MEMORY and most < LEAST_MEMORY:
            raise _wrong(field, name, f"must be at least {LEAST_MEMORY}")
        found[name] = most if name == COST else int(most)
    return found


def _wrong(field: str, name: str, message: str) -> Invalid:
    return Invalid(f"{field}.{name}: {message}", data={"field": f"{field}.{name}"})


def not_enforced(names: Iterable[str]) -> dict[str, str]:
    """Those of the limits that nothing keeps a child to, each with the reason."""
    return {name: NOT_ENFORCED[name] for name in names if name in NOT_ENFORCED}


def limited(session: Session, limits: Mapping[str, float]) -> Session:
    """The session under these limits, beside those it has."""
    budget = {BUDGET[name]: most for name, most in limits.items() if name in BUDGET}
    changed = session.replace(limits={**session.limits, **limits}, budget={**session.budget, **budget})
    if WALLCLOCK in limits:
        changed = changed.replace(timeout_seconds=max(1, -(-int(limits[WALLCLOCK]) // MILLISECONDS)))
    return changed
