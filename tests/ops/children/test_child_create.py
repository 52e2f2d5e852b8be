from __future__ import annotations

import sys

import pytest

from deedlog.core.errors import Invalid, Unavailable
from tests.ops.children.conftest import Nursery
from tests.stand_in_agent import command

ECHO = "import sys, os; print(sys.argv[1:], os.environ.get('A')); print(sys.stdin.read().count('find the bug'))"


def test_a_program_runs_with_its_arguments_variables_and_prompt(nursery: Nursery) -> None:
    words = ["-c", ECHO, "$(touch /tmp/never); `id`", "two words"]
    child = nursery.call("child_create", command=sys.executable, args=words, env={"A": "b"}, prompt="find the bug")
    ended = nursery.collect(child["child_id"])
    assert ended["exit"]["exit_code"] == 0
    assert nursery.printed(child["child_id"]) == ["['$(touch /tmp/never); `id`', 'two words'] b", "2"]


def test_limits_come_from_timeouts_and_budget_and_what_nothing_keeps_is_told(nursery: Nursery) -> None:
    child = nursery.call(
        "child_create",
        command=command()[0],
        args=command("{prompt_file}")[1:],
        prompt="do: print x",
        timeouts={"idle_ms": 60_000, "wallclock_ms": 90_000},
        budget={"messages": 3, "tool_calls": 5},
        tools_allow=["Read"],
    )
    assert child["limits"] == {"wallclock_ms": 90_000, "idle_ms": 60_000, "messages": 3, "tool_calls": 5}
    assert sorted(child["not_enforced"]) == ["tool_calls", "tools_allow"]
    nursery.collect(child["child_id"])
    with pytest.raises(Invalid, match="given twice"):
        nursery.call("child_create", command="true", timeouts={"idle_ms": 5}, budget={"idle_ms": 6})


def test_a_program_that_is_not_there_is_refused_and_leaves_nothing(nursery: Nursery) -> None:
    for program in ("no-such-program-at-all", "./tools/none"):
        with pytest.raises(Unavailable, match="there is no program") as refused:
            nursery.call("child_create", command=program)
        assert "agent" not in f"{refused.value.message} {refused.value.hint}"
    assert nursery.call("child_list")["children"] == []
    assert nursery.trees() == []
    assert nursery.branches() == ["main"]


def test_without_waiting_it_is_told_as_it_was_committed(nursery: Nursery) -> None:
    child = nursery.call("child_create", command="true", wait_for_ready=False)
    assert (child["state"], child["ready"]) == ("starting", False)
    assert nursery.collect(child["child_id"])["exit"]["exit_code"] == 0
