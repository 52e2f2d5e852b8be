"""What a client of the orchestrator relies on for graphs: transactions, batches, locks, patches, resources."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.e2e.orchestra import Hall

Json = dict[str, Any]
EDGE = {"from": "b", "to": "a"}


def made(hall: Hall, graph_id: str = "plan", **metadata: object) -> Json:
    """A graph of two nodes, in which b waits for a."""
    nodes = [{"id": "a", "label": "first"}, {"id": "b", "label": "second"}]
    given = {"name": "A plan", "graph_id": graph_id, "nodes": nodes, "edges": [EDGE], "metadata": metadata}
    answer: Json = hall.ask("graph_create", **given)
    return answer


def version(hall: Hall, graph_id: str = "plan") -> int:
    return int(hall.ask("graph_get", graph_id=graph_id)["version"])


def added(name: str) -> Json:
    return {"op": "add_node", "node": {"id": name}}


def begun(hall: Hall, **more: object) -> str:
    return str(hall.ask("tx_begin", graph_id="plan", **more)["tx_id"])


@pytest.mark.proves("tx:commit", "tx:snapshot", "watch:resources-read:graph")
def test_a_transaction_becomes_a_version_that_stays_readable(hall: Hall) -> None:
    made(hall)
    tx = begun(hall, owner="me", note="one more")
    applied = hall.ask("tx_apply", tx_id=tx, operations=[added("c")])
    assert (applied["changed"], applied["preview_version"]) == (True, 2)
    assert version(hall) == 1
    pending = hall.ask("resources_read", uri=f"sc://snapshots/plan/{tx}")
    assert (pending["kind"], pending["payload"]["state"]) == ("snapshot", "pending")
    assert hall.ask("tx_commit", tx_id=tx)["version"] == 2
    first, second = (hall.ask("resources_read", uri=f"sc://graphs/plan@v{number}") for number in (1, 2))
    assert [node["id"] for node in first["payload"]["graph"]["nodes"]] == ["a", "b"]
    assert [node["id"] for node in second["payload"]["graph"]["nodes"]] == ["a", "b", "c"]
    assert (second["kind"], second["payload"]["version"]) == ("graph_version", 2)
    over = hall.ask("resources_read", uri=f"sc://snapshots/plan/{tx}")["payload"]
    assert (over["state"], over["baseVersion"], over["finalVersion"]) == ("committed", 1, 2)


@pytest.mark.proves("tx:commit")
def test_a_commit_without_change_keeps_the_version_and_its_moment(hall: Hall) -> None:
    made(hall)
    before = hall.ask("resources_read", uri="sc://graphs/plan")["payload"]
    answer = hall.ask("tx_commit", tx_id=begun(hall))
    assert (answer["version"], answer["committed_at"]) == (before["version"], before["committedAt"])


@pytest.mark.proves("tx:conflict")
def test_a_transaction_whose_graph_moved_on_conflicts(hall: Hall) -> None:
    made(hall)
    slow, fast = begun(hall), begun(hall)
    for tx in (slow, fast):
        hall.ask("tx_apply", tx_id=tx, operations=[added(f"by-{'slow' if tx == slow else 'fast'}")])
    hall.ask("tx_commit", tx_id=fast)
    assert hall.refusal("tx_commit", tx_id=slow)["code"] == "E-TX-CONFLICT"
    assert hall.refusal("tx_begin", graph_id="plan", expected_version=1)["code"] == "E-TX-CONFLICT"
    nodes = hall.ask("resources_read", uri="sc://graphs/plan")["payload"]["graph"]["nodes"]
    assert [node["id"] for node in nodes] == ["a", "b", "by-fast"]


@pytest.mark.proves("tx:conflict")
def test_a_transaction_expires(hall: Hall) -> None:
    made(hall)
    tx = begun(hall, ttl_ms=1)
    assert hall.refusal("tx_apply", tx_id=tx, operations=[added("c")])["code"] == "E-TX-EXPIRED"
    assert hall.refusal("tx_commit", tx_id=tx)["code"] == "E-TX-EXPIRED"


@pytest.mark.proves("tx:rollback", "tx:rollback:twice")
def test_what_is_rolled_back_leaves_nothing_and_is_over(hall: Hall) -> None:
    made(hall)
    tx = begun(hall)
    hall.ask("tx_apply", tx_id=tx, operations=[added("c")])
    assert hall.ask("tx_rollback", tx_id=tx)["version"] == 1
    assert version(hall) == 1
    again = [hall.refusal(tool, tx_id=tx) for tool in ("tx_rollback", "tx_commit")]
    assert all(said["code"].startswith("E-TX-") for said in again)
    assert hall.refusal("tx_rollback", tx_id="no-such")["code"] == "E-TX-NOTFOUND"


@pytest.mark.proves("bulk:all-or-nothing", "bulk:graph")
def test_a_batch_with_one_wrong_change_changes_nothing(hall: Hall) -> None:
    made(hall)
    wrong = [added("c"), {"op": "remove_node", "id": "nobody"}, added("d")]
    said = hall.refusal("graph_batch_mutate", graph_id="plan", operations=wrong)
    assert said["code"] == "E-BULK-PARTIAL"
    assert [failure["index"] for failure in said["details"]["failures"]] == [1]
    assert version(hall) == 1
    done = hall.ask("graph_batch_mutate", graph_id="plan", operations=[added("c"), added("d")])
    assert (done["base_version"], done["committed_version"], done["operations_applied"]) == (1, 2, 2)


@pytest.mark.proves("locks:holder", "locks:unlock", "locks:every-writer")
def test_a_lock_is_its_holder_s_until_it_ends(hall: Hall) -> None:
    made(hall)
    lock = hall.ask("graph_lock", graph_id="plan", holder="ann")
    again = hall.ask("graph_lock", graph_id="plan", holder="ann", ttl_ms=86_400_000)
    assert (again["lock_id"], again["refreshed_at"] > lock["refreshed_at"]) == (lock["lock_id"], True)
    assert hall.refusal("graph_lock", graph_id="plan", holder="bob")["code"] == "E-LOCK-HELD"
    writers: list[tuple[str, Json]] = [
        ("graph_mutate", {"graph_id": "plan", "operations": [added("c")]}),
        ("graph_batch_mutate", {"graph_id": "plan", "operations": [added("c")]}),
        ("graph_patch", {"graph_id": "plan", "patch": [{"op": "replace", "path": "/name", "value": "x"}]}),
        ("tx_begin", {"graph_id": "plan"}),
    ]
    for tool, arguments in writers:
        assert hall.refusal(tool, **arguments, owner="bob")["code"] == "E-LOCK-HELD", tool
    hall.ask("graph_mutate", graph_id="plan", operations=[added("c")], owner="ann")
    assert hall.ask("graph_unlock", lock_id=lock["lock_id"])["expired"] is False
    assert hall.refusal("graph_unlock", lock_id=lock["lock_id"])["code"] == "E-LOCK-NOTFOUND"
    hall.ask("graph_mutate", graph_id="plan", operations=[added("d")], owner="bob")


@pytest.mark.proves("locks:every-writer")
def test_a_held_workflow_is_not_replanned_by_others_through_any_tool(hall: Hall) -> None:
    workflow = hall.workflow("Held")
    task = hall.job(workflow, "First")
    hall.ask("graph_lock", graph_id=workflow, holder="ann")
    with pytest.raises(Exception, match=r"(?i)lock|held"):
        hall.job(workflow, "Second")
    with pytest.raises(Exception, match=r"(?i)lock|held"):
        hall.ask("task_delete", id=task)
    hall.ask("session_start", taskId=task, agent="coder")  # work goes on: that is no change of the plan
    assert len(hall.ask("graph_get", graph_id=workflow)["graph"]["nodes"]) == 1


@pytest.mark.proves("locks:holder")
def test_an_expired_lock_is_free(hall: Hall) -> None:
    made(hall)
    old = hall.ask("graph_lock", graph_id="plan", holder="ann", ttl_ms=1)
    new = hall.ask("graph_lock", graph_id="plan", holder="bob")
    assert new["lock_id"] != old["lock_id"]


@pytest.mark.proves("diff-patch:identity", "diff-patch:selectors")
def test_a_patch_of_the_difference_makes_the_second_from_the_first(hall: Hall) -> None:
    made(hall, "one")
    made(hall, "plan", colour="red")
    changes: list[Json] = [
        added("c"),
        {"op": "add_edge", "edge": {"from": "c", "to": "b", "label": "then"}},
        {"op": "set_node_attribute", "id": "a", "key": "cost", "value": 3},
        {"op": "patch_metadata", "set": {"size": 2}, "unset": ["colour"]},
    ]
    hall.ask("graph_mutate", graph_id="plan", operations=changes)
    wanted = hall.ask("graph_get", graph_id="plan")["graph"]
    difference = hall.ask("graph_diff", graph_id="one", **{"from": {"latest": True}, "to": {"graph": wanted}})
    assert difference["changed"]
    hall.ask("graph_patch", graph_id="one", patch=difference["operations"], base_version=1)
    found = hall.ask("graph_get", graph_id="one")["graph"]
    same = ("name", "nodes", "edges", "metadata")
    assert {key: found[key] for key in same} == {key: wanted[key] for key in same}
    assert not hall.ask("graph_diff", graph_id="one", **{"from": {"version": 2}, "to": {"latest": True}})["changed"]


@pytest.mark.proves("diff-patch:invariants")
def test_a_patch_that_closes_a_circle_is_refused(hall: Hall) -> None:
    made(hall, "plan", graph_kind="dag")
    circle = [{"op": "replace", "path": "/edges", "value": [EDGE, {"from": "a", "to": "b"}]}]
    assert hall.refusal("graph_patch", graph_id="plan", patch=circle)["code"] == "E-PATCH-CYCLE"
    assert version(hall) == 1


@pytest.mark.proves("idempotency:replay", "idempotency:other-parameters")
def test_the_same_key_is_one_effect_also_at_once(hall: Hall) -> None:
    made(hall)
    call: Json = {"graph_id": "plan", "operations": [added("c")], "idempotency_key": "once"}
    answers = hall.client.ask_at_once(*[("graph_batch_mutate", call)] * 4)
    assert sorted(answer["idempotent"] for answer in answers) == [False, True, True, True]
    assert {answer["committed_version"] for answer in answers} == {2}
    other = {**call, "operations": [added("d")]}
    assert hall.refusal("graph_batch_mutate", **other)["code"] == "E-BULK-CONFLICT"
    assert version(hall) == 2


@pytest.mark.proves("watch:resources-list:items", "watch:resources-watch:kinds", "watch:resources-read:unknown")
def test_resources_are_listed_by_prefix_read_by_kind_and_refused_by_code(hall: Hall) -> None:
    for name in ("zeta", "alpha"):
        made(hall, name)
    hall.ask("bb_set", key="team/lead", value={"who": "ann"})
    tx = hall.ask("tx_begin", graph_id="zeta")["tx_id"]
    everything = [item["uri"] for item in hall.ask("resources_list")["items"]]
    assert everything == sorted(everything)
    graphs = hall.ask("resources_list", prefix="sc://graphs/")["items"]
    assert {"sc://graphs/alpha", "sc://graphs/zeta"} <= {item["uri"] for item in graphs}
    assert all(item["uri"].startswith("sc://graphs/") for item in graphs)
    kinds = {
        "sc://graphs/alpha": "graph",
        "sc://graphs/alpha@v1": "graph_version",
        f"sc://snapshots/zeta/{tx}": "snapshot",
        "sc://blackboard/team": "blackboard_namespace",
    }
    assert {uri: hall.ask("resources_read", uri=uri)["kind"] for uri in kinds} == kinds
    for unknown in ("sc://graphs/nobody", "sc://graphs/alpha@v9", "sc://runs/x/events", "sc://nowhere", "x"):
        assert hall.refusal("resources_read", uri=unknown)["code"] == "E-RES-NOT_FOUND", unknown
    assert hall.refusal("resources_watch", uri="sc://graphs/alpha")["code"] == "E-RES-UNSUPPORTED"


@pytest.mark.proves("watch:example:json-rpc", "watch:tools-list:example")
def test_the_document_s_own_messages_are_answered(hall: Hall) -> None:
    watch = """{
      "jsonrpc": "2.0",
      "id": 42,
      "method": "tools/call",
      "params": {
        "name": "resources_watch",
        "arguments": {
          "uri": "sc://runs/run_123/events",
          "from_seq": 0,
          "limit": 100
        }
      }
    }"""
    with hall.server() as server:
        server.send(json.loads(watch))
        reply = server.receive()
        assert reply["id"] == 42
        assert json.loads(reply["result"]["content"][0]["text"])["code"] == "E-RES-NOT_FOUND"
        server.send({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        listed = {tool["name"] for tool in server.receive()["result"]["tools"]}
        assert {"mcp_info", "mcp_capabilities", "resources_list", "resources_read", "resources_watch"} <= listed
