"""What to do next in a run, given its nodes and what is known of their tasks and sessions. Nothing here acts."""

from __future__ import annotations

from heapq import heappop, heappush

from deedlog.core.plan.attempts import failed, is_for_good
from deedlog.core.plan.conditions import MET, NEVER, condition, followers_of, joined, order
from deedlog.core.plan.values import (
    BB_SET,
    DISCARD,
    GONE,
    JOIN,
    LEAVING,
    MERGE,
    MILLISECOND,
    OVER,
    STALLED,
    START,
    STOP,
    WAIT,
    Action,
    Known,
    Move,
)
from deedlog.core.run import CANCELLED, DONE, FAILED, RUNNING, SKIPPED, WAITING, Node, Run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

NOTHING = Known()
QUEUED, COMPLETED = "queued", "completed"  # of sessions
AT_WORK = (QUEUED, RUNNING)
MOST_NAMED = 10
LONGEST_KEY = 80


def decide(run: Run, nodes: Sequence[Node], known: Mapping[str, Known], now: int, *, parallelism: int = 0) -> Move:
    """One step. The same question gets the same answer, so that it may be asked again after any crash."""
    step = _Step(run, nodes, known, now)
    if run.state == CANCELLED:
        step.leave()
    elif run.state == RUNNING:
        step.go_on(parallelism or run.parallelism)
    return step.move()


class _Step:
    def __init__(self, run: Run, nodes: Sequence[Node], known: Mapping[str, Known], now: int) -> None:
        self._run = run
        self._before = {node.name: node for node in nodes}
        self._nodes = dict(self._before)
        self._known = known
        self._now = now
        self._actions: list[Action] = []
        self._effects: list[dict[str, Any]] = []
        self._wakes: list[int] = []
        self._touched: list[str] = []

    def go_on(self, parallelism: int) -> None:
        for node in self._before.values():
            if node.task_id and node.state != DONE:
                self._put(self._after_task(node))
        for node in list(self._nodes.values()):
            if node.state == RUNNING:
                self._put(self._after_session(node) if node.task_id else self._after_waiting(node))
        self._settle_waiting()
        self._claim(parallelism)
        for node in self._nodes.values():
            if node.state == RUNNING and node.task_id:
                self._act(node)

    def leave(self) -> None:
        """The run is cancelled: what waits will not begin, what runs is stopped, and its work put away."""
        for node in self._before.values():
            if node.state == WAITING or (node.state == RUNNING and not node.task_id):
                self._put(node.replace(state=CANCELLED, ended_at=self._now))
            elif node.state == RUNNING:
                self._put(self._left(node))
                self._act(self._nodes[node.name])

    def move(self) -> Move:
        changed = [node for name, node in self._nodes.items() if node != self._before.get(name)]
        at_it = any(known.doing for known in self._known.values())  # such as a work tree that is still being removed
        is_over = not at_it and all(node.state in OVER for node in self._nodes.values())
        found = Move(nodes=changed, actions=self._actions, effects=self._effects, wake_at=min(self._wakes, default=0))
        if not is_over or self._run.state not in (RUNNING, CANCELLED):
            return found
        if self._run.state == CANCELLED:
            return found.replace(state=CANCELLED)
        failure = self._failure()
        return found.replace(state=FAILED if failure else DONE, failure=failure)

    def _failure(self) -> dict[str, Any]:
        root = self._nodes.get(str(self._run.options.get("root", "")))
        if root is not None:
            return {} if root.state == DONE else self._cause(root)
        wrong = {state: [n.name for n in self._nodes.values() if n.state == state] for state in (FAILED, SKIPPED)}
        if not wrong[FAILED] and not wrong[SKIPPED]:
            return {}
        told = ", ".join(f"{len(names)} {state}" for state, names in wrong.items() if names)
        return {"message": f"of {len(self._nodes)} nodes {told}", "nodes": wrong[FAILED][:MOST_NAMED]}

    def _cause(self, root: Node) -> dict[str, Any]:
        """Why a tree failed: what failed in it by itself comes before what only joins it."""
        by_themselves = [node for node in self._nodes.values() if node.state == FAILED and node.tool != JOIN]
        wrong = by_themselves or [root]
        return {"nodes": [node.name for node in wrong[:MOST_NAMED]], **wrong[-1].error}

    def _put(self, node: Node) -> None:
        self._nodes[node.name] = node
        self._touched.append(node.name)

    def _of(self, node: Node) -> Known:
        return self._known.get(node.name, NOTHING)

    def _after_task(self, node: Node) -> Node:
        """A task that is over is over, whoever did it."""
        known = self._of(node)
        if known.status in AT_WORK and node.state == RUNNING:
            return node
        if known.task == DONE:
            return node.replace(state=DONE, ended_at=self._now, error={}, session_id=known.session or node.session_id)
        if known.task in (CANCELLED, GONE) and node.state != CANCELLED and not self._is_given_up(node):
            return node.replace(state=CANCELLED, ended_at=self._now, error={"message": f"its task is {known.task}"})
        return node

    def _is_given_up(self, node: Node) -> bool:
        """Whether it was skipped in a run that cancels the tasks it does not need: then it was not entered."""
        return node.state == SKIPPED and bool(self._run.options.get("owned"))

    def _after_waiting(self, node: Node) -> Node:
        """What the driver does itself: only time has to pass."""
        if node.not_before > self._now:
            self._wakes.append(node.not_before)
            return node
        timeout = node.rule.get("timeout_ms")
        if timeout is not None and int(node.input.get("ms", 0)) > timeout:
            return failed(self._run, node, {"message": f"it was not done after {timeout} ms"}, self._now)
        return node.replace(state=DONE, ended_at=self._now, output={"waited_ms": node.input.get("ms", 0)})

    def _after_session(self, node: Node) -> Node:
        known = self._of(node)
        if known.session and node.session_id != known.session:
            node = node.replace(session_id=known.session)
        stopping = node.error.get("code")
        if stopping == LEAVING:
            return self._left(node)
        if known.status in AT_WORK:
            return self._watched(node, known)
        if not known.session:
            return self._not_started(node, known) if known.refused else node
        if known.merged:
            return node.replace(state=DONE, ended_at=self._now, error={})
        if known.sent_back:
            return node.replace(state=WAITING, error={})
        if known.refused:
            return node.replace(state=FAILED, ended_at=self._now, error=known.refused)
        if known.status == COMPLETED:
            return node
        error = {**known.error, **node.error} if stopping == STALLED else known.error
        for_good = stopping != STALLED and is_for_good(known.error)
        return failed(self._run, node, error, self._now, for_good=for_good)

    def _not_started(self, node: Node, known: Known) -> Node:
        """Somebody else may have been faster: then it is waited for. Else the attempt failed."""
        if known.busy:
            return node.replace(state=WAITING, attempts=node.attempts - 1, error={})
        return failed(self._run, node, known.refused, self._now, for_good=bool(known.refused.get("for_good")))

    def _watched(self, node: Node, known: Known) -> Node:
        """A worker that was not heard of for too long is stopped."""
        stall = int(self._run.options.get("stall_ms") or 0) * MILLISECOND
        if not stall or known.status != RUNNING or node.error.get("code") == STALLED:
            return node
        if known.last_sign + stall > self._now:
            self._wakes.append(known.last_sign + stall)
            return node
        return node.replace(
            error={"code": STALLED, "message": f"it was stopped: it was silent for {stall // MILLISECOND} ms"}
        )

    def _left(self, node: Node) -> Node:
        """Cancelled as soon as its session is over and nothing of it is left."""
        known = self._of(node)
        if known.session and node.session_id != known.session:
            node = node.replace(session_id=known.session)
        if known.merged:
            return node.replace(state=DONE, ended_at=self._now, error={})
        is_left = known.discarded or known.refused or node.adopted  # what an earlier run left stays as it is
        if known.doing or known.status in AT_WORK or (known.session and not is_left):
            return node
        return node.replace(state=CANCELLED, ended_at=self._now, error={})

    def _settle_waiting(self) -> None:
        """Skip what can no longer begin and do what the driver does itself, as often as that lets more of it begin.

        A node is looked at after those it waits for, and again when one of them changed after all.
        """
        names, places, followers = self._in_order()
        todo = list(range(len(names)))  # a heap
        queued = set(todo)
        while todo:
            place = heappop(todo)
            queued.discard(place)
            self._touched.clear()
            self._settled(self._nodes[names[place]])
            for name in self._touched:
                for again in (name, *followers.get(name, ())):
                    if places[again] not in queued:
                        queued.add(places[again])
                        heappush(todo, places[again])

    def _in_order(self) -> tuple[list[str], dict[str, int], dict[str, list[str]]]:
        after = {name: list(dict.fromkeys(link["node"] for link in node.after)) for name, node in self._nodes.items()}
        names = order(list(self._nodes), after)
        return names, {name: place for place, name in enumerate(names)}, followers_of(after)

    def _settled(self, node: Node) -> None:
        if node.state == SKIPPED and condition(node, self._nodes) != NEVER and not _skipped_join(node, self._nodes):
            self._put(node.replace(state=WAITING, ended_at=None, error={}))
            return
        if node.state != WAITING:
            return
        found = condition(node, self._nodes)
        if found == NEVER:
            self._put(node.replace(state=SKIPPED, ended_at=self._now))
        elif found == MET and node.not_before > self._now:
            self._wakes.append(node.not_before)
        elif found == MET and not node.task_id:
            self._done_here(node)

    def _done_here(self, node: Node) -> None:
        if node.tool == JOIN:
            self._join(node)
        elif not self._must_look_again(node):
            self._begun_here(node)

    def _begun_here(self, node: Node) -> None:
        begun = node.replace(state=RUNNING, attempts=node.attempts + 1, started_at=self._now, error={})
        if not self._of(node).guarded:
            self._put(failed(self._run, begun, _not_passed(node), self._now, for_good=True))
            return
        if node.tool == WAIT:
            limit = node.rule.get("timeout_ms", node.input.get("ms", 0))
            until = self._now + min(int(node.input.get("ms", 0)), int(limit)) * MILLISECOND
            self._put(self._after_waiting(begun.replace(not_before=until)))
            return
        if node.tool == BB_SET:
            self._effects.append(node.input)
        output = node.input.get("key") if node.tool == BB_SET else node.input or None
        self._put(begun.replace(state=DONE, ended_at=self._now, output=output))

    def _must_look_again(self, node: Node) -> bool:
        """Whether its guard may look at what this step sets only when it is committed."""
        if "guard" not in node.rule or not self._effects:
            return False
        self._wakes.append(self._now)
        return True

    def _join(self, node: Node) -> None:
        state = joined(node, self._nodes)
        limit = node.rule.get("timeout_ms")
        if not state and limit is not None:
            until = node.created_at + int(limit) * MILLISECOND
            if until > self._now:
                self._wakes.append(until)
            else:
                state = FAILED
        if not state:
            return
        error = {"message": "too few of what it joins were done"} if state == FAILED else {}
        self._put(node.replace(state=state, ended_at=self._now, error=error))
        if state in (DONE, FAILED):
            for name in node.input.get("covers", ()):
                self._cover(name)

    def _cover(self, name: str) -> None:
        """What is joined already need not go on."""
        node = self._nodes.get(name)
        if node is None or node.state in OVER:
            return
        if node.state == WAITING or not node.task_id:
            self._put(node.replace(state=CANCELLED, ended_at=self._now))
        else:
            self._put(self._left(node.replace(error={"code": LEAVING})))

    def _claim(self, parallelism: int) -> None:
        """Begin as many of those that can begin as may run at once, the most urgent first."""
        ready = [node for node in self._nodes.values() if self._is_ready(node)]
        ready.sort(key=lambda node: (-self._of(node).urgency, node.created_at, node.name))
        free = parallelism - sum(self._takes_a_place(node) for node in self._nodes.values())
        for node in ready:
            denied = self._of(node).denied
            if denied or not self._of(node).guarded:
                self._put(node.replace(state=FAILED, ended_at=self._now, error=denied or _not_passed(node)))
            elif free > 0:
                free -= 1
                error = {name: said for name, said in node.error.items() if name != "code"}  # it stopped the one before
                begun = node.replace(state=RUNNING, attempts=node.attempts + 1, started_at=self._now, error=error)
                adopted = self._of(node).to_merge
                self._put(begun.replace(session_id=adopted, adopted=adopted))
        if any(self._nodes[node.name].state == FAILED for node in ready):
            self._settle_waiting()

    def _is_ready(self, node: Node) -> bool:
        if node.state != WAITING or not node.task_id or condition(node, self._nodes) != MET:
            return False
        known = self._of(node)
        if self._must_look_again(node):
            return False
        if node.not_before > self._now:
            self._wakes.append(node.not_before)
            return False
        if known.to_merge and self._run.merge:
            return True
        if known.busy:
            self._wakes += [known.free_at] if known.free_at > self._now else []
            return False
        return True

    def _takes_a_place(self, node: Node) -> bool:
        """One whose work waits for a person to merge it does not."""
        if node.state != RUNNING or not node.task_id:
            return False
        return self._run.merge or self._of(node).status != COMPLETED

    def _act(self, node: Node) -> None:
        if node.state != RUNNING:
            return
        known = self._of(node)
        leaving = self._run.state == CANCELLED or node.error.get("code") == LEAVING
        current = known.session and (node.session_id == known.session)
        if not current and node.adopted:
            self._wakes.append(self._now)  # its session is looked at in the next step
        elif not current:
            if not leaving:
                self._do(START, node)
        elif known.status in AT_WORK:
            if leaving or node.error.get("code") == STALLED:
                self._do(STOP, node)
        elif leaving:
            if not node.adopted:
                self._do(DISCARD, node)
        elif known.status == COMPLETED and self._run.merge:
            self._do(MERGE, node)

    def _do(self, kind: str, node: Node) -> None:
        why = str(node.error.get("message", "")) if kind == STOP else ""
        session = node.session_id if kind != START else ""
        self._actions.append(Action(kind=kind, node=node.name, attempt=node.attempts, session=session, why=why))


def _not_passed(node: Node) -> dict[str, Any]:
    guard = node.rule["guard"]
    wanted = "is not as expected" if "expected" in guard else "is not set, or false"
    message = f"its guard did not let it pass: {str(guard['key'])[:LONGEST_KEY]!r} {wanted}"
    return {"code": "guard", "message": message, "guard": guard}


def _skipped_join(node: Node, nodes: Mapping[str, Node]) -> bool:
    return node.tool == JOIN and joined(node, nodes) == SKIPPED
