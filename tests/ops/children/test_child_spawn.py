from __future__ import annotations

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from deedlog.core.errors import Conflict, Invalid, NotFound
from deedlog.testing import caller
from tests.ops.children.conftest import Nursery
from tests.stand_in_agent import command


@pytest.mark.proves("child:spawn")
def test_a_child_works_on_a_task_made_of_its_prompt(nursery: Nursery) -> None:
    kept = {"metadata": {"for": "x"}, "manifest_extras": {"n": 1}}
    child = nursery.spawn("write a.txt hello", "print done", role="tester", **kept)
    assert child["child_id"].startswith("session-")
    assert child["log_uri"] == f"sc://children/{child['child_id']}/logs"
    assert (child["role"], child["ready"], child["runtime_status"]) == ("tester", True, "running")
    assert child["index_snapshot"]["metadata"] == {"for": "x", "n": 1}
    assert os.path.isdir(child["workdir"])
    assert child["started_at"] > 1_700_000_000_000
    ended = nursery.collect(child["child_id"])
    assert (ended["state"], ended["runtime_status"]) == ("terminated", "exited")
    assert ended["exit"]["exit_code"] == 0
    assert ended["outputs"]["artifacts"] == ["a.txt"]
    assert [entry["message"] for entry in ended["outputs"]["messages"]] == ["done"]
    task = nursery.call("task_get", id=child["task_id"])
    assert task["title"].startswith("do: write a.txt hello")


def test_a_task_can_be_named_and_is_told_what_the_prompt_says_too(nursery: Nursery) -> None:
    number = nursery.task("print from the task")
    child = nursery.call("child_spawn", prompt="do: print from the prompt", agent="hand", task_id=number)
    assert child["task_id"] == f"task-{number}"
    nursery.collect(child["child_id"])
    assert nursery.printed(child["child_id"]) == ["from the task", "from the prompt"]
    with pytest.raises(NotFound):
        nursery.spawn("print x", task_id=999)


def test_a_task_that_somebody_works_on_gets_no_second_child(nursery: Nursery) -> None:
    number = nursery.task("hang")
    nursery.run(number)
    with pytest.raises(Conflict, match="already has a session"):
        nursery.spawn("print x", task_id=number)
    assert len(nursery.trees()) == 1


def test_a_child_belongs_to_the_workflow_it_is_spawned_in(nursery: Nursery) -> None:
    workflow = nursery.call("start_workflow", name="w")["workflow_id"]
    child = nursery.spawn("print x", workflow_id=workflow)
    assert nursery.session(child["child_id"]).workflow_id == workflow
    nursery.collect(child["child_id"])


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"limits": {"wallclock": 5}}, "limits"),
        ({"limits": {"memory_mb": 1}}, "limits.memory_mb"),
        ({"limits": {"tokens": -1}}, "limits.tokens"),
        ({"limits": {"messages": 1.5}}, "limits.messages"),
        ({"sandbox": {"profile": "open"}}, "sandbox.profile"),
        ({"sandbox": {"env": {"LD_PRELOAD": "x.so"}}}, "sandbox.env"),
        ({"sandbox": {"env": {"DEEDLOG_STORE": "/x"}}}, "sandbox.env"),
        ({"sandbox": {"allow_env": ["A B"]}}, "sandbox.allow_env"),
        ({"role": "x" * 121}, "role"),
    ],
)
def test_what_cannot_be_is_refused_and_leaves_nothing(nursery: Nursery, wrong: dict[str, object], field: str) -> None:
    with pytest.raises(Invalid) as refused:
        nursery.spawn("print x", **wrong)
    assert refused.value.data["field"] == field
    assert nursery.call("child_list")["children"] == []


@pytest.mark.proves("child:variables")
def test_a_strict_child_finds_few_variables_and_those_it_was_given(
    nursery: Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OURS", "open")
    monkeypatch.setenv("SECRET", "closed")
    box = {"profile": "strict", "allow_env": ["OURS"], "env": {"GIVEN": "grün $HOME"}}
    child = nursery.spawn("env OURS", "env SECRET", "env GIVEN", "env PATH", sandbox=box)
    assert nursery.collect(child["child_id"])["exit"]["error"] is None
    found = nursery.printed(child["child_id"])
    assert found[:3] == ["OURS=open", "SECRET=", "GIVEN=grün $HOME"]
    assert found[3] != "PATH="
    assert child["index_snapshot"]["sandbox"] == {
        "profile": "strict",
        "inherit": False,
        "allow": ["OURS"],
        "names": ["GIVEN"],
    }


@pytest.mark.proves("child:variables")
def test_what_is_in_variables_is_in_no_log_and_gone_with_the_child(nursery: Nursery) -> None:
    child = nursery.spawn("env TOKEN", "listen", interactive=True, sandbox={"env": {"TOKEN": "sesame-1234"}})
    number = child["child_id"].removeprefix("session-")
    kept = nursery.repo / ".git/deedlog/workers" / f"{number}.env"
    assert kept.stat().st_mode & 0o077 == 0
    nursery.send(child["child_id"], close=True)
    nursery.collect(child["child_id"])
    nursery.until(lambda: not kept.exists())
    events = nursery.call("event_list", limit=200)
    said = [event for event in events["events"] if event.get("entity") != "output"]
    assert "sesame-1234" not in repr([event for event in said if "printed" not in repr(event)])


def test_a_standard_child_finds_our_variables(nursery: Nursery, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OURS", "open")
    child = nursery.spawn("env OURS", sandbox={"profile": "standard"})
    nursery.collect(child["child_id"])
    assert nursery.printed(child["child_id"]) == ["OURS=open"]


def test_a_permissive_child_may_write_its_whole_tree(nursery: Nursery) -> None:
    nursery.agent("narrow", scope={"read": ["**/*"], "write": ["src/**"], "exclude": []})
    child = nursery.spawn("write other.txt x", agent="narrow", sandbox={"profile": "permissive"})
    assert nursery.collect(child["child_id"])["exit"]["violations"] == []
    child = nursery.spawn("write other.txt x", agent="narrow")
    assert nursery.printed(child["child_id"]) or nursery.collect(child["child_id"])
    assert nursery.session(child["child_id"]).scope["write"] == ["src/**"]


CLAUDE = """#!{python}
import json, sys
print(json.dumps(sys.argv[1:]), flush=True)
for line in sys.stdin:
    said = json.loads(line)["message"]["content"][0]["text"]
    print(json.dumps({{"type": "result", "text": said[:9]}}), flush=True)
"""


def a_program(nursery: Nursery, monkeypatch: pytest.MonkeyPatch, name: str, text: str) -> None:
    """On the path of every process from here on."""
    folder = nursery.repo.parent / "bin"
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text.format(python=sys.executable))
    (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def test_a_client_that_reads_its_input_once_cannot_be_interactive(
    nursery: Nursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_program(nursery, monkeypatch, "gemini", "")
    with pytest.raises(Invalid, match="reads its input only once"):
        nursery.call("child_spawn", prompt="x", client="gemini-cli", interactive=True)
    assert nursery.trees() == []


def test_claude_code_is_spoken_to_in_its_own_messages(nursery: Nursery, monkeypatch: pytest.MonkeyPatch) -> None:
    a_program(nursery, monkeypatch, "claude", CLAUDE)
    child = nursery.call("child_spawn", prompt="x", client="claude-code", interactive=True)["child_id"]
    nursery.until(lambda: len(nursery.printed(child)) == 2)
    words, first = map(json.loads, nursery.printed(child))
    assert words[-2:] == ["--input-format", "stream-json"]
    assert first["text"] == "# Worker:"
    sent = nursery.send(child, "two\nlines", expect="final", timeout_ms=60_000)
    assert json.loads(sent["reply"]["messages"][-1]["message"])["text"] == "two\nlines"
    assert sent["reply"]["ended_by"] == "result"
    nursery.send(child, close=True)
    assert nursery.collect(child)["exit"]["exit_code"] == 0


def test_an_interactive_child_is_told_its_prompt_first(nursery: Nursery) -> None:
    nursery.agent("listener", command=command("--listen"))
    child = nursery.spawn("print first", agent="listener", interactive=True)["child_id"]
    nursery.until_printed(child, "first")
    nursery.send(child, "second", close=True)
    nursery.collect(child)
    assert nursery.printed(child)[-2:] == ["heard second", "no more"]


def test_the_same_key_starts_one_child_also_at_once(nursery: Nursery) -> None:
    def spawn(_: int) -> str:
        said = {"prompt": "do: print x", "agent": "hand", "ready_timeout_ms": 0}
        return str(nursery.app.call("child_spawn", said, caller(idempotency_key="one"))["child_id"])

    with ThreadPoolExecutor(4) as pool:
        found = set(pool.map(spawn, range(4)))
    assert len(found) == 1
    nursery.collect(found.pop())
    assert len(nursery.call("child_list")["children"]) == 1
    assert len(nursery.trees()) == 1
    with pytest.raises(Conflict):
        nursery.app.call("child_spawn", {"prompt": "do: print y", "agent": "hand"}, caller(idempotency_key="one"))


def test_above_the_most_workers_a_child_waits_and_is_starting(nursery: Nursery) -> None:
    nursery.configure(max_workers=1)
    first = nursery.talk()
    second = nursery.spawn("print later")
    assert (second["state"], second["runtime_status"], second["ready"]) == ("starting", "spawning", False)
    nursery.send(first, close=True)
    nursery.collect(first)
    nursery.collect(second["child_id"])
    assert nursery.printed(second["child_id"]) == ["later"]
