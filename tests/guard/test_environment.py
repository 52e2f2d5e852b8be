"""The environment that `make env` builds has nothing that the lock files do not name."""

from __future__ import annotations

import re
import sys
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))
PINNED = re.compile(r"^([\w.-]+)(?:\[[\w,-]+\])?==([^\s;]+)", re.MULTILINE)
OURS = "deedlog"


def locked(*names: str) -> dict[str, set[str]]:
    """The versions of each package: another Python may need another one."""
    found: dict[str, set[str]] = {}
    for text in ((ROOT / "requirements" / f"{name}.txt").read_text() for name in names):
        for name, version in PINNED.findall(text):
            found.setdefault(canonical(name), set()).add(version)
    return found


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: path.stem)
def test_every_package_is_locked_by_hash_and_no_registry_is_named(path: Path) -> None:
    text = path.read_text()
    assert len(re.findall(r"^\S", text, re.MULTILINE)) == len(PINNED.findall(text)) > 0
    for package in re.split(r"\n(?=\S)", text.strip()):
        assert "--hash=sha256:" in package
    assert "://" not in text


def test_the_makefile_installs_the_locked_pip_first_and_drops_setuptools() -> None:
    lines = (ROOT / "Makefile").read_text().split(".venv/run.stamp:")[1].split("\n\n")[0].splitlines()
    assert "requirements/pip.txt" in lines[0]
    steps = [line.split() for line in lines[1:] if "$(PIP)" in line]
    assert steps[0] == ["$(PIP)", "install", "--require-hashes", "-r", "requirements/pip.txt"]
    assert steps[1] == ["$(PIP)", "uninstall", "--yes", "setuptools"]
    assert set(locked("pip")) == {"pip"}


@pytest.mark.skipif(Path(sys.prefix) != ROOT / ".venv", reason="this is not the environment of `make env`")
def test_the_environment_has_the_locked_versions_and_nothing_else() -> None:
    wanted = locked("pip", "run", "dev")
    found = {canonical(one.metadata["Name"]): one.version for one in metadata.distributions() if one.metadata["Name"]}
    assert {found["pip"]} == wanted["pip"]
    assert "setuptools" not in found
    assert {name: version for name, version in found.items() if version not in wanted.get(name, ())} == {
        OURS: found[OURS]
    }
