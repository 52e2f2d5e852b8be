"""(j) What a mounted server costs: a call through us against a direct one, the least possible, and other gateways."""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from benchmarks.fronts import Http, Stdio, free_port
from benchmarks.measure import DEEDLOG, HANDSHAKE, PYTHON, report, repository
from tests.e2e.conftest import ROOT, npm_installed, pip_installed
from tests.e2e.others import Others
from tests.engines.gateway.stub_server import stub

Json = dict[str, Any]
CALLS_A_ROUND = 40
HERE = Path(__file__).parent
ARGUMENTS: Json = {"timezone": "Europe/Paris"}


@contextmanager
def user(folder: Path, servers: Mapping[str, Json]) -> Iterator[Path]:
    """A repository, and for its programs a home where these servers are configured."""
    home = folder / "home/.config/deedlog"
    home.mkdir(parents=True)
    (home / "servers.json").write_text(json.dumps({"mcpServers": servers}))
    before = dict(os.environ)
    os.environ.update(HOME=str(folder / "home"), DEEDLOG_TOKEN="secret")
    try:
        yield repository(folder / "repo")
    finally:
        os.environ.clear()
        os.environ.update(before)


def timed(arms: Mapping[str, Callable[[], object]], calls: int) -> dict[str, list[float]]:
    """Milliseconds of every call; all arms take turns, call by call."""
    order = list(arms)
    shuffle = random.Random(1).shuffle
    found: dict[str, list[float]] = {name: [] for name in arms}
    for name in order:
        arms[name]()
    for _ in range(calls):
        shuffle(order)
        for name in order:
            start = time.perf_counter()
            arms[name]()
            found[name].append((time.perf_counter() - start) * 1e3)
    return found


def compared(
    kind: str, gateways: Mapping[str, Any], tools: Mapping[str, str], base: str, arguments: Json, calls: int
) -> None:
    """Medians, tenth percentiles and CPU per call of gateways, the first two as ratios to `base`."""

    def calling(name: str) -> Callable[[], object]:
        return lambda: gateways[name].call(tools[name], arguments)

    before = {name: gateway.cpu() for name, gateway in gateways.items()}
    found = timed({name: calling(name) for name in gateways}, calls)
    spent = {name: (gateway.cpu() - before[name]) / (calls + 1) * 1e3 for name, gateway in gateways.items()}
    median = {name: statistics.median(values) for name, values in found.items()}
    tenth = {name: statistics.quantiles(values, n=10)[0] for name, values in found.items()}
    for name in gateways:
        figures = f"{median[name] / median[base]:.2f}x"
        more = f"p10 {tenth[name] / tenth[base]:.2f}x, {median[name]:.2f} ms, CPU {spent[name]:.2f} ms"
        report(f"(j) call {kind}, {name} ({more})", figures, AIMS.get(name, "for comparison"))


AIMS = {"ours": "ahead of the others", "a raw pass-through": "the floor"}


def over_stdio(kind: str, server: Json, tool: str, arguments: Json, folder: Path, calls: int) -> None:
    command = [server["command"], *server["args"]]
    with user(folder, {"back": server}) as repo, ExitStack() as open_ones:
        fastmcp = [str(pip_installed("fastmcp") / "python"), str(HERE / "fastmcp_proxy.py"), "stdio", *command]
        commands = {
            "direct": (command, tool),
            "a raw pass-through": ([PYTHON, "-S", str(HERE / "pass_through.py"), "back", *command], f"back__{tool}"),
            "ours": ([DEEDLOG, "mcp", "serve"], f"back__{tool}"),
            "FastMCP's proxy": (fastmcp, tool),
        }
        gateways = {
            name: open_ones.enter_context(Stdio(line, repo)).handshake() for name, (line, _) in commands.items()
        }
        gateways["ours"].call("mcp_activate", {"name": "back"})
        tools = {name: called for name, (_, called) in commands.items()}
        compared(f"of {kind} over stdio", gateways, tools, "direct", arguments, calls)


def over_http(kind: str, server: Json, tool: str, arguments: Json, folder: Path, calls: int) -> None:
    command = [server["command"], *server["args"]]
    with user(folder, {"back": server}) as repo, ExitStack() as open_ones:
        proxy = [str(pip_installed("mcp-proxy") / "mcp-proxy"), "--pass-environment", "--log-level", "ERROR", "--port"]
        fastmcp = [str(pip_installed("fastmcp") / "python"), str(HERE / "fastmcp_proxy.py")]
        commands: dict[str, Callable[[str], list[str]]] = {
            "ours": lambda port: [DEEDLOG, "serve", "--port", port],
            "mcp-proxy": lambda port: [*proxy, port, "--", *command],
            "FastMCP's proxy": lambda port: [*fastmcp, port, *command],
        }
        gateways: dict[str, Any] = {"direct, over stdio": open_ones.enter_context(Stdio(command, repo)).handshake()}
        for name, line in commands.items():
            port = free_port()
            one = Http(line(str(port)), repo, port, dict(os.environ))
            gateways[name] = open_ones.enter_context(one).handshake()
        gateways["ours"].call("mcp_activate", {"name": "back"})
        tools = {name: f"back__{tool}" if name == "ours" else tool for name in gateways}
        compared(f"of {kind} over HTTP", gateways, tools, "direct, over stdio", arguments, calls)


def activation(servers: Mapping[str, Json], folder: Path) -> None:
    with user(folder, servers) as repo, Stdio([DEEDLOG, "mcp", "serve"], repo) as ours:
        ours.handshake()
        for name in servers:
            start = time.perf_counter()
            ours.call("mcp_activate", {"name": name})
            whole = (time.perf_counter() - start) * 1e3
            told = subprocess.run([DEEDLOG, "mcp", "test", name, "--json"], cwd=repo, check=True, capture_output=True)
            spent = json.loads(told.stdout)["seconds"]
            split = ", ".join(f"{part} {seconds * 1e3:.0f}" for part, seconds in spent.items())
            report(f"(j) activating {name}: {split} ms; the whole call", f"{whole:.0f} ms", "for comparison")


def listing(folder: Path, rounds: int) -> None:
    """50 servers with 20 tools each, mounted as a person says that they shall be at every start."""
    command, *arguments = stub("--just", ",", "--tools", 20, "--only-tools")
    servers = {f"server-{number}": {"command": command, "args": arguments, "boot": True} for number in range(50)}
    with user(folder, servers) as repo, Stdio([DEEDLOG, "mcp", "serve"], repo) as ours:
        start = time.perf_counter()
        ours.handshake()
        while sum("__" in tool["name"] for tool in tools_of(ours)) < 1000:
            time.sleep(0.05)
        report("(j) 50 servers with 20 tools each, mounted at start", f"{time.perf_counter() - start:.1f} s", "5.9 s")
        found = timed({"list": lambda: tools_of(ours)}, rounds)["list"]
        report("(j) tools/list of 1000 mounted tools, all pages", f"{statistics.median(found):.0f} ms", "<= 30 ms")
        report("(j) memory of our server with 50 servers mounted", f"{ours.megabytes():.0f} MB", "<= 85 MB")


def tools_of(server: Stdio) -> list[Json]:
    found: list[Json] = []
    page: Json = {}
    while True:
        answer = server.request("tools/list", page)
        found += answer["tools"]
        if "nextCursor" not in answer:
            return found
        page = {"cursor": answer["nextCursor"]}


def context(servers: Mapping[str, Json], folder: Path) -> None:
    """Tokens that an agent pays for: instructions and tools, a token being four characters."""
    with user(folder, servers) as repo, Stdio([DEEDLOG, "mcp", "serve"], repo) as ours:
        said = ours.request("initialize", HANDSHAKE).get("instructions", "")
        report("(j) tokens of instructions, with the catalogue", f"{len(said) / 4:.0f}", "<= 600 for the catalogue")
        mounted = 0
        for name in ["", *servers]:
            if name:
                ours.call("mcp_activate", {"name": name})
                mounted += 1
            size = len(json.dumps(tools_of(ours), ensure_ascii=False, separators=(",", ":")))
            if mounted in {0, 1, 5}:
                report(f"(j) tokens of tools/list, {mounted} mounted", f"{size / 4:.0f}", "for comparison")


def measure(work: Path, rounds: int) -> None:
    others = Others(npm_installed("node", ROOT / "tests/node"), pip_installed("servers"))
    calls = rounds * CALLS_A_ROUND
    command, *arguments = stub("--just", "echo", "--only-tools")
    plain = {"command": command, "args": arguments}
    over_stdio("mcp-server-time", others.time(), "get_current_time", ARGUMENTS, work / "time", calls)
    over_stdio("a stub", plain, "echo", {"text": "x"}, work / "stub", calls)
    over_http("mcp-server-time", others.time(), "get_current_time", ARGUMENTS, work / "http", calls)
    listing(work / "listing-1000", rounds)
    activation({"time": others.time(), "everything": others.everything(), "stub": plain}, work / "activation")
    five = {
        "time": others.time(),
        "git": others.git(repository(work / "git")),
        "filesystem": others.filesystem(work),
        "memory": others.memory(work / "m.jsonl"),
        "everything": others.everything(),
    }
    context(five, work / "context")
