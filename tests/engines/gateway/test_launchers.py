"""Whether a program that starts servers is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from deedlog.gateway.configuration.launchers import Launchers
from deedlog.gateway.places import Places


@pytest.fixture
def places(tmp_path: Path) -> Places:
    for name in ("bin/tool", "home/own", "repo/run.sh"):
        path = tmp_path / name
        path.parent.mkdir()
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
    (tmp_path / "bin/text").write_text("no program")
    return Places(
        root=str(tmp_path / "repo"),
        store="",
        state="",
        user="",
        home=str(tmp_path / "home"),
        environment={"PATH": f":{tmp_path}/none:{tmp_path}/bin", "WHERE": str(tmp_path / "bin")},
    )


@pytest.mark.parametrize("command", ["tool", "./run.sh", "~/own", "${WHERE}/tool"])
def test_a_program_is_found_on_the_search_path_in_the_project_and_at_home(places: Places, command: str) -> None:
    assert Launchers(places).found(command)


@pytest.mark.parametrize("command", ["", "none", "text", "run.sh", "./none", "~/none", "${NONE}/tool", "/"])
def test_what_is_not_there_or_cannot_run_is_not_found(places: Places, command: str) -> None:
    assert not Launchers(places).found(command)


def test_what_was_installed_meanwhile_is_found_by_the_next_look(places: Places) -> None:
    launchers = Launchers(places)
    assert not launchers.found("later")
    path = Path(places.environment["WHERE"]) / "later"
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    assert Launchers(places).found("later")
