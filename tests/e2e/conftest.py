"""Foreign programs the tests talk to. Each is installed once, from its lock file, below .cache/."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.orchestra import hall  # noqa: F401  # a fixture
from tests.e2e.processes import let_agents

# Programs that get the environment of the tests belong to a user who lets agents do what needs a person.
USER = tempfile.TemporaryDirectory(prefix="deedlog-user-")
let_agents(Path(USER.name))
os.environ["XDG_CONFIG_HOME"] = str(Path(USER.name) / ".config")

ROOT = Path(__file__).parent.parent.parent
CACHE = ROOT / ".cache"
BIN = Path(sys.executable).parent


def installed(folder: Path, lock: Path, install: Callable[[], None]) -> Path:
    """`folder`, made anew when its lock file has changed; one process does it, others wait."""
    folder.mkdir(parents=True, exist_ok=True)
    stamp = folder / "stamp"
    with (folder / "lock").open("w") as guard:
        fcntl.flock(guard, fcntl.LOCK_EX)
        if not stamp.exists() or stamp.read_bytes() != lock.read_bytes():
            install()
            stamp.write_bytes(lock.read_bytes())
    return folder


def quietly(command: list[str], folder: Path, **environment: str) -> None:
    both = {**os.environ, **environment}
    done = subprocess.run(command, cwd=folder, env=both, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def npm_installed(name: str, source: Path, *scripts: str) -> Path:
    """Packages from a lock file; of their own scripts only those named are run."""
    folder = CACHE / name

    def install() -> None:
        for file in ("package.json", "package-lock.json"):
            shutil.copy(source / file, folder)
        path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
        quietly([str(BIN / "npm"), "ci", "--ignore-scripts", "--no-audit", "--no-fund"], folder, PATH=path)
        for script in scripts:
            quietly([str(BIN / "node"), f"node_modules/{script}"], folder, PATH=path)

    return installed(folder, source / "package-lock.json", install)


@pytest.fixture(scope="session")
def node_folder() -> Path:
    """A folder with node_modules: the conformance suite and the TypeScript clients."""
    return npm_installed("node", ROOT / "tests/node")


@pytest.fixture(scope="session")
def agents_folder() -> Path:
    """The coding agents themselves."""
    return npm_installed("agents", ROOT / "tests/node/agents", "@anthropic-ai/claude-code/install.cjs")


def pip_installed(name: str) -> Path:
    """The `bin` of a Python environment of its own, made from `requirements/<name>.txt`."""
    folder, lock = CACHE / name, ROOT / f"requirements/{name}.txt"

    def install() -> None:
        quietly([sys.executable, "-m", "venv", "--clear", str(folder / "venv")], folder)
        pip = [str(folder / "venv/bin/python"), "-m", "pip", "--quiet", "--disable-pip-version-check"]
        quietly([*pip, "install", "--require-hashes", "--requirement", str(lock)], folder)

    return installed(folder, lock, install) / "venv/bin"


@pytest.fixture(scope="session")
def python_with_sdk1() -> Path:
    """A Python of its own with the 1.x line of the official SDK."""
    return pip_installed("mcp1") / "python"
