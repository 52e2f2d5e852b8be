"""A scripted agent: what it calls, what it does to files, and what came of its tasks."""

from __future__ import annotations

from deedlog.faces.cli.demo import plain_git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.faces.cli.demo.scratch import Scratch
    from deedlog.faces.cli.demo.server import McpServer

    Json = dict[str, Any]

AGENT = "it"


class Agent:
    """`story` has every call and every deed in their order, `tasks` what was found at the end of each task."""

    def __init__(self, server: McpServer, scratch: Scratch) -> None:
        self._server = server
        self._scratch = scratch
        self._starts: dict[str, tuple[str, set[str]]] = {}
        self.story: list[Json] = []
        self.tasks: list[Json] = []

    def read(self, tool: str, **arguments: Any) -> Json:
        """Ask for something that is no part of the story."""
        return self._server.call(tool, arguments)

    def call(self, tool: str, **arguments: Any) -> Json:
        answer = self._server.call(tool, arguments)
        self.story.append({"tool": tool, "arguments": arguments, "answer": answer})
        return answer

    def start_task(self, **arguments: Any) -> str:
        start = plain_git.head(self._scratch), plain_git.dirty(self._scratch)
        task_id: str = self.call("start_task", **arguments)["task_id"]
        self._starts[task_id] = start
        return task_id

    def complete_task(self, **arguments: Any) -> None:
        task_id = arguments["task_id"]
        head, dirty = self._starts[task_id]
        claims, unseen = plain_git.claimed(self._scratch, head), plain_git.untracked(self._scratch)
        answer = self.call("complete_task", **arguments)
        report = self.read("task_report", task_id=task_id)
        changes = self.read("task_changes", task_id=task_id)["changes"]
        told = {name: report[name] for name in ("task_id", "name", "status", "areas", "duration_seconds")}
        self.tasks.append(
            {
                **told,
                "changes": changes,
                "lines": answer.get("lines", {"added": 0, "deleted": 0}),
                "verification": answer["verification"],
                "git": plain_git.compared(claims, changes, dirty, unseen),
            }
        )

    def write(self, path: str, text: str, *, who: str = AGENT) -> None:
        self._scratch.write(path, text)
        self._did(who, "writes", path)

    def edit(self, path: str, old: str, new: str, *, who: str = AGENT) -> None:
        self._scratch.write(path, self._scratch.read(path).replace(old, new))
        self._did(who, "edits", path)

    def rename(self, old: str, new: str) -> None:
        self._scratch.move(old, new)
        self._did(AGENT, "renames", f"{old} to {new}")

    def delete(self, path: str) -> None:
        self._scratch.remove(path)
        self._did(AGENT, "deletes", path)

    def commit(self, *paths: str, message: str) -> None:
        self._scratch.commit(*paths, message=message)
        self._did(AGENT, "commits", *(paths or ("everything (git add --all)",)))

    def merge(self, branch: str) -> None:
        self._scratch.git("merge", "--quiet", "--no-edit", branch)
        self._did(AGENT, "merges", f"the branch {branch}")

    def _did(self, who: str, verb: str, *what: str) -> None:
        last = self.story[-1] if self.story else {}
        if (last.get("who"), last.get("did")) == (who, verb):
            last["what"] += what
        else:
            self.story.append({"who": who, "did": verb, "what": [*what]})
