"""Guides are followed to the letter: every command works, and shows what the page says."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.e2e.conftest import BIN, ROOT
from tests.e2e.guide import same, steps, typed

FOLLOWED = ["orchestrate.md", "other-servers.md"]


@pytest.mark.proves("scenario:guide")
@pytest.mark.parametrize("name", FOLLOWED)
def test_what_a_guide_tells_to_type_shows_what_it_says(name: str, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    kept = {key: value for key, value in os.environ.items() if key in {"LANG", "TMPDIR"}}
    environment = kept | {
        "HOME": str(tmp_path / "home"),
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
        "USER": "ann",
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": "user.name",
        "GIT_CONFIG_VALUE_0": "Ann",
        "GIT_CONFIG_KEY_1": "user.email",
        "GIT_CONFIG_VALUE_1": "ann@example.invalid",
    }
    found = list(steps(ROOT / "docs/guides" / name))
    assert found
    for step, code, shown in typed(found, tmp_path, environment):
        said, seen = ([same(line) for line in lines if line.strip()] for lines in (step.shown, shown))
        assert (step.command, code, seen) == (step.command, 0, said)
