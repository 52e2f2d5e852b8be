"""Repositories that a worker makes in its tree: what their settings name never runs outside of its sandbox."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from deedlog.core.errors import Conflict
from tests.ops.workers.conftest import Shop

MAKE = """
import os, subprocess, sys
canary, top = sys.argv[1], sys.argv[2]
place, link = os.path.join(top, "inner"), sys.argv[3] == "link"
def git(*words, at=place):
    who = ("-c", "user.name=w", "-c", "user.email=w@example.invalid", "-c", "protocol.file.allow=always")
    subprocess.run(["git", "-C", at, *who, *words], check=True, capture_output=True)
os.makedirs(place)
git("init", "--quiet")
names = {"a.txt": "x", "b.txt": "a=b", "c.txt": "p"}
for name in names:
    with open(os.path.join(place, name), "w") as file:
        file.write("before\\n")
with open(os.path.join(place, ".gitattributes"), "w") as file:
    file.write("".join(f"{name} filter={word} diff=d\\n" for name, word in names.items()))
git("add", ".")
git("commit", "--quiet", "--message=inner")
if link:
    git("add", "inner", at=top)
    with open(os.path.join(top, ".gitmodules"), "w") as file:
        file.write('[submodule "inner"]\\n\\tpath = inner\\n\\turl = ./inner\\n\\tignore = none\\n')
    git("add", ".gitmodules", at=top)
    git("commit", "--quiet", "--message=outer", at=top)
run = f"touch {canary}; cat"
for name, word in names.items():
    git("config", f"filter.{word}.process" if word == "p" else f"filter.{word}.clean", run)
    with open(os.path.join(place, name), "w") as file:
        file.write("after\\n")
hook = os.path.join(place, ".git", "hooks", "reference-transaction")
with open(hook, "w") as file:
    file.write(f"#!/bin/sh\\ntouch {canary}\\n")
os.chmod(hook, 0o755)
for key in ("core.fsmonitor", "diff.external", "diff.d.textconv", "diff.d.command", "core.sshCommand"):
    git("config", key, run)
"""


def made(shop: Shop, tmp_path: Path, how: str) -> tuple[int, Path]:
    """A session that has made one, and the file that what it names would make."""
    script, canary = shop.repo / ".git/make.py", tmp_path / "canary"  # a worker sees no other file beside the project
    script.write_text(MAKE)
    ended = shop.ended("write n.txt new", f"run {sys.executable} {script} {canary} . {how}")
    number = int(ended["sessionId"])
    assert (Path(shop.session(number).tree) / "inner/.git/config").exists(), shop.said(number)
    return number, canary


@pytest.mark.parametrize("how", ["link", "untracked"])
def test_nothing_that_one_names_runs_when_the_work_is_looked_at_and_merged(
    shop: Shop, tmp_path: Path, how: str
) -> None:
    number, canary = made(shop, tmp_path, how)
    assert not canary.exists(), "worker_end"
    shop.call("worker_list")
    assert not canary.exists(), "worker_list"
    shop.call("worker_done", sessionId=number, force=True)
    assert not canary.exists(), "worker_done"
    assert "n.txt" in shop.files()


@pytest.mark.parametrize("how", ["link", "untracked"])
def test_nothing_that_one_names_runs_when_the_work_is_thrown_away(shop: Shop, tmp_path: Path, how: str) -> None:
    number, canary = made(shop, tmp_path, how)
    with pytest.raises(Conflict, match="inner"):
        shop.call("worker_done", sessionId=number, how="discard", force=True)
    assert not canary.exists()


@pytest.mark.parametrize("how", ["link", "untracked"])
def test_what_was_changed_in_one_is_told(shop: Shop, tmp_path: Path, how: str) -> None:
    number, _ = made(shop, tmp_path, how)
    assert {"n.txt", "inner/a.txt"} <= set(shop.session(number).files)
