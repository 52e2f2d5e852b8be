from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from deedlog.core.errors import Part, Unavailable
from deedlog.settings import load
from deedlog.token import token


@pytest.mark.proves("secret:token:private")
def test_a_token_is_made_once_for_its_owner_alone(repo: Path) -> None:
    settings = load(str(repo), {})
    assert token(settings, make=False) == ""
    made = token(settings)
    file = repo / ".git/deedlog/token"
    assert len(made) == 64
    assert (token(settings), token(settings, make=False)) == (made, made)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["token"]


def test_a_configured_token_wins_and_nothing_is_kept(repo: Path) -> None:
    assert token(load(str(repo), {"DEEDLOG_TOKEN": "mine"})) == "mine"
    assert not (repo / ".git/deedlog").exists()


def test_many_at_once_get_the_same(repo: Path) -> None:
    settings = load(str(repo), {})
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(lambda _: token(settings), range(32)))) == 1


def test_a_folder_that_cannot_keep_it_is_said(repo: Path) -> None:
    (repo / ".git/deedlog").write_text("a file in its place")
    with pytest.raises(Unavailable, match="cannot be kept") as refused:
        token(load(str(repo), {}))
    assert refused.value.part is Part.CONFIGURATION
