"""The agents of the demo in later rounds: they find the files as the round before left them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from deedlog.faces.cli.demo.shop import files, parts, present
from deedlog.faces.cli.demo.shop.hand import GIT, Player


class Hasty(Player):
    def wait(self, seconds: float) -> None:
        pass

    def milestone(self, message: str, progress: int) -> None:
        pass


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in files.FILES.items():
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    monkeypatch.chdir(tmp_path)
    subprocess.run(["git", "init", "--quiet"], check=True)
    subprocess.run([*GIT, "add", "--all"], check=True)
    subprocess.run([*GIT, "commit", "--quiet", "--message", "A small web shop"], check=True)
    return tmp_path


def commits() -> int:
    counted = subprocess.run(["git", "rev-list", "--count", "HEAD"], check=True, capture_output=True)
    return int(counted.stdout)


@pytest.mark.usefixtures("shop")
def test_each_round_adds_something_that_the_rounds_before_did_not() -> None:
    for session in range(1, 10):
        title, _ = present.AGAIN[session % len(present.AGAIN)]
        before = commits()
        Hasty("1").play(parts.part(title, session, ""))
        assert commits() == before + 1


@pytest.mark.usefixtures("shop")
@pytest.mark.parametrize("title", ["Focus that can be seen", "A task that somebody added"])
def test_who_is_sent_back_to_what_is_as_it_should_be_ends_well(title: str) -> None:
    for session in (1, 2):
        Hasty("1").play(parts.part(title, session, ""))
    assert commits() == 2
