"""Settings of the merge gate: a prepare command, git hooks, signed commits."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from deedlog.core.errors import Conflict, Denied, Unavailable
from tests.ops.workers.conftest import Shop

INSTALL = "import os; os.makedirs('deps/bin'); open('deps/bin/tool', 'w').write(open('deps.lock').read()); print('ran')"
USES = {"label": "uses", "command": [sys.executable, "-c", "print(open('deps/bin/tool').read())"]}


def prepared(shop: Shop, *, code: str = INSTALL, lock_files: tuple[str, ...] = ("deps.lock",)) -> None:
    words = json.dumps([sys.executable, "-c", code])
    shop.configure(prepare=f"{{command = {words}, lock_files = {json.dumps(lock_files)}}}")


def locked(shop: Shop, text: str) -> None:
    (shop.repo / "deps.lock").write_text(text)
    (shop.repo / ".gitignore").write_text("deps/\n")
    shop.git("add", "deps.lock", ".gitignore")
    shop.git("commit", "--quiet", "--message", f"lock {text}")


def labels(done: dict[str, list[dict[str, str]]]) -> list[str]:
    return [row["label"] for row in done["checks"]]


@pytest.mark.proves("worker:done:prepare")
def test_a_checkout_is_prepared_once_for_each_state_of_the_lock_files(shop: Shop) -> None:
    locked(shop, "one")
    prepared(shop)
    first = shop.call("worker_done", sessionId=shop.ended("write a.txt a", checks=[USES])["sessionId"])
    assert (labels(first), first["checks"][1]["output"].strip()) == (["prepare", "uses"], "one")
    second = shop.call("worker_done", sessionId=shop.ended("write b.txt b", checks=[USES])["sessionId"])
    assert (labels(second), second["checks"][0]["output"].strip()) == (["uses"], "one")
    locked(shop, "two")
    third = shop.call("worker_done", sessionId=shop.ended("write c.txt c", checks=[USES])["sessionId"])
    assert (labels(third), third["checks"][1]["output"].strip()) == (["prepare", "uses"], "two")
    assert "deps/bin/tool" not in shop.files()


@pytest.mark.proves("worker:done:prepare")
def test_what_was_prepared_earlier_never_hides_a_file_of_the_commit(shop: Shop) -> None:
    locked(shop, "one")
    prepared(shop)
    shop.call("worker_done", sessionId=shop.ended("write a.txt a", checks=[USES])["sessionId"])
    evil = ("write deps/bin/tool evil", "git add -f deps", "git commit -qm evil")
    done = shop.call("worker_done", sessionId=shop.ended(*evil, checks=[USES])["sessionId"])
    assert (labels(done), done["checks"][0]["output"].strip()) == (["uses"], "evil")
    assert shop.git("show", "main:deps/bin/tool") == "evil"


@pytest.mark.proves("worker:done:prepare")
def test_nothing_prepared_is_copied_through_a_link_of_the_commit(shop: Shop) -> None:
    locked(shop, "one")
    prepared(shop, code="import os; os.makedirs('out'); open('out/post-checkout', 'w').write('evil')")
    passes = {"label": "passes", "command": ["true"]}
    shop.call("worker_done", sessionId=shop.ended("write a.txt a", checks=[passes])["sessionId"])
    link = ("run ln -s ../../../.git/hooks out", "git add -f out", "git commit -qm link")
    shop.call("worker_done", sessionId=shop.ended(*link, checks=[passes])["sessionId"])
    assert not (shop.repo / ".git/hooks/post-checkout").exists()


@pytest.mark.proves("worker:done:prepare")
def test_what_a_clone_brings_is_not_taken_for_prepared(shop: Shop) -> None:
    """No folder in the work tree is used: the key of one could be computed from the files of a repository."""
    locked(shop, "one")
    prepared(shop)
    shop.call("worker_done", sessionId=shop.ended("write a.txt a", checks=[USES])["sessionId"])
    assert [path.name for path in (shop.repo / ".deedlog").rglob("deps")] == []
    assert list((shop.repo / ".git").rglob("deps/bin/tool")) != []


@pytest.mark.proves("worker:done:prepare")
def test_work_that_is_refused_leaves_nothing_prepared_for_others(shop: Shop) -> None:
    locked(shop, "one")
    prepared(shop)
    fails = {"label": "fails", "command": ["false"]}
    with pytest.raises(Conflict):
        shop.call("worker_done", sessionId=shop.ended("write a.txt a", checks=[USES, fails])["sessionId"])
    done = shop.call("worker_done", sessionId=shop.ended("write b.txt b", checks=[USES])["sessionId"])
    assert labels(done) == ["prepare", "uses"]


@pytest.mark.proves("worker:done:prepare")
def test_a_prepare_command_that_fails_merges_nothing(shop: Shop) -> None:
    prepared(shop, code="raise SystemExit('no network')", lock_files=())
    row = shop.ended("write a.txt a", checks=[USES])
    with pytest.raises(Conflict) as refused:
        shop.call("worker_done", sessionId=row["sessionId"])
    assert refused.value.data["failed"] == ["prepare"]
    assert shop.files() == ["README.md"]


@pytest.mark.proves("worker:done:prepare")
def test_a_prepare_command_that_no_person_approved_merges_nothing(shop: Shop) -> None:
    (shop.repo / ".deedlog").mkdir(exist_ok=True)
    (shop.repo / ".deedlog/config.toml").write_text('prepare = {command = ["true"]}\n')
    shop.open()
    row = shop.ended("write a.txt a")
    with pytest.raises(Denied, match="not approved yet"):
        shop.call("worker_done", sessionId=row["sessionId"])


def hook(shop: Shop, name: str, text: str) -> None:
    place = shop.repo / ".git/hooks" / name
    place.parent.mkdir(exist_ok=True)
    place.write_text(f"#!/bin/sh\n{text}\n")
    place.chmod(0o755)


@pytest.mark.proves("worker:done:hooks")
@pytest.mark.parametrize(
    ("how", "name"), [("merge", "pre-merge-commit"), ("squash", "pre-commit"), ("merge", "commit-msg")]
)
def test_a_hook_can_refuse_a_merge_where_hooks_run(shop: Shop, how: str, name: str) -> None:
    hook(shop, name, "git diff --cached --name-only HEAD; exit 1" if name != "commit-msg" else 'cat "$1"; exit 1')
    row = shop.ended("write a.txt a")
    shop.configure(merge_hooks="true")
    with pytest.raises(Conflict) as refused:
        shop.call("worker_done", sessionId=row["sessionId"], how=how, message="Add a")
    assert refused.value.data["failed"] == [f"hook {name}"]
    printed = next(check["output"] for check in shop.session(row["sessionId"]).checks if not check["passed"])
    assert printed.strip() == ("Add a" if name == "commit-msg" else "a.txt")
    assert shop.files() == ["README.md"]
    shop.configure(merge_hooks="false")
    assert shop.call("worker_done", sessionId=row["sessionId"], how=how)["merged"]


@pytest.mark.proves("worker:done:hooks", "worker:done:fresh")
@pytest.mark.parametrize(("how", "name"), [("merge", "pre-merge-commit"), ("squash", "pre-commit")])
def test_checks_see_nothing_of_what_a_hook_changed(shop: Shop, how: str, name: str) -> None:
    hook(shop, name, "test $(cat a.txt) = judged && echo repaired > a.txt && echo x > new.txt && git add --all")
    prints = "import os; print(open('a.txt').read(), sorted(set(os.listdir()) - {'.git'}))"
    check = {"label": "reads", "command": [sys.executable, "-c", prints]}
    row = shop.ended("write a.txt judged", checks=[check])
    shop.configure(merge_hooks="true")
    done = shop.call("worker_done", sessionId=row["sessionId"], how=how)
    assert [(one["label"], one["passed"]) for one in done["checks"]] == [(f"hook {name}", True), ("reads", True)]
    assert done["checks"][1]["output"].split() == ["judged", "['README.md',", "'a.txt']"]
    assert (shop.git("show", "main:a.txt"), shop.files()) == ("judged", ["README.md", "a.txt"])


@pytest.mark.proves("worker:done:hooks")
def test_merges_are_signed_where_that_is_set(shop: Shop, tmp_path: Path) -> None:
    key = tmp_path / "key"
    if not shutil.which("ssh-keygen"):
        pytest.skip("ssh-keygen is not installed")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    for name, value in (("gpg.format", "ssh"), ("user.signingKey", str(key)), ("commit.gpgSign", "true")):
        shop.git("config", name, value)
    plain = shop.ended("write a.txt a")["sessionId"]
    shop.call("worker_done", sessionId=plain)
    assert "gpgsig" not in shop.git("cat-file", "commit", "main")
    for how in ("merge", "squash", "rebase"):
        row = shop.ended(f"write {how}.txt a", "commit work")
        shop.git("commit", "--quiet", "--no-gpg-sign", "--allow-empty", "--message", "meanwhile")
        shop.configure(merge_signing="true")
        shop.call("worker_done", sessionId=row["sessionId"], how=how)
        assert "gpgsig" in shop.git("cat-file", "commit", "main")
        assert f"{how}.txt" in shop.files()
    key.unlink()
    row = shop.ended("write late.txt a", "commit work")
    with pytest.raises(Unavailable) as refused:
        shop.call("worker_done", sessionId=row["sessionId"], how="squash")
    assert "merge_signing" in refused.value.hint
    assert str(key) in str(refused.value.data["said"])
    assert "late.txt" not in shop.files()


@pytest.mark.proves("worker:done:hooks")
def test_hooks_that_are_not_there_are_no_checks(shop: Shop) -> None:
    shop.configure(merge_hooks="true")
    done = shop.call("worker_done", sessionId=shop.ended("write a.txt a")["sessionId"])
    assert "checks" not in done
