from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from deedlog.core.errors import Invalid, Part, Unavailable
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


@pytest.mark.parametrize("left", [b"", b" \n", b"\0" * 65, b"\xff\xfe"])
def test_a_file_that_a_power_cut_left_without_a_token_is_replaced(repo: Path, left: bytes) -> None:
    settings = load(str(repo), {})
    first = token(settings)
    file = repo / ".git/deedlog/token"
    file.write_bytes(left)
    (repo / ".git/deedlog/token.part").write_text("half")
    assert token(settings, make=False) == ""
    with ThreadPoolExecutor(8) as pool:
        (made,) = set(pool.map(lambda _: token(settings), range(32)))
    assert (len(made), made == first) == (64, False)
    assert file.read_text() == made + "\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir()] == ["token"]


@pytest.mark.proves("secret:token:private")
@pytest.mark.parametrize("configured", [" ", "\t\n", "a b", "a\x01b", "schlüssel", "a\udcffb"])
def test_a_configured_token_that_is_none_is_refused(repo: Path, configured: str) -> None:
    with pytest.raises(Invalid, match="the configured token") as refused:
        token(load(str(repo), {"DEEDLOG_TOKEN": configured}))
    assert refused.value.part is Part.CONFIGURATION
    assert token(load(str(repo), {"DEEDLOG_TOKEN": " mine\n"})) == "mine"


def test_many_at_once_get_the_same(repo: Path) -> None:
    settings = load(str(repo), {})
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(lambda _: token(settings), range(32)))) == 1


def test_a_folder_that_cannot_keep_it_is_said(repo: Path) -> None:
    (repo / ".git/deedlog").write_text("a file in its place")
    with pytest.raises(Unavailable, match="cannot be kept") as refused:
        token(load(str(repo), {}))
    assert refused.value.part is Part.CONFIGURATION
