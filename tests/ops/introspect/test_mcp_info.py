from __future__ import annotations

import pytest

from deedlog import __version__
from deedlog.app import App
from deedlog.core.errors import Invalid
from deedlog.ports import Serving
from deedlog.testing import app_in, caller
from tests.conftest import Call

TOGGLES = {
    "enableMcpIntrospection",
    "enableResources",
    "enableEventsBus",
    "enableCancellation",
    "enableTx",
    "enableBulk",
    "enableIdempotency",
    "enableLocks",
    "enableDiffPatch",
    "enablePlanLifecycle",
    "enableChildOpsFine",
    "enableValuesExplain",
    "enableAssist",
    "enableBT",
    "enableReactiveScheduler",
    "enableBlackboard",
    "enableStigmergy",
    "enableCNP",
    "enableConsensus",
    "enableAutoscaler",
    "enableSupervisor",
    "enableKnowledge",
    "enableCausalMemory",
    "enableValueGuard",
}


@pytest.mark.proves("watch:mcp-info:shape")
def test_it_has_the_shape_of_the_document(call: Call) -> None:
    info = call("mcp_info")
    assert list(info) == ["server", "transports", "features", "timings", "safety", "limits"]
    assert info["server"] == {"name": "deedlog", "version": __version__, "mcpVersion": "2026-07-28"}
    assert list(info["transports"]["http"]) == ["enabled", "host", "port", "path", "enableJson", "stateless"]
    assert list(info["limits"]) == ["maxInputBytes", "defaultTimeoutMs", "maxEventHistory"]


@pytest.mark.proves("watch:mcp-info:transports")
def test_a_command_serves_nothing_and_a_server_tells_where(app: App, call: Call) -> None:
    nothing = call("mcp_info")["transports"]
    assert not nothing["stdio"]["enabled"]
    assert not nothing["http"]["enabled"]
    assert nothing["http"]["host"] is nothing["http"]["port"] is nothing["http"]["path"] is None
    app.serving = Serving(host="127.0.0.1", port=4747, path="/mcp", most_bytes=1000)
    served = call("mcp_info")
    http = served["transports"]["http"]
    assert (http["enabled"], http["host"], http["port"], http["path"]) == (True, "127.0.0.1", 4747, "/mcp")
    assert served["limits"]["maxInputBytes"] == 1000


@pytest.mark.proves("watch:mcp-info:features", "capability:default:sets")
def test_each_toggle_tells_whether_its_capability_is_on(tmp_path_factory: pytest.TempPathFactory, call: Call) -> None:
    features = call("mcp_info")["features"]
    assert set(features) == TOGGLES
    assert {name for name, on in features.items() if on} == {"enableMcpIntrospection", "enableResources"}
    offered = {row["name"] for row in call("mcp_capabilities")["namespaces"]}
    assert offered - {"mcp-introspection", "resources"} == {
        *("tracking", "tasks", "authoring", "clarify", "ledger", "graphs", "plans", "gateway")
    }
    other = app_in(str(tmp_path_factory.mktemp("store")), enable=["bt", "cnp"], disable=["resources"])
    features = other.call("mcp_info", {}, caller())["features"]
    assert {name for name, on in features.items() if on} == {"enableMcpIntrospection", "enableBT", "enableCNP"}


@pytest.mark.proves("watch:mcp-info:shape")
def test_figures_are_those_that_are_configured(tmp_path_factory: pytest.TempPathFactory) -> None:
    given = {
        "max_workers": 7,
        "worker_memory_mb": 512,
        "worker_timeout": 90,
        "stall_ms": 5_000,
        "max_event_history": 42,
    }
    app = app_in(str(tmp_path_factory.mktemp("store")), **given)
    info = app.call("mcp_info", {}, caller())
    assert info["safety"] == {"maxChildren": 7, "memoryLimitMb": 512, "cpuPercent": 0}
    assert info["timings"] == {
        "btTickMs": 0,
        "supervisorStallTicks": 0,
        "stigHalfLifeMs": 30_000,
        "supervisorStallMs": 5_000,
        "autoscaleCooldownMs": 10_000,
        "defaultTimeoutMs": 90_000,
    }
    assert info["limits"]["defaultTimeoutMs"] == 90_000
    assert info["limits"]["maxEventHistory"] == 42


@pytest.mark.proves("watch:mcp-info:strict")
def test_any_argument_is_refused(call: Call) -> None:
    with pytest.raises(Invalid, match="not known"):
        call("mcp_info", verbose=True)
