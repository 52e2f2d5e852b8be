"""What tests of mounted servers share: an engine on configured stubs, timers that are turned by hand, waiting."""

from __future__ import annotations

import heapq
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from deedlog import settings
from deedlog.gateway.engine import LocalGateway
from deedlog.gateway.places import Places
from deedlog.gateway.timers import Timer, Timers
from deedlog.ports import Silent
from tests.engines.gateway.stub_server import stub

PATIENCE = 60.0  # seconds; only a test that fails waits so long
Json = dict[str, Any]


def until(happened: Callable[[], Any], what: str = "it") -> Any:
    """What `happened` returns once that is anything."""
    end = time.monotonic() + PATIENCE
    while not (found := happened()):
        assert time.monotonic() < end, f"{what} did not happen"
        time.sleep(0.01)
    return found


class HandTimers(Timers):
    """Time passes when the test says so; what is due then is done at once."""

    def __init__(self) -> None:
        super().__init__()
        self.moment = 1000.0
        self.waiting: list[Timer] = []

    def now(self) -> float:
        return self.moment

    def after(self, seconds: float, action: Callable[[], None]) -> Timer:
        timer = Timer(self.moment + seconds, action)
        heapq.heappush(self.waiting, timer)
        return timer

    def turn(self, seconds: float) -> None:
        self.moment += seconds
        while self.waiting and self.waiting[0].at <= self.moment:
            timer = heapq.heappop(self.waiting)
            if not timer.off:
                timer.action()

    def restarts(self) -> list[float]:
        """In how many seconds something is started again."""
        waiting = [timer for timer in list(self.waiting) if not timer.off and timer.action.__name__ == "_restart"]
        return sorted(round(timer.at - self.moment, 3) for timer in waiting)


class Caller(Silent):
    """A caller that can give up."""

    def __init__(self) -> None:
        self.gave_up = False

    def cancelled(self) -> bool:
        return self.gave_up


class Bench:
    """An engine in a folder; `servers` are the stubs' switches by name. What it has recorded is in `asides`."""

    def __init__(self, folder: Path, servers: dict[str, list[object]], **options: Any) -> None:
        self.folder = folder
        self.asides: list[tuple[str, Json]] = []
        self.away = False  # the store
        self.meanwhile: Callable[[str, Json], object] = lambda _name, _arguments: None
        self.timers = options.pop("timers", None)
        serving = options.pop("serving", True)
        for name in ("root", "user", "home"):
            (folder / name).mkdir(exist_ok=True)
        self.configure(servers)
        self.places = Places(
            root=str(folder / "root"),
            store=str(folder / "root/.deedlog/store"),
            state=str(folder / "root/.deedlog"),
            user=str(folder / "user"),
            home=str(folder / "home"),
            environment={"PATH": os.environ["PATH"], "HOME": str(folder / "home"), **options.pop("environment", {})},
        )
        values = {**settings.load(os.sep, {}, {}).values, **options}
        self.gateway = LocalGateway(
            self.places, values, serving=serving, aside=self.aside, report=repr, timers=self.timers
        )

    def configure(self, servers: dict[str, list[object]], **more: Json) -> None:
        entries = {name: self.entry(name, switches) | more.get(name, {}) for name, switches in servers.items()}
        (self.folder / "user/servers.json").write_text(json.dumps({"mcpServers": entries}))

    def entry(self, name: str, switches: list[object]) -> Json:
        command, *args = stub("--record", self.record(name), *switches)
        return {"command": command, "args": args}

    def aside(self, name: str, arguments: Json) -> bool:
        if self.away:
            return False
        self.meanwhile(name, arguments)
        self.asides.append((name, arguments))
        return True

    def record(self, name: str) -> str:
        return str(self.folder / f"{name}.record")

    def heard(self, name: str) -> list[Json]:
        """What reached the stub so far."""
        try:
            lines = Path(self.record(name)).read_text().splitlines()
        except FileNotFoundError:
            return []
        return [json.loads(line) for line in lines if line.endswith("}")]

    def starts(self, name: str) -> list[int]:
        """The processes of it that were started."""
        return [row["started"] for row in self.heard(name) if "started" in row]

    def mount(self, name: str) -> None:
        self.gateway.mount(name, self.gateway.start(name, Silent()))

    def call(self, server: str, tool: str, peer: Any = None, **arguments: Any) -> Json:
        params = {"name": tool, "arguments": arguments}
        return self.gateway.ask(server, "tools/call", params, peer or Silent(), "tester")

    def refreshed(self) -> list[str]:
        return [arguments["server"] for name, arguments in list(self.asides) if name == "mcp_refresh"]

    def passages(self) -> list[Json]:
        return [row for name, told in list(self.asides) if name == "mcp_record" for row in told["passages"]]


def is_running(pid: int) -> bool:
    """Whether a process is there and has not ended, even if nobody has asked how."""
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
