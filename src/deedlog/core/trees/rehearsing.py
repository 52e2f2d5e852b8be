"""What a run of these steps comes to, if every leaf ends as somebody says: for dry runs, and to check the compiler."""

from __future__ import annotations

from deedlog.core.run import CANCELLED, DONE, FAILED, SKIPPED
from deedlog.core.trees.compiling import JOIN, OVER
from deedlog.core.trees.shape import ALL
from deedlog.core.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from deedlog.core.trees.compiling import Step

ENDED = (DONE, FAILED, SKIPPED, CANCELLED)


class Rehearsed(Value):
    waves: list[list[str]]  # the steps that may run at the same time, joins left out
    states: dict[str, str]


def rehearsed(steps: Sequence[Step], succeeds: Callable[[Step], bool]) -> Rehearsed:
    """The order in which steps would run and how each ends, where `succeeds` says what came of those that run."""
    states: dict[str, str] = {}
    waves: list[list[str]] = []
    while ready := _ready(steps, states):
        waves.append([step.name for step in ready])
        for step in ready:
            if step.name not in states:  # else a join that was decided in this wave made it pointless
                states[step.name] = DONE if succeeds(step) else FAILED
    return Rehearsed(waves=waves, states=states)


def _ready(steps: Sequence[Step], states: dict[str, str]) -> list[Step]:
    """The steps that can run now, after everything that follows by itself was written into `states`."""
    while True:
        ready, before = [], len(states)
        for step in steps:
            if step.name in states:
                continue
            if step.tool == JOIN:
                _decide(step, states)
            elif any(_never(after, states) for after in step.after):
                states[step.name] = SKIPPED
            elif all(_met(after, states) for after in step.after):
                ready.append(step)
        if len(states) == before:
            return ready


def _decide(join: Step, states: dict[str, str]) -> None:
    found = [states.get(after["node"], "") for after in join.after]
    policy = join.input["policy"]
    quota = len(found) if policy == ALL else join.input.get("quota", 1)
    is_over, done = all(found), found.count(DONE)
    if is_over and set(found) == {SKIPPED}:
        states[join.name] = SKIPPED
    elif (is_over or policy != ALL) and done >= quota:
        states[join.name] = DONE
    elif is_over or (policy != ALL and done + found.count("") < quota):
        states[join.name] = FAILED
    if join.name in states:
        for name in join.input.get("covers", ()):
            states.setdefault(name, CANCELLED)


def _met(after: dict[str, str], states: dict[str, str]) -> bool:
    state = states.get(after["node"], "")
    return bool(state) if after["on"] == OVER else state == after["on"]


def _never(after: dict[str, str], states: dict[str, str]) -> bool:
    return states.get(after["node"], "") in ENDED and not _met(after, states)
