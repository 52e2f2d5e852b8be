"""Those who work in the shop's repository, and how they call operations and change files."""

from __future__ import annotations

from deedlog.app import Caller
from deedlog.core.caller import Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.app import App
    from deedlog.faces.cli.demo.scratch import Scratch
    from deedlog.faces.cli.demo.shop.clock import PastClock

    Json = dict[str, Any]

CLAUDE, CODEX, MIRA = "claude-code/3f9a1c", "codex/b27e04", "mira"


class Team:
    """Calls go to a real app, whose clock is turned between them."""

    def __init__(self, app: App, clock: PastClock, scratch: Scratch) -> None:
        self._app = app
        self.clock = clock
        self.scratch = scratch

    def call(self, actor: str, operation: str, **arguments: Any) -> Json:
        answer: Json = self._app.call(
            operation, arguments, Caller(actor=actor, kind=Kind.AGENT if "/" in actor else Kind.PERSON)
        )
        return answer

    def workflow(self, actor: str, name: str, description: str, *plan: tuple[str, str]) -> str:
        steps = {"plan": [{"step": step, "goal": goal} for step, goal in plan]} if plan else {}
        started = self.call(actor, "start_workflow", name=name, description=description, **steps)
        workflow_id: str = started["workflow_id"]
        return workflow_id

    def commit(self, message: str, author: str = "Claude") -> None:
        self.scratch.commit(message=message, author=author, at=self.clock.seconds)


class Work:
    """One task that an agent starts, does in steps, and completes."""

    def __init__(
        self,
        team: Team,
        workflow_id: str,
        name: str,
        goal: str,
        *,
        areas: list[str],
        actor: str = CLAUDE,
        parent: str = "",
    ) -> None:
        self._team = team
        self._actor = actor
        below = {"parent_task_id": parent} if parent else {}
        started = team.call(actor, "start_task", workflow_id=workflow_id, name=name, goal=goal, areas=areas, **below)
        self.task_id: str = started["task_id"]

    def after(self, minutes: float) -> Work:
        self._team.clock.turn(minutes)
        return self

    def milestone(self, message: str, progress: int) -> Work:
        self._call("log_milestone", message=message, progress=progress)
        return self

    def decide(self, category: str, question: str, chosen: str, reasoning: str, *options: str, **more: str) -> str:
        logged = self._call(
            "log_decision",
            category=category,
            question=question,
            chosen=chosen,
            reasoning=reasoning,
            options_considered=[*options],
            **more,
        )
        decision_id: str = logged["decision_id"]
        return decision_id

    def meet(self, kind: str, description: str, resolution: str, *, review: bool = False) -> Work:
        self._call("log_issue", type=kind, description=description, resolution=resolution, requires_human_review=review)
        return self

    def write(self, path: str, text: str) -> Work:
        self._team.scratch.write(path, text)
        return self

    def edit(self, path: str, *changes: tuple[str, str]) -> Work:
        text = self._team.scratch.read(path)
        for old, new in changes:
            assert old in text, (path, old)
            text = text.replace(old, new)
        return self.write(path, text)

    def commit(self, message: str) -> Work:
        self._team.commit(message, author="Codex" if self._actor == CODEX else "Claude")
        return self

    def complete(self, summary: str, status: str = "success", **more: Any) -> Json:
        outcome = {name: value for name, value in more.items() if name != "metadata"}
        metadata = {"metadata": more["metadata"]} if "metadata" in more else {}
        return self._call("complete_task", status=status, outcome={"summary": summary, **outcome}, **metadata)

    def _call(self, operation: str, **arguments: Any) -> Json:
        return self._team.call(self._actor, operation, task_id=self.task_id, **arguments)
