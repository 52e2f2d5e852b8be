"""No worker finds the token of a running server, wherever Deedlog wrote it; and the token makes no program a person."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from deedlog.token import link_code
from tests.e2e.processes import HttpServer
from tests.e2e.test_worker_reports import bench
from tests.e2e.workbench import DEEDLOG, Bench

__all__ = ["bench"]  # a fixture
THIEF = Path(__file__).with_name("thief.py")


@pytest.mark.proves("worker:secrets:unreadable")
@pytest.mark.parametrize("bench", ["bubblewrap", "landlock"], indirect=True)
def test_a_worker_finds_no_token_in_any_file_that_deedlog_wrote(bench: Bench) -> None:
    home = Path(bench.environment["HOME"])
    (home / ".codex").mkdir()
    bench.cli("init", "--http", "--yes", "--all")
    token = (bench.repo / ".git/deedlog/token").read_text().strip()
    places = [".mcp.json", ".gemini", ".cursor", ".vscode", ".git/deedlog"]
    written = [path for path in (*(bench.repo / name for name in places), home) if path.exists()]
    with HttpServer([DEEDLOG, "serve", "--port", "0"], bench.repo, bench.environment) as server:
        command = [sys.executable, str(THIEF), str(server.port), *map(str, written)]
        assert token in (home / ".codex/config.toml").read_text()
        bench.agent("thief", command=command)
        number = bench.run(bench.task("Steal", assignee="thief"))
        bench.wait(number)
    lines = bench.call("session_log", sessionId=number)["text"].splitlines()
    said = [json.loads(line) for line in lines if line.startswith("{")]
    assert said == [{"found": 0, "add": 401}, {"test": 401}]


@pytest.mark.proves("page:program:no-person")
def test_a_program_with_the_token_cannot_sign_in_as_a_person(repo: Path, tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "DEEDLOG_TOKEN": "secret"}
    with HttpServer([DEEDLOG, "serve", "--port", "0"], repo, environment) as server:
        run = server.get("/sign-in/proof?of=" + "c" * 32)["run"]
        own = f"http://127.0.0.1:{server.port}"
        said = {"Authorization": f"Code {link_code('secret', run, 60)}", "Origin": own}
        assert server.request("POST", "/sign-in", None, said)[0] == 401
        for path, body in (
            ("/api/mcp/add", {"name": "evil", "command": ["true"]}),
            ("/api/mcp/test", {"name": "time"}),
            ("/api/agent/create", {"name": "evil", "command": ["true"]}),
        ):
            status, answer = server.post(path, body)
            assert (status, "person" in json.dumps(answer)) == (403, True), (path, answer)
