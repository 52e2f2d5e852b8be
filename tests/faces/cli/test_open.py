from __future__ import annotations

import json
import re
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.e2e.processes import HttpServer
from tests.faces.web.conftest import ENVIRONMENT, SERVE

DEEDLOG = [sys.executable, "-m", "deedlog"]
BROWSER = """#!{python}
import sys
with open({told!r}, "a") as file:
    file.write(sys.argv[1] + "\\n")
"""


@pytest.fixture
def server(repo: Path) -> Iterator[HttpServer]:
    with HttpServer(SERVE, repo, ENVIRONMENT) as running:
        yield running


def opened(repo: Path, *words: str, **told: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in ENVIRONMENT.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    return subprocess.run(
        [*DEEDLOG, "open", *words],
        cwd=repo,
        env={**environment, **told},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@contextmanager
def stranger(answer: Callable[[str], bytes]) -> Iterator[int]:
    """The port of a program that is not this project's server."""

    class Other(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            said = answer(self.path)
            self.send_response(200)
            self.send_header("Content-Length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    with HTTPServer(("127.0.0.1", 0), Other) as other:
        thread = threading.Thread(target=other.serve_forever)
        thread.start()
        yield other.server_port
        other.shutdown()
        thread.join()


def signed_in(server: HttpServer, link: str) -> int:
    """The status that a browser gets which opens a link."""
    address, _, code = link.strip().partition("/#once=")
    assert address == f"http://127.0.0.1:{server.port}"
    return server.request("POST", "/sign-in", None, {"Origin": address, "Authorization": f"Code {code}"})[0]


@pytest.mark.proves("page:link:once")
def test_it_prints_a_link_that_signs_one_browser_in(repo: Path, server: HttpServer) -> None:
    port = ("--port", str(server.port))
    for said in (
        opened(repo, *port),
        opened(repo, *port, "--host", "0.0.0.0"),
        opened(repo, *port, "--host", "localhost"),
    ):
        assert [signed_in(server, said.stdout), signed_in(server, said.stdout)] == [200, 401]
    assert signed_in(server, json.loads(opened(repo, "--json", *port).stdout)["url"]) == 200


def test_a_server_on_any_port_is_found(repo: Path, server: HttpServer) -> None:
    assert signed_in(server, opened(repo, DEEDLOG_PORT="1").stdout) == 200
    server.process.terminate()
    server.process.wait(30)
    gone = opened(repo, DEEDLOG_PORT="1")
    assert gone.returncode == 3
    assert "at http://127.0.0.1:1/\n" in gone.stderr.replace("\nhint", "\n")


@pytest.mark.proves("page:link:once")
def test_the_browser_is_started_without_a_code_which_every_user_of_the_machine_would_see(
    repo: Path, server: HttpServer, tmp_path: Path
) -> None:
    told, browser = tmp_path / "told", tmp_path / "browser"
    browser.write_text(BROWSER.format(python=sys.executable, told=str(told)))
    browser.chmod(0o755)
    assert opened(repo, "--print", "--port", str(server.port), BROWSER=str(browser)).returncode == 0
    assert not told.exists()
    assert opened(repo, "--port", str(server.port), BROWSER=str(browser)).returncode == 0
    (address,) = told.read_text().splitlines()
    assert "once" not in address
    file = Path(unquote(address.removeprefix("file://")))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    found = re.search(r'url=(http://[^"]+)"', file.read_text())
    assert found
    assert [signed_in(server, found[1]), signed_in(server, found[1])] == [200, 401]


@pytest.mark.proves("page:open:proved")
def test_without_a_server_it_tells_how_to_start_one(repo: Path, server: HttpServer) -> None:
    server.process.terminate()
    server.process.wait(30)
    done = opened(repo, "--port", str(server.port))
    assert (done.returncode, done.stdout) == (3, "")
    assert "deedlog serve" in done.stderr


@pytest.mark.proves("page:open:proved")
@pytest.mark.parametrize(
    "answer",
    [b'{"proof": "x"}', b'{"proof": "x", "run": "y"}', b'{"run": 5}', b'{"status": "ok"}', b"<html>", b"[]", b""],
)
def test_a_server_that_is_not_of_this_project_gets_no_key(repo: Path, answer: bytes) -> None:
    with stranger(lambda _: answer) as port:
        done = opened(repo, "--port", str(port))
    assert (done.returncode, done.stdout) == (3, "")
    assert "once" not in done.stderr


@pytest.mark.proves("page:open:proved")
def test_a_program_that_passes_the_question_on_to_the_server_gets_no_link(repo: Path, server: HttpServer) -> None:
    with stranger(lambda path: server.request("GET", path, None, {})[1]) as port:
        named = opened(repo, "--port", str(port))
        found = opened(repo, DEEDLOG_PORT=str(port))
    assert (named.returncode, named.stdout) == (3, "")
    assert "once" not in named.stderr
    assert signed_in(server, found.stdout) == 200


@pytest.mark.proves("page:open:proved")
def test_the_server_of_another_project_gets_no_key(repo: Path, server: HttpServer) -> None:
    other = repo.parent / "other"
    subprocess.run(["git", "init", "--quiet", str(other)], check=True)
    done = opened(other, "--port", str(server.port))
    assert (done.returncode, done.stdout) == (3, "")
