"""What happens in the shop right now: workers side by side, some in trouble, and a plan that goes on."""

from __future__ import annotations

import json
import os
import shutil

from deedlog.faces.cli.demo.shop import parcels
from deedlog.faces.cli.demo.shop.people import CLAUDE, MIRA

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from deedlog.faces.cli.demo.shop.desk import Desk

    Json = dict[str, Any]

SERVERS = ".deedlog/servers.json"
PROGRAM = "tools/parcels.py"
WAIT_SECONDS = 60
SHORT = (
    "Focus that can be seen",
    "Greet by name",
    "Greet politely",
    "Count in other currencies",
    "Translate the shop",
    "Import the price list",
)


NEXT = "Faster product pages"
AGAIN = (
    ("Measure first views", "What takes how long, on a slow telephone?"),
    ("Load pictures late", "Only what is on the screen."),
    ("Fewer requests", "One style sheet, one font."),
)


class Present:
    def __init__(self, desk: Desk, tasks: dict[str, int], workflow: str) -> None:
        self._desk = desk
        self._tasks = tasks
        self._workflow = workflow
        self._rounds = 0  # begun while somebody watches

    def begin(self) -> None:
        """The plan runs first: its workers are the ones to be watched."""
        self._desk.call(CLAUDE, "plan_run", workflow_id=self._workflow, parallelism=3, merge=True, label="saved cards")
        started = {title: self._run(title) for title in SHORT}
        self._run("Shrink the pictures", attempts=2)
        self._wait(*(number for title, number in started.items() if title != "Translate the shop"))
        self._merge("Focus that can be seen")
        self._merge("Greet by name")
        self._merge("Greet politely")  # conflicts with the one before
        self._merge("Count in other currencies")  # its test fails
        self._wait(started["Translate the shop"])  # its budget is used up

    def mount_a_server(self) -> None:
        """A server of somebody else's, mounted for whoever talks to this one over HTTP."""
        self._desk.call(MIRA, "mcp_enable", name="parcels", yes=True)
        self._desk.call(CLAUDE, "mcp_activate", name="parcels")
        for number in ("TC-1041", "TC-1042", "TC-0000"):
            try:
                self._desk.call(CLAUDE, "mcp_call", tool="track_parcel", server="parcels", arguments={"number": number})
            except Exception:  # noqa: BLE001, S110  # a parcel that nobody knows: the ledger has it as failed
                pass

    def go_on(self) -> None:
        """When all is done, begin something new: there is always something to watch."""
        if self._runs():
            return
        self._rounds += 1
        name = f"{NEXT}, round {self._rounds}"
        workflow = self._desk.call(CLAUDE, "start_workflow", name=name, description="First views in half a second.")
        before: list[int] = []
        for title, description in AGAIN:
            more = {
                "workflowId": workflow["workflow_id"],
                "assignee": "builder",
                "labels": "speed",
                "dependsOn": before,
            }
            made = self._desk.call(MIRA, "task_create", title=title, description=description, **more)
            before = [made["id"]] if before or title == AGAIN[0][0] else []
        self._desk.call(CLAUDE, "plan_run", workflow_id=workflow["workflow_id"], parallelism=2, label=name)

    def end(self) -> None:
        """Stop all that runs, so that nothing is left behind."""
        runs = self._runs()
        for run in runs:
            self._desk.call(MIRA, "plan_cancel", run_id=run)
        left = [*self._sessions("queued"), *self._sessions("running")]
        for session in left:
            self._desk.call(MIRA, "worker_stop", sessionId=session, reason="the demo is over")
        if left:
            self._wait(*left)
        for run in runs:
            self._desk.call(MIRA, "plan_wait", run_id=run, timeout_seconds=WAIT_SECONDS)

    def _runs(self) -> list[str]:
        """The runs that are not over."""
        return [run["run_id"] for run in self._desk.call(MIRA, "plan_list")["runs"] if run["finished_at"] is None]

    def _sessions(self, status: str) -> list[int]:
        return [row["id"] for row in self._desk.call(MIRA, "session_list", status=status)["sessions"]]

    def _run(self, title: str, **more: Any) -> int:
        answer = self._desk.call(MIRA, "worker_run", taskId=self._tasks[title], **more)
        return int(answer.get("sessionId", 0))

    def _wait(self, *sessions: int) -> None:
        self._desk.call(MIRA, "worker_wait", sessionIds=[*sessions], timeoutSeconds=WAIT_SECONDS)

    def _merge(self, title: str) -> None:
        try:
            self._desk.call(MIRA, "worker_done", taskId=self._tasks[title])
        except Exception:  # noqa: BLE001, S110  # that it cannot be merged is what is to be seen
            pass


def configure_servers(folder: str) -> None:
    """As the repository brings it along: the program, and how it is started."""
    for place in (SERVERS, PROGRAM):
        os.makedirs(os.path.join(folder, os.path.dirname(place)), exist_ok=True)
    shutil.copy(parcels.__file__, os.path.join(folder, PROGRAM))
    command = {"command": "python3", "args": [PROGRAM], "description": "Where a parcel is"}
    with open(os.path.join(folder, SERVERS), "w", encoding="utf-8") as file:
        json.dump({"mcpServers": {"parcels": command}}, file, indent=2)
