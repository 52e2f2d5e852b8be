from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from deedlog.core.errors import NotFound, Unavailable
from deedlog.core.gate.server import Status
from deedlog.gateway.engine import STARTS_AT_ONCE
from deedlog.ports import Offer, Silent
from tests.engines.gateway.standing_by import Bench, Caller, HandTimers, is_running, until
from tests.engines.gateway.stub_server import stub

Json = dict[str, Any]
SECRET = "hidden-value-1"


@pytest.fixture
def benches() -> Iterator[list[Bench]]:
    made: list[Bench] = []
    yield made
    for bench in made:
        bench.gateway.close()


def made(benches: list[Bench], folder: Path, servers: dict[str, list[object]], **options: Any) -> Bench:
    bench = Bench(folder, servers, **options)
    benches.append(bench)
    return bench


def test_a_project_without_a_store_mounts_all_the_same(tmp_path: Path, benches: list[Bench]) -> None:
    bench = made(benches, tmp_path, {"one": []})
    assert not (tmp_path / "root/.deedlog").exists()
    bench.mount("one")
    assert bench.call("one", "echo")["content"]
    assert (tmp_path / "root/.deedlog/store").stat().st_mode & 0o077 == 0


def program(path: Path, record: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_text("#!/bin/sh\nexec " + " ".join(map(str, stub("--record", record))) + "\n")
    path.chmod(0o755)


@pytest.mark.proves("gate:launch:direct")
@pytest.mark.parametrize("direct", ["yes", "no"])
def test_whether_wrappers_are_left_out_is_a_setting(tmp_path: Path, benches: list[Bench], direct: str) -> None:
    tool = tmp_path / "home/.local/share/uv/tools/tiny"
    program(tool / "bin/tiny", tmp_path / "yes")
    (tool / "uv-receipt.toml").touch()
    program(tmp_path / "bin/uvx", tmp_path / "no")
    (tmp_path / "home").mkdir(exist_ok=True)
    path = f"{tmp_path}/bin{os.pathsep}{os.environ['PATH']}"
    bench = made(benches, tmp_path, {}, environment={"PATH": path}, gateway_direct=direct)
    (tmp_path / "user/servers.json").write_text('{"mcpServers": {"tiny": {"command": "uvx", "args": ["tiny"]}}}')
    bench.mount("tiny")
    assert [name for name in ("yes", "no") if (tmp_path / name).exists()] == [direct]


def test_names_are_found_however_people_write_them(tmp_path: Path, benches: list[Bench]) -> None:
    bench = made(benches, tmp_path, {"my-server": []})
    assert bench.gateway.standing("My Server").server.name == "my-server"
    with pytest.raises(NotFound) as refused:
        bench.gateway.standing("my-sever")
    assert "my-server" in refused.value.hint


def test_only_so_many_start_at_once_and_all_do(tmp_path: Path, benches: list[Bench]) -> None:
    go = tmp_path / "go"
    names = [f"s{number}" for number in range(STARTS_AT_ONCE + 3)]
    bench = made(benches, tmp_path, {name: ["--start-after", go] for name in names})
    with ThreadPoolExecutor(len(names)) as pool:
        starting = [pool.submit(bench.mount, name) for name in names]
        until(lambda: len(children(tmp_path)) == STARTS_AT_ONCE)
        go.touch()
        for each in starting:
            each.result()
    assert set(bench.gateway.mounted()) == set(names)
    assert bench.call(names[-1], "echo")["content"]


def children(folder: Path) -> list[str]:
    files = (folder / "root/.deedlog/store/gateway").glob("*.jsonl")
    rows = [json.loads(line) for path in files for line in path.read_text().splitlines()]
    return [row["server"] for row in rows if "child" in row]


def test_several_are_started_at_once_and_those_that_fail_are_left_out(tmp_path: Path, benches: list[Bench]) -> None:
    bench = made(benches, tmp_path, {"one": [], "two": [], "bad": ["--crash", "start"]})
    assert sorted(bench.gateway.start_all(["one", "bad", "two"], Silent())) == ["one", "two"]
    assert "status 7" in bench.gateway.standing("bad").reason


def test_one_that_was_known_before_is_mounted_without_being_started(tmp_path: Path, benches: list[Bench]) -> None:
    bench = made(benches, tmp_path, {"one": []})
    offer = Offer(tools=[{"name": "echo"}])
    bench.gateway.mount("one", offer)
    assert bench.gateway.mounted() == {"one": offer}
    assert bench.gateway.standing("one").status is Status.ACTIVE
    assert bench.starts("one") == []
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda number: bench.call("one", "echo", number=number), range(8)))
    assert [answer["structuredContent"]["arguments"]["number"] for answer in answers] == list(range(8))
    assert len(bench.starts("one")) == 1
    assert bench.refreshed() == ["one"]


def test_what_is_held_back_is_neither_offered_nor_called(tmp_path: Path, benches: list[Bench]) -> None:
    bench = made(benches, tmp_path, {"one": ["--just", "echo,fail"]})
    bench.mount("one")
    bench.gateway.restrict("one", ["echo"])
    assert [tool["name"] for tool in bench.gateway.mounted()["one"].tools] == ["fail"]
    whole = bench.gateway.offered("one")
    assert whole is not None
    assert [tool["name"] for tool in whole.tools] == ["echo", "fail"]
    with pytest.raises(Exception, match="held back"):
        bench.call("one", "echo")
    assert not [row for row in bench.heard("one") if row.get("method") == "tools/call"]


def test_a_mounted_server_runs_as_it_was_when_it_was_mounted(tmp_path: Path, benches: list[Bench]) -> None:
    bench = made(benches, tmp_path, {"one": []}, timers=HandTimers(), gateway_idle_seconds=600)
    bench.mount("one")
    bench.configure({"one": ["--prefix", "other_"]})
    assert any("mount it anew" in found.reason for found in bench.gateway.standings())
    bench.timers.turn(601)
    until(lambda: not is_running(bench.starts("one")[0]))
    assert bench.call("one", "echo")["content"]
    bench.configure({})
    assert bench.gateway.standing("one").status is Status.ACTIVE
    assert "one" in {found.server.name for found in bench.gateway.standings() if found.status is Status.ACTIVE}
    bench.gateway.unmount("one")
    with pytest.raises(NotFound):
        bench.gateway.standing("one")


def test_what_a_server_says_is_told_without_the_secrets_it_was_given(tmp_path: Path, benches: list[Bench]) -> None:
    bench = made(benches, tmp_path, {"one": []}, environment={"KEY": SECRET})
    entry = {"one": {"env": {"KEY": "${KEY}"}}}
    bench.configure({"one": []}, **entry)
    bench.mount("one")
    with pytest.raises(Unavailable) as refused:
        bench.call("one", "refuse", code=-32001, text=f"no {SECRET}", data={"deep": [SECRET]})
    assert refused.value.data["rpc"] == {"code": -32001, "message": "no [redacted]", "data": {"deep": ["[redacted]"]}}
    assert refused.value.message == "one refused tools/call"
    bench.gateway.unmount("one")
    bench.configure({"one": ["--crash", "start", "--secret", SECRET]}, **entry)
    with pytest.raises(Unavailable) as failed:
        bench.gateway.start("one", Silent())
    assert "[redacted]" in str(failed.value.data["said"])
    assert SECRET not in str(failed.value.data)


def test_one_has_a_server_to_oneself_and_who_gives_up_waiting_is_let_go(tmp_path: Path, benches: list[Bench]) -> None:
    bench = made(benches, tmp_path, {})
    caller, inside = Caller(), threading.Event()

    def second() -> None:
        with bench.gateway.alone("one", caller):
            inside.set()

    with ThreadPoolExecutor(1) as pool:
        with bench.gateway.alone("one", Silent()), bench.gateway.alone("two", Silent()):
            waiting = pool.submit(second)
            caller.gave_up = True
            with pytest.raises(Unavailable):
                waiting.result()
        caller.gave_up = False
        pool.submit(second).result()
    assert inside.is_set()


@pytest.mark.proves("gate:mount:no-orphans")
def test_everything_stops_when_it_is_closed(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"one": ["--linger"], "two": ["--linger", "--ignore-term"], "three": ["--silent"]})
    bench.mount("one")
    bench.mount("two")
    with ThreadPoolExecutor(2) as pool:
        starting = pool.submit(bench.gateway.start, "three", Silent())
        calling = pool.submit(bench.call, "one", "wait")
        until(lambda: any(row.get("method") == "initialize" for row in bench.heard("three")))
        until(lambda: any(row.get("method") == "tools/call" for row in bench.heard("one")))
        bench.gateway.close()
        for each in (starting, calling):
            with pytest.raises(Unavailable):
                each.result()
    for name in ("one", "two", "three"):
        assert not is_running(bench.starts(name)[0])
    assert [(row["tool"], row["outcome"]) for row in bench.passages()] == [("wait", "failed")]
    with pytest.raises(Unavailable):
        bench.gateway.start("one", Silent())


def test_a_hundred_calls_in_flight_are_all_answered(tmp_path: Path, benches: list[Bench]) -> None:
    bench = made(benches, tmp_path, {"one": []})
    free = tmp_path / "free"
    bench.mount("one")
    with ThreadPoolExecutor(100) as pool:
        calls = [pool.submit(bench.call, "one", "wait", file=str(free), number=n) for n in range(100)]
        until(lambda: sum(row.get("method") == "tools/call" for row in bench.heard("one")) == 100)
        assert bench.call("one", "echo", text="meanwhile")["content"]
        free.touch()
        assert {call.result()["content"][0]["text"] for call in calls} == {"waited"}
    bench.gateway.close()
    assert len({row["id"] for row in bench.passages()}) == 101
