from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from deedlog.core.errors import Unavailable
from deedlog.gateway import journal as journals
from deedlog.gateway.journal import Journal
from deedlog.gateway.leftovers import read, settle
from deedlog.ports import Silent
from deedlog.process import mark_of
from tests.engines.gateway.standing_by import Bench, Caller, is_running, until

Json = dict[str, Any]

WORKING = """
import json, sys, threading
from pathlib import Path
from deedlog.ports import Silent
from tests.engines.gateway.standing_by import Bench
bench = Bench(Path(sys.argv[1]), {"one": []})
bench.away = True
bench.mount("one")
bench.call("one", "echo", text="done")
print(json.dumps(bench.starts("one")), flush=True)
bench.call("one", "wait", text="sk-secretsecretsecretsecret")
"""


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path, {"one": ["--secret", "x"]}, environment={"KEY": "hidden-value-1"})
    made.configure({"one": []}, one={"env": {"KEY": "${KEY}"}})
    yield made
    made.gateway.close()


def files(folder: Path) -> list[Path]:
    return sorted((folder / "root/.deedlog/store/gateway").glob("*"))


def said(folder: Path) -> list[Json]:
    return [json.loads(line) for path in files(folder) for line in path.read_text().splitlines()]


def test_a_call_is_written_down_before_it_is_sent_and_recorded_when_it_has_ended(bench: Bench, tmp_path: Path) -> None:
    bench.mount("one")
    free = tmp_path / "free"
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(bench.call, "one", "wait", file=str(free))
        until(lambda: any(row.get("method") == "tools/call" for row in bench.heard("one")))
        begun = [row["begin"] for row in said(tmp_path) if "begin" in row]
        assert [(row["tool"], row["actor"]) for row in begun] == [("wait", "tester")]
        assert bench.passages() == []
        free.touch()
        running.result()
    (passage,) = until(bench.passages)
    assert (passage["id"], passage["outcome"], passage["server"]) == (begun[0]["id"], "ok", "one")
    assert passage["characters"] == len("text" + "waited")
    assert passage["principal"] == bench.gateway.principal


def test_every_end_is_told_apart(bench: Bench) -> None:
    bench.mount("one")
    gone, caller = [], Caller()
    caller.gave_up = True
    bench.call("one", "fail")
    for tool, peer, arguments in (("refuse", None, {}), ("wait", caller, {}), ("die", None, {})):
        with pytest.raises(Unavailable):
            gone.append(bench.call("one", tool, peer, **arguments))
    bench.gateway.ask("one", "prompts/get", {"name": "greet", "arguments": {"who": "me"}}, Silent(), "tester")
    bench.gateway.ask("one", "resources/read", {"uri": "stub://a"}, Silent(), "tester")
    bench.gateway.ask("one", "completion/complete", {"argument": {"name": "who", "value": "a"}}, Silent(), "tester")
    bench.gateway.close()
    assert [(row["tool"], row["outcome"]) for row in bench.passages()] == [
        ("fail", "error"),
        ("refuse", "failed"),
        ("wait", "cancelled"),
        ("die", "failed"),
        ("prompts/get greet", "ok"),
        ("resources/read stub://a", "ok"),
    ]
    assert "refused tools/call" in bench.passages()[1]["problem"]


def test_a_call_that_takes_too_long_is_recorded_as_such(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"one": []}, gateway_call_seconds=0.2)
    bench.mount("one")
    with pytest.raises(Unavailable, match="did not answer tools/call"):
        bench.call("one", "wait")
    bench.gateway.close()
    assert [row["outcome"] for row in bench.passages()] == ["timeout"]


def test_secrets_are_in_no_line_and_long_arguments_are_cut(bench: Bench, tmp_path: Path) -> None:
    bench.mount("one")
    bench.call("one", "echo", key="hidden-value-1", token="ghp_" + "a1b2c3" * 8, long="x" * 10_000)
    bench.call("one", "echo", long="y" * 1_980 + "hidden-value-1")
    text = "".join(path.read_text() for path in files(tmp_path))
    bench.gateway.close()
    assert "hidden" not in text
    assert "ghp_" not in text
    kept = [row["arguments"] for row in bench.passages()]
    assert [len(each) for each in kept] == [2_000, 2_000]
    assert "hidden" not in json.dumps(bench.passages())


def test_a_store_that_is_away_delays_no_call_and_loses_none(bench: Bench, tmp_path: Path) -> None:
    bench.away = True
    bench.mount("one")
    for number in range(5):
        bench.call("one", "echo", number=number)
    assert bench.passages() == []
    bench.away = False
    bench.call("one", "echo", number=5)
    bench.gateway.close()
    assert [json.loads(row["arguments"])["number"] for row in bench.passages()] == [0, 1, 2, 3, 4, 5]
    assert files(tmp_path) == []


def test_what_cannot_be_recorded_at_the_end_is_recorded_by_whoever_comes_next(tmp_path: Path) -> None:
    first = Bench(tmp_path, {"one": []})
    first.away = True
    first.mount("one")
    first.call("one", "echo")
    first.gateway.close()
    second = Bench(tmp_path, {"one": []})
    second.mount("one")
    until(second.passages)
    second.gateway.close()
    assert [row["outcome"] for row in second.passages()] == ["ok"]


@pytest.mark.proves("gate:call:ledger", "gate:mount:no-orphans")
def test_what_a_killed_process_left_is_recorded_and_its_servers_are_ended(tmp_path: Path) -> None:
    argv = [sys.executable, "-c", WORKING, str(tmp_path)]
    working = subprocess.Popen(argv, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": os.getcwd()})
    assert working.stdout is not None
    (child,) = json.loads(working.stdout.readline())
    until(lambda: sum("begin" in row for row in said(tmp_path)) == 2)
    os.kill(working.pid, signal.SIGKILL)
    working.wait()
    working.stdout.close()
    principal = said(tmp_path)[0]["principal"]
    bench = Bench(tmp_path, {"one": []})  # opening it is enough
    until(bench.passages)
    until(lambda: not is_running(child))
    bench.gateway.close()
    assert [(row["tool"], row["outcome"]) for row in bench.passages()] == [("echo", "ok"), ("wait", "lost")]
    assert "secretsecret" not in json.dumps(bench.passages())
    over = [told["over"] for name, told in bench.asides if name == "mcp_record" and told.get("over")]
    assert over == [[principal]]
    assert files(tmp_path) == []


def test_the_journal_of_a_living_process_is_left_alone(tmp_path: Path) -> None:
    first, second = Bench(tmp_path, {"one": []}), Bench(tmp_path, {"one": []})
    first.mount("one")
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(first.call, "one", "wait", file=str(tmp_path / "free"))
        until(lambda: any("begin" in row for row in said(tmp_path)))
        second.mount("one")
        second.call("one", "echo")
        second.gateway.close()
        (tmp_path / "free").touch()
        running.result()
    first.gateway.close()
    assert [row["outcome"] for row in second.passages()] == ["ok"]
    assert [row["outcome"] for row in first.passages()] == ["ok"]


def test_a_process_whose_number_was_given_to_another_is_not_ended(tmp_path: Path) -> None:
    bystander = subprocess.Popen(["sleep", "1000"], start_new_session=True)
    try:
        pid, started, space = mark_of(bystander.pid).split(" ", 2)
        folder = tmp_path / "root/.deedlog/store/gateway"
        folder.mkdir(parents=True)
        header = {"process": f"999999999 1 {space}", "principal": "gone", "holds": True, "host": "here"}
        child = {"child": f"{pid} {int(started) - 1} {space}", "server": "one"}
        (folder / "1-1-aa.jsonl").write_text("".join(json.dumps(row) + "\n" for row in (header, child)))
        bench = Bench(tmp_path, {"one": []})
        bench.mount("one")
        until(lambda: ("mcp_record", {"passages": [], "over": ["gone"]}) in bench.asides)
        bench.gateway.close()
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


@pytest.mark.proves("gate:mount:no-orphans")
def test_what_a_server_started_is_ended_also_where_the_server_is_gone_already(tmp_path: Path) -> None:
    bench = Bench(tmp_path, {"one": []})
    folder = tmp_path / "root/.deedlog/store/gateway"
    folder.mkdir(parents=True)
    dead = subprocess.Popen(["true"])
    owner = mark_of(dead.pid)
    dead.wait()
    wrapper = "import os, sys, time; n = os.fork(); n and (print(n, flush=True), sys.stdin.read(), sys.exit())"
    wrapper += "; time.sleep(1000)"
    left: dict[str, int] = {}
    for name, mark in (("ours", owner), ("others", mark_of(1))):
        env = {"DEEDLOG_STARTED_BY": "-".join(mark.split(" ")[:2])}
        argv = [sys.executable, "-I", "-S", "-c", wrapper]
        pipe = subprocess.PIPE
        with subprocess.Popen(argv, env=env, stdin=pipe, stdout=pipe, text=True, start_new_session=True) as process:
            assert process.stdout is not None  # it ends once its standard input does, when its mark is known
            left[name] = int(process.stdout.readline())
            leader = mark_of(process.pid)
        rows = [
            {"process": owner, "principal": f"gone-{name}", "holds": True, "host": "here"},
            {"child": leader, "server": "one"},
        ]
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    try:
        bench.mount("one")
        until(lambda: ("mcp_record", {"passages": [], "over": ["gone-ours"]}) in bench.asides)
        until(lambda: ("mcp_record", {"passages": [], "over": ["gone-others"]}) in bench.asides)
        until(lambda: not is_running(left["ours"]))
        assert is_running(left["others"])
        started = Path(f"/proc/{bench.starts('one')[0]}/environ").read_text().split("\0")
        assert f"DEEDLOG_STARTED_BY={'-'.join(mark_of(os.getpid()).split(' ')[:2])}" in started
    finally:
        os.kill(left["others"], signal.SIGKILL)
        bench.gateway.close()


def test_a_store_that_is_stuck_does_not_keep_us_from_ending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journals, "CLOSE_SECONDS", 0.1)
    go = threading.Event()

    def stuck(_batch: Json) -> bool:
        return go.wait()

    journal = Journal(str(tmp_path / "store/gateway"), "me", holds=True, record=stuck)
    journal.end(journal.begin("one", "echo", "a", ""), "ok")
    journal.close()
    (path,) = (tmp_path / "store/gateway").glob("*.jsonl")
    told: list[Json] = []

    def record(batch: Json) -> bool:
        told.append(batch)
        return True

    settle(str(path.parent), record)
    go.set()
    assert [(row["outcome"], batch["over"]) for batch in told for row in batch["passages"]] == [("ok", ["me"])]
    assert not path.exists()


def test_a_journal_that_cannot_be_written_is_a_refusal_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("in the way")
    journal = Journal(str(tmp_path / "store/gateway"), "me", holds=True, record=lambda _batch: True)
    with pytest.raises(Unavailable, match="store/gateway cannot be written to"):
        journal.open()
    journal.close()


def test_a_line_that_a_full_disk_cuts_costs_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(str(tmp_path / "store/gateway"), "me", holds=True, record=lambda _batch: False)
    journal.open()
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, data: write(file, data[:20]))
    journal.begin("one", "first", "a", "")
    monkeypatch.setattr(os, "write", write)
    journal.begin("one", "second", "a", "")
    (path,) = (tmp_path / "store/gateway").glob("*.jsonl")
    left = read(path.read_bytes())
    assert left is not None
    assert [row["tool"] for row in left.passages] == ["second"]
    journal.close()


def test_a_journal_whose_maker_died_before_it_said_who_it_is_goes(tmp_path: Path) -> None:
    old, young = tmp_path / "1-1-a.jsonl", tmp_path / "1-1-b.jsonl"
    for path in (old, young):
        path.write_text("")
    os.utime(old, (1, 1))
    settle(str(tmp_path), lambda _batch: True)
    assert [path.exists() for path in (old, young)] == [False, True]


def test_a_line_cut_short_loses_no_other(tmp_path: Path) -> None:
    folder = tmp_path / "root/.deedlog/store/gateway"
    folder.mkdir(parents=True)
    header = {"process": "999999999 1 elsewhere", "principal": "gone", "holds": False, "host": "here"}
    begun = {"begin": {"id": "pass-1", "server": "one", "tool": "echo", "actor": "a", "created_at": 5}}
    (folder / "1-1-aa.jsonl").write_text(f'{json.dumps(header)}\n{json.dumps(begun)}\n{{"end":"pa')
    bench = Bench(tmp_path, {"one": []})
    bench.mount("one")
    (passage,) = until(bench.passages)
    bench.gateway.close()
    assert (passage["id"], passage["outcome"]) == ("pass-1", "lost")


def test_the_file_is_written_anew_when_it_grows_and_keeps_what_is_of_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journals, "LARGEST_FILE", 2_000)
    told: list[Json] = []

    def record(batch: Json) -> bool:
        told.append(batch)
        return True

    journal = Journal(str(tmp_path / "store/gateway"), "me", holds=True, record=record)
    journal.open()
    mark = journal.child("one", os.getpid())
    running = journal.begin("one", "long", "a", "")
    for number in range(30):
        journal.end(journal.begin("one", "short", "a", f"{number}" * 20), "ok")
    (path,) = (tmp_path / "store/gateway").glob("*.jsonl")
    until(lambda: path.stat().st_size < 1_000, "rotation")
    kept = [json.loads(line) for line in path.read_text().splitlines()]
    assert kept[0]["principal"] == "me"
    assert [row["child"] for row in kept if "child" in row] == [mark]
    assert [row["begin"]["id"] for row in kept if "begin" in row] == [running["id"]]
    journal.gone(mark)
    journal.end(running, "ok")
    journal.close()
    assert not path.exists()
    assert sum(len(batch["passages"]) for batch in told) == 31
