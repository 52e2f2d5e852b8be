from __future__ import annotations

from pathlib import Path

import pytest

from deedlog import bootstrap, settings
from deedlog.app import App
from deedlog.core.errors import Denied, Invalid
from deedlog.testing import app_in, caller
from tests.conftest import Call


def of(repo: Path, **flags: object) -> App:
    return bootstrap.build(settings.load(str(repo), {}, flags))


def test_it_switches_for_this_process_at_once(app: App, call: Call) -> None:
    with pytest.raises(Denied):
        call("tx_begin", graph_id="x")
    assert call("capability_set", name="tx") == {"name": "tx", "on": True, "changed": True}
    assert "tx_begin" in {op.name for op in app.operations()}
    assert call("capability_set", name="tx")["changed"] is False
    call("capability_set", name="tx", on=False)
    assert "tx_begin" not in {op.name for op in app.operations()}


def test_what_was_switched_is_in_the_log(app: App, call: Call) -> None:
    call("capability_set", name="tx")
    call("capability_set", name="tx")
    rows = [row for row in call("event_list")["events"] if row["operation"] == "capability_set"]
    assert len(rows) == 1


@pytest.mark.proves("capability:run-time:shared")
def test_every_process_of_the_project_sees_it_and_those_that_start_later(repo: Path) -> None:
    one, other = of(repo), of(repo)
    try:
        assert not other.capabilities.on("bulk")
        one.call("capability_set", {"name": "bulk"}, caller())
        assert other.capabilities.on("bulk")
        assert of(repo).capabilities.on("bulk")
        other.call("capability_set", {"name": "bulk", "on": False}, caller())
        other.call("capability_set", {"name": "tracking", "on": False}, caller())
        assert not one.capabilities.on("bulk")
        assert not one.capabilities.on("tracking")
    finally:
        one.close()
        other.close()


@pytest.mark.proves("capability:run-time:operator")
@pytest.mark.parametrize("on", [True, False])
def test_what_the_configuration_decides_by_name_no_call_changes(tmp_path: Path, *, on: bool) -> None:
    app = app_in(str(tmp_path / "store"), **{"disable" if on else "enable": ["tx"]})
    with pytest.raises(Denied) as refusal:
        app.call("capability_set", {"name": "tx", "on": on}, caller())
    assert "by a flag" in refusal.value.message
    assert app.capabilities.on("tx") is not on


def test_what_another_process_switched_does_not_overrule_the_configuration(repo: Path) -> None:
    free, strict = of(repo), of(repo, disable=["tx"])
    try:
        free.call("capability_set", {"name": "tx"}, caller())
        assert free.capabilities.on("tx")
        assert not strict.capabilities.on("tx")
    finally:
        free.close()


def test_the_capability_that_has_the_switch_stays_on(repo: Path) -> None:
    app = of(repo)
    try:
        with pytest.raises(Denied) as refusal:
            app.call("capability_set", {"name": "mcp-introspection", "on": False}, caller())
        assert "--disable-mcp-introspection" in refusal.value.hint
        assert app.capabilities.on("mcp-introspection")
        app.call("capability_set", {"name": "tx"}, caller())
    finally:
        app.close()


def test_no_call_opens_what_only_programs_of_ours_may_do(call: Call) -> None:
    with pytest.raises(Denied):
        call("capability_set", name="supervision")


def test_an_unknown_name_is_refused_with_the_nearest(call: Call) -> None:
    with pytest.raises(Invalid) as refusal:
        call("capability_set", name="lock")
    assert "locks" in refusal.value.hint
    with pytest.raises(Invalid) as refusal:
        call("capability_set", name="nonsense")
    assert "supervision" not in refusal.value.hint


@pytest.mark.parametrize(
    ("name", "arguments", "module"),
    [
        ("bb_batch_set", {"entries": [{"key": "a", "value": 1}]}, "blackboard"),
        ("stig_batch", {"entries": [{"node_id": "a", "type": "hot", "intensity": 1}]}, "stigmergy"),
        ("graph_batch_mutate", {"graph_id": "a", "operations": [{"op": "add_node", "id": "b"}]}, "graphs"),
        ("child_batch_create", {"entries": [{"prompt": "x"}]}, "child-ops-fine"),
    ],
)
def test_doing_many_things_at_once_needs_the_module_that_does_one(
    tmp_path: Path, name: str, arguments: dict[str, object], module: str
) -> None:
    app = app_in(str(tmp_path / "store"), enable=["bulk"])
    app.call("capability_set", {"name": module, "on": False}, caller())
    assert name not in {op.name for op in app.operations()}
    with pytest.raises(Denied, match=f"capability '{module}'") as refusal:
        app.call(name, arguments, caller())
    assert refusal.value.data["capability"] == module
    app.call("capability_set", {"name": module}, caller())
    assert name in {op.name for op in app.operations()}


def test_what_only_programs_of_ours_may_do_is_not_offered_by_a_flag(call: Call) -> None:
    with pytest.raises(Denied) as refusal:
        call("worker_settle", sessionId=1)
    assert refusal.value.hint == "it is for programs of ours alone"
