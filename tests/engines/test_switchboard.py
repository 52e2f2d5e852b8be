from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from deedlog.core.capability import CAPABILITIES
from deedlog.core.errors import Denied, Unavailable
from deedlog.switchboard import FILE, Switchboard

MODULES = [name for name, capability in CAPABILITIES.items() if capability.toggle and not capability.on]


def board(folder: Path, *configured: str, **held: str) -> Switchboard:
    return Switchboard(frozenset(configured), held, str(folder))


def test_what_one_switches_others_see_and_what_they_switched_stays(tmp_path: Path) -> None:
    one, other = board(tmp_path, "tracking"), board(tmp_path, "tracking")
    one.switch("tx", on=True)
    other.switch("tracking", on=False)
    assert one.now() == other.now() == board(tmp_path, "tracking").now() == {"tx"}


def test_switches_at_once_are_all_kept(tmp_path: Path) -> None:
    with ThreadPoolExecutor(len(MODULES)) as threads:
        list(threads.map(lambda name: board(tmp_path).switch(name, on=True), MODULES))
    assert board(tmp_path).now() == set(MODULES)


@pytest.mark.parametrize("text", ["", "nonsense\n\n+\n-\n", "+unheard-of\n", "\x00\xff", "+supervision\n"])
def test_a_file_that_makes_no_sense_changes_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text, encoding="latin-1")
    found = board(tmp_path, "tracking", supervision="it is for programs of ours alone")
    assert found.now() == {"tracking"}


def test_a_file_that_would_lock_everybody_out_does_not(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("-mcp-introspection\n-tracking\n")
    assert board(tmp_path, "mcp-introspection", "tracking").now() == {"mcp-introspection"}


def test_a_draft_that_a_killed_process_left_is_no_switch_and_in_nobody_s_way(tmp_path: Path) -> None:
    (tmp_path / f"{FILE}.new").write_text("+bulk\n+lo")
    one = board(tmp_path)
    assert one.now() == set()
    one.switch("tx", on=True)
    assert board(tmp_path).now() == {"tx"}


def test_what_is_held_is_refused_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(Denied, match="because somebody said so"):
        board(tmp_path, tx="because somebody said so").switch("tx", on=True)
    assert not (tmp_path / FILE).exists()


def test_where_nothing_can_be_written_it_is_refused_and_nothing_changes(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("a file is in the way")
    one = board(tmp_path / "store")
    with pytest.raises(Unavailable, match="cannot be written"):
        one.switch("tx", on=True)
    assert one.now() == set()


def test_only_its_owner_may_write_where_it_lies(tmp_path: Path) -> None:
    board(tmp_path / "store").switch("tx", on=True)
    assert stat.S_IMODE(os.stat(tmp_path / "store").st_mode) == 0o700


def test_without_a_folder_a_switch_holds_for_the_process() -> None:
    one = Switchboard(frozenset(), {})
    one.switch("tx", on=True)
    assert one.now() == {"tx"}
    one.switch("tx", on=False)
    assert one.now() == set()
