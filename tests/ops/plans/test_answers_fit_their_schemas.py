"""Clients hold answers against the schemas that are published, nulls included."""

from __future__ import annotations

from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

from deedlog.testing import caller
from tests.ops.workers.conftest import WAIT, Shop

NOOP = {"type": "task", "node_id": "a", "tool": "noop"}


@pytest.mark.proves("watch:answer:structured")
def test_answers_of_runs_fit(shop: Shop) -> None:
    def fits(name: str, **arguments: object) -> Any:
        answer = shop.app.call(name, dict(arguments), caller())
        jsonschema.validate(answer, shop.app.catalog[name].output_schema)
        return answer

    run_id = fits("plan_run_bt", tree=NOOP)["run_id"]
    fits("plan_wait", run_id=run_id, timeout_seconds=WAIT)
    fits("plan_status", run_id=run_id)
    fits("plan_run_bt", tree=NOOP, dry_run=True)
    fits(
        "plan_compile_bt", graph={"id": "g", "nodes": [{"id": "a", "kind": "task", "attributes": {"bt_tool": "noop"}}]}
    )
    fits("plan_dry_run", plan_id="p", tree=NOOP)
    fits("plan_run_reactive", tree=NOOP, dry_run=True)
    waiting = fits("plan_run_bt", tree={**NOOP, "tool": "wait", "input": {"ms": 600_000}})
    fits("op_cancel", op_id=waiting["op_id"])
    fanned = fits("plan_fanout", prompt_template="do: print x", children_spec=1, agent="hand")
    fits("plan_join", run_id=fanned["run_id"], timeout_sec=0)
    fits("plan_join", run_id=fanned["run_id"], timeout_sec=WAIT)
    fits("plan_reduce", reducer="vote", run_id=fanned["run_id"])
    fits("mcp_info")
