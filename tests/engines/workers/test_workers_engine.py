from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from deedlog.core.errors import Unavailable
from deedlog.process import this_process
from deedlog.workers import enforcement
from deedlog.workers.engine import LocalWorkers, this_host
from deedlog.workers.environment import for_worker
from deedlog.workers.traces import Held, Traces
from tests.engines.workers.conftest import Desk, living, until
from tests.engines.workers.scripted import NUMBER


def never() -> bool:
    return False


@pytest.fixture
def workers(repo: Path) -> LocalWorkers:
    return LocalWorkers(str(repo), str(repo / ".git/deedlog"))


def test_a_host_is_this_machine_and_stays_so(workers: LocalWorkers) -> None:
    assert workers.host == this_host()
    assert os.uname().nodename.split(".")[0] in workers.host
    assert workers.host.isprintable()
    assert " " not in workers.host


def test_a_supervisor_is_detached_and_waits_until_it_may_look(workers: LocalWorkers, repo: Path) -> None:
    supervisor = workers.supervise(3)
    pid = int(supervisor.process.split()[0])
    stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    assert int(stat[1]) != os.getpid()  # its parent
    assert int(stat[3]) != os.getsid(0)  # its session
    assert workers.lost() == []
    assert not workers.is_dead(supervisor.process)
    supervisor.go()
    until(lambda: workers.is_dead(supervisor.process))
    assert os.listdir(repo / ".git/deedlog/workers") == []
    assert workers.lost() == []


def test_a_supervisor_goes_on_when_whoever_started_it_is_killed(repo: Path) -> None:
    store = str(repo / ".git/deedlog")
    program = (
        "import sys, time; from deedlog.workers.engine import LocalWorkers;"
        f"s = LocalWorkers({str(repo)!r}, {store!r}).supervise(4); print(s.process, flush=True); time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        assert process.stdout
        mark = process.stdout.readline().decode().strip()
        process.kill()
    workers = LocalWorkers(str(repo), store)
    until(lambda: workers.is_dead(mark))  # it found no session
    assert workers.lost() == []


def test_a_supervisor_that_cannot_start_is_refused(repo: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Unavailable):
        LocalWorkers(str(repo), str(tmp_path / "file")).supervise(1)
    with pytest.raises(Unavailable):
        LocalWorkers(str(tmp_path / "gone"), str(tmp_path / "store")).supervise(1)


def test_what_a_project_calls_its_files_does_not_matter(workers: LocalWorkers, repo: Path) -> None:
    (repo / "deedlog").mkdir()
    (repo / "deedlog/__init__.py").write_text("raise SystemExit(3)")
    (repo / "json.py").write_text("raise SystemExit(3)")
    workers.supervise(5).go()


def test_a_dead_supervisor_is_lost_until_it_is_settled_and_leaves_no_process(desk: Desk) -> None:
    desk.spawn("stubborn", "child c1", "child c2 own", "print begun", "hang")
    desk.go()
    until(lambda: desk.lines() == ["begun"])
    assert desk.workers.lost() == []
    os.kill(desk.process.pid, signal.SIGKILL)
    desk.process.wait()
    assert desk.workers.lost() == [NUMBER]
    desk.workers.reap(NUMBER)
    assert [pid for pid in living(str(desk.folder)) if pid != desk.process.pid] == []
    for name in ("c1", "c2"):
        until(lambda name=name: not os.path.exists(f"/proc/{(desk.tree / name).read_text()}"))  # type: ignore[misc]
    assert desk.workers.lost() == [NUMBER]
    desk.workers.settled(NUMBER)
    assert desk.workers.lost() == []


def test_a_worker_ends_with_its_supervisor(desk: Desk) -> None:
    desk.spawn("stubborn", "print begun", "hang")
    desk.go()
    until(lambda: desk.lines() == ["begun"])
    leader = desk.told("worker_begin")[-1]["leader"]
    os.kill(desk.process.pid, signal.SIGKILL)
    desk.process.wait()
    until(lambda: not os.path.exists(f"/proc/{leader}"))


def test_reaping_never_hits_a_process_that_got_the_number_of_a_dead_one(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True) as other:
        held = Held(Traces(str(tmp_path)), 9, this_host())
        _, _, space = this_process().split(" ", 2)
        held.lead(f"{other.pid} 1 {space}")
        os.close(held._file)
        workers = LocalWorkers(str(tmp_path), str(tmp_path))
        assert workers.lost() == [9]
        workers.reap(9)
        assert other.poll() is None
        workers.stop(f"{other.pid} 1 {space}")
        other.communicate(b"\n")
        assert other.returncode == 0


def test_after_a_restart_of_the_machine_no_process_is_taken_for_one_of_before(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True) as other:
        _, started, name, _, *rest = this_process().split(" ")
        mark = " ".join([str(other.pid), started, name, "another-boot", *rest])
        held = Held(Traces(str(tmp_path)), 9, this_host())
        held.lead(mark)
        os.close(held._file)
        workers = LocalWorkers(str(tmp_path), str(tmp_path))
        assert workers.lost() == [9]
        workers.reap(9)
        workers.stop(mark)
        assert other.poll() is None
        other.communicate(b"\n")
        assert other.returncode == 0


def test_a_supervisor_that_came_second_takes_nothing_from_the_first(repo: Path, desk: Desk) -> None:
    """Two calls start the same session at once; the one that loses finds it another's, and ends."""
    desk.spawn("hang")
    second = LocalWorkers(str(repo), str(desk.store)).supervise(NUMBER)
    second.go()
    until(lambda: desk.workers.is_dead(second.process))
    desk.go()
    until(lambda: desk.told("worker_begin"))
    os.kill(desk.process.pid, signal.SIGKILL)
    desk.process.wait()
    until(lambda: desk.workers.lost() == [NUMBER])  # what it has just forked dies a moment later
    desk.workers.reap(NUMBER)
    desk.workers.settled(NUMBER)
    assert desk.workers.lost() == []


def test_what_another_machine_left_is_not_ours_to_settle(tmp_path: Path) -> None:
    held = Held(Traces(str(tmp_path)), 9, "elsewhere")
    os.close(held._file)
    assert LocalWorkers(str(tmp_path), str(tmp_path)).lost() == []


def test_after_a_restart_of_the_machine_all_of_its_processes_are_dead(tmp_path: Path) -> None:
    pid, started, name, *rest = this_process().split(" ")
    workers = LocalWorkers(str(tmp_path), str(tmp_path))
    assert not workers.is_dead(this_process())
    assert workers.is_dead(" ".join([pid, started, name, "another-boot", *rest[1:]]))
    assert not workers.is_dead(" ".join([pid, started, "elsewhere", "another-boot", *rest[1:]]))


def test_a_check_tells_its_exit_code_and_the_end_of_its_output(workers: LocalWorkers, tmp_path: Path) -> None:
    program = "import os, sys; print('x' * 50000, flush=True); print(os.getcwd(), file=sys.stderr); sys.exit(3)"
    run = workers.check([sys.executable, "-c", program], str(tmp_path), 60, never)
    assert (run.exit_code, run.problem) == (3, "")
    assert run.output.endswith(f"x\n{tmp_path}\n")
    assert run.output.startswith("…\n")
    assert len(run.output) == 20_000


def test_a_check_that_takes_too_long_is_ended_with_its_children(workers: LocalWorkers, tmp_path: Path) -> None:
    mark = f"check-{os.urandom(8).hex()}"
    program = (
        "import os, signal, subprocess, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
        "p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)', sys.argv[1]]);"
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(1)); time.sleep(600)"
    )
    run = workers.check([sys.executable, "-c", program, mark], str(tmp_path), 1, never)
    assert (run.exit_code, run.problem) == (None, "it was not done after 1 s and was ended")
    until(lambda: not living(mark))


def test_a_check_can_be_stopped(workers: LocalWorkers, tmp_path: Path) -> None:
    asked = iter([False, True])
    run = workers.check(["sleep", "600"], str(tmp_path), 600, lambda: next(asked))
    assert run.problem == "it was stopped"


def test_nothing_of_a_check_goes_on_when_it_has_ended(workers: LocalWorkers, tmp_path: Path) -> None:
    mark = f"check-{os.urandom(8).hex()}"
    program = (
        "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)', sys.argv[1]],"
        "start_new_session=True)"
    )
    run = workers.check([sys.executable, "-c", program, mark], str(tmp_path), 600, never)
    assert (run.exit_code, run.problem) == (0, "")
    until(lambda: not living(mark))


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_check_ends_with_whoever_runs_it(tmp_path: Path, sign: signal.Signals) -> None:
    mark = f"check-{os.urandom(8).hex()}"
    child = [sys.executable, "-c", "import time; time.sleep(600)", mark]
    checked = (
        "import os, subprocess, sys, time; subprocess.Popen(sys.argv[1:]);"
        "subprocess.Popen(sys.argv[1:], start_new_session=True); open('there', 'w'); time.sleep(600)"
    )
    program = (
        "import sys; from deedlog.workers.engine import LocalWorkers; folder = sys.argv[1];"
        "LocalWorkers(folder + '/root', folder + '/store').check(sys.argv[2:], folder, 600, lambda: False)"
    )
    words = [sys.executable, "-c", program, str(tmp_path), sys.executable, "-c", checked, *child]
    caller = subprocess.Popen(words, stderr=subprocess.DEVNULL)
    until((tmp_path / "there").exists)
    caller.send_signal(sign)
    caller.wait()
    until(lambda: not living(mark))


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        (["no-such-program"], "there is no program 'no-such-program'"),
        (["/etc/passwd"], "'/etc/passwd' may not be run"),
        (["echo", "a\0b"], "an argument holds a NUL character"),
    ],
)
def test_a_check_that_cannot_run_says_why(
    workers: LocalWorkers, tmp_path: Path, command: list[str], problem: str
) -> None:
    assert workers.check(command, str(tmp_path), 60, never).problem == problem
    assert workers.check(["true"], str(tmp_path / "gone"), 60, never).problem == "its folder is gone"


@pytest.mark.parametrize("kind", ["bubblewrap", "landlock", "none"])
def test_a_check_writes_its_folder_and_neither_the_repository_nor_reads_keys(
    repo: Path, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, home, folder = repo / ".git/deedlog", tmp_path / "home", repo / ".deedlog/worktrees/fresh"
    for path in (store / "workers", home / ".ssh", folder / ".git"):
        path.mkdir(parents=True)
    (store / "workers/enforcement").write_text(f"{enforcement._machine()}\n{kind}\n")
    (store / "token").write_text("the secret")
    (home / ".ssh/key").write_text("the secret")
    monkeypatch.setenv("HOME", str(home))
    script = f"""
    echo made > x; echo made > .git/config; echo made > $(mktemp)
    cat {store}/token {home}/.ssh/key
    echo made > {repo}/x; echo made > {repo}/.git/x
    """
    run = LocalWorkers(str(repo), str(store)).check(["sh", "-c", script], str(folder), 60, never)
    assert run.enforcement == kind
    assert (folder / "x").read_text() == (folder / ".git/config").read_text() == "made\n"
    held = kind != "none"
    assert ("the secret" not in run.output) == held
    assert ((repo / "x").exists(), (repo / ".git/x").exists()) == (not held, not held)
    assert not list((store / "workers").glob("check-*"))


def test_a_check_knows_nothing_of_ours(workers: LocalWorkers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEEDLOG_DATABASE_URL", "secret")
    monkeypatch.setenv("GIT_DIR", "/elsewhere")
    assert workers.check(["env"], str(tmp_path), 60, never).output.find("secret") == -1
    assert "GIT_DIR" not in workers.check(["env"], str(tmp_path), 60, never).output


def test_a_worker_signs_nothing_and_asks_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "user.name",
        "GIT_CONFIG_VALUE_0": "t",
        "PATH": os.environ["PATH"],
    }
    environment = for_worker(given)
    words = ["git", "config", "--get-regexp", "user.name|gpgsign|gc.auto"]
    said = subprocess.run(words, env=environment, cwd="/", check=True, capture_output=True, text=True).stdout
    assert said.splitlines() == ["user.name t", "commit.gpgsign false", "tag.gpgsign false", "gc.auto 0"]
    assert environment["GIT_TERMINAL_PROMPT"] == "0"
