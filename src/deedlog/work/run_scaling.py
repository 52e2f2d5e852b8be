"""How many workers of a run may be at work at once: as many as it was told, or as its backlog needs."""

from __future__ import annotations

from deedlog.core.plan.conditions import MET, condition
from deedlog.core.run import FAILED, RUNNING, WAITING, Node, Run
from deedlog.core.team import Autoscale

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from deedlog.core.plan.values import Known
    from deedlog.ports import Context

THE_ONE = "autoscale"
CEILING = "at_most"  # the option of a run whose caller said how many


def scaled(ctx: Context, run: Run, nodes: Sequence[Node], known: Mapping[str, Known]) -> tuple[int, Run]:
    """How many may run at once, and the run that remembers it where that is another number than before.

    There are never more than its caller said.
    """
    rule = ctx.ledger.find_one(Autoscale, THE_ONE) if run.options.get("autoscale") else None
    if rule is None or rule.most <= 0:
        return run.parallelism, run
    from deedlog.core.scaling import wanted  # few projects scale

    states = {node.name: node for node in nodes}
    tasks = [node for node in nodes if node.task_id]
    ready = [
        node for node in tasks if node.state == WAITING and condition(node, states) == MET and not known[node.name].busy
    ]
    ended = [node for node in tasks if node.ended_at is not None]
    current = int(run.options.get("workers", run.parallelism))
    now = wanted(
        rule,
        current,
        ready=len(ready),
        running=sum(node.state == RUNNING for node in tasks),
        ended=len(ended),
        failed=sum(node.state == FAILED for node in ended),
        changed_at=int(run.options.get("scaled_at", 0)),
        now=ctx.now,
    )
    now = min(now, int(run.options.get(CEILING, now)))
    if now == current:
        return max(1, now), run
    return max(1, now), run.replace(options={**run.options, "workers": now, "scaled_at": ctx.now})
