from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deedlog.core.change import Change, is_deedlogs, is_record, shown


@pytest.mark.proves("track:change:paths")
@pytest.mark.parametrize("path", ["src/auth.ts", "é中.ts", 'a"q.ts', "new\nline.ts", "tab\there", "back\\slash", "-x"])
def test_a_path_that_is_text_is_shown_as_it_is(path: str) -> None:
    assert shown(path) == path


@pytest.mark.proves("track:change:paths")
@given(st.binary(min_size=1, max_size=12).map(lambda name: name.replace(b"\0", b"0").replace(b"/", b"_")))
def test_what_is_shown_is_text_and_names_every_byte(name: bytes) -> None:
    text = shown(name.decode("utf-8", "surrogateescape"))
    text.encode()
    if text.encode() != name:
        quoted = text[1:-1].encode().decode("unicode_escape").encode("latin-1")
        assert quoted == name


@pytest.mark.proves("track:change:paths")
def test_bytes_that_are_no_text_are_quoted_as_git_quotes_them(repo: Path) -> None:
    name = b'caf\xe9 "\\\t\n\x01\x7f.ts'
    (repo / name.decode("utf-8", "surrogateescape")).write_text("x")
    words = ["git", "-C", str(repo), "ls-files", "--others"]
    listed = subprocess.run(words, capture_output=True, check=True, text=True).stdout
    assert shown(name.decode("utf-8", "surrogateescape")) == listed.removesuffix("\n")


def test_what_deedlog_writes_itself_is_known() -> None:
    own = (".deedlog/config.toml", ".deedlog/worktrees/task-5/a", "docs/CURRENT_TASK.md", "docs/ARCHITECTURE_STATE.md")
    assert all(map(is_deedlogs, (*own, "docs/AGENT_PROMPT.md")))
    assert not any(map(is_deedlogs, (".deedlogs", "src/.deedlog/x", "docs/README.md", "CURRENT_TASK.md")))


def test_a_new_record_is_deedlog_s_and_a_changed_one_is_not() -> None:
    adr = "docs/adr/20250108T143512.237Z-A001_choose_an_orm.md"
    archive = "docs/archive/task/20250108T143512.237Z-A001_typo.md"
    assert is_record(Change(path=adr, status="added"))
    assert is_record(Change(path=archive, status="added"))
    assert not is_record(Change(path=adr, status="modified"))
    assert not is_record(Change(path=adr, status="deleted"))
    for path in ("docs/adr/0001-use-postgres.md", f"x/{adr}", f"{adr}.orig", "docs/adr/README.md"):
        assert not is_record(Change(path=path, status="added")), path
